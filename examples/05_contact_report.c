// SPDX-License-Identifier: Apache-2.0
// 05_contact_report.c: who touches whom, where, and with which force. A table stands on four legs with a load
// off its middle; the legs share it as the balance of moments and equal compliance say.
//
//     cc 05_contact_report.c $(pkg-config --cflags --libs thud) -lm -o contact_report
//     ./contact_report scenes/table.xml
#include <math.h>
#include <stdio.h>

#include <thud/thud.h>

static const char *name_of(const thud_model *m, int body)
{
    const char *name = thud_model_name(m, THUD_KIND_BODY, body);
    return name ? name : body == 0 ? "world" : "(no name)";
}

// One contact of the step that was taken last: impulses over the step are forces.
static void print_contact(const thud_model *m, const thud_island *island, const thud_block *b)
{
    const double *p = island->p + b->row, h = island->h;
    const double normal = p[0] / h, friction = b->dim >= 3 ? hypot(p[1], p[2]) / h : 0;
    const double most = b->static_friction[0] * normal; // what friction could be
    printf("%-8s on %-8s at (%+.3f, %+.3f, %+.3f) m: normal %8.4f N, friction %.4f of %.4f N, gap %+.1e m\n",
           name_of(m, b->body2), name_of(m, b->body1), b->point.x, b->point.y, b->point.z, normal, friction,
           most, b->phi);
}

static void print_contacts(const thud_model *m, const thud_sim *sim)
{
    const thud_rows *rows = thud_sim_rows(sim); // valid until the next step
    double up = 0;
    for (int i = 0; rows && i < thud_rows_islands(rows); i++) {
        const thud_island island = thud_rows_island(rows, i);
        for (int k = 0; k < island.blocks; k++) {
            if (island.block[k].kind == THUD_BLOCK_CONTACT && island.h > 0) {
                print_contact(m, &island, &island.block[k]);
                up += island.p[island.block[k].row] / island.h * island.block[k].frame[0].z;
            }
        }
    }
    printf("all together push up with %.4f N\n", up);
}

int main(int argc, char **argv)
{
    thud_diag diag = {.text = "memory ran out, or a contact problem was not solved"};
    thud_spec *spec = NULL;
    thud_model *m = NULL;
    thud_state *s = NULL;
    thud_sim *sim = NULL;
    thud_certificate c;
    if (argc != 2) {
        fprintf(stderr, "usage: %s SCENE\n", argv[0]);
        return 2;
    }
    bool done = thud_load_mjcf(argv[1], &spec, &diag) == THUD_OK &&
                thud_model_build(spec, &m, &diag) == THUD_OK && thud_state_create(m, &s) == THUD_OK;
    if (done) {
        const thud_step_options options = thud_step_defaults(m);
        done = thud_sim_create(m, &options, &sim, &diag) == THUD_OK;
    }
    while (done && s->time < 1) {
        done = thud_sim_step(sim, NULL, s, &c) == THUD_OK;
    }
    if (done) {
        print_contacts(m, sim);
        printf("penetration %.1e m, cone residual %.1e\n", c.penetration, c.cone_residual);
    } else {
        fprintf(stderr, "%s\n", diag.text);
    }
    thud_sim_destroy(sim);
    thud_state_destroy(s);
    thud_model_destroy(m);
    thud_spec_destroy(spec);
    return done ? 0 : 1;
}
