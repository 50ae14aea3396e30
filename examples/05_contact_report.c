// SPDX-License-Identifier: Apache-2.0
// 05_contact_report.c: who touches whom, where, and with which force. A table stands on four legs with a load
// off its middle; the legs share it as the balance of moments and equal compliance say.
//
//     cc 05_contact_report.c $(pkg-config --cflags --libs thud) -o contact_report
//     ./contact_report scenes/table.xml
#include <stdio.h>

#include <thud/thud.h>

static const char *name_of(const thud_model *m, int body)
{
    const char *name = thud_model_name(m, THUD_KIND_BODY, body);
    return name ? name : body == 0 ? "world" : "(no name)";
}

// One contact of the step that was taken last: impulses over its time are forces.
static void print_touch(const thud_model *m, const thud_touch *t)
{
    const double normal = t->normal_impulse / t->duration, friction = t->friction_impulse / t->duration;
    printf("%-8s on %-8s at (%+.3f, %+.3f, %+.3f) m: normal %8.4f N, friction %.4f N, %3.0f %% of what it "
           "could be, %s\n",
           name_of(m, t->body2), name_of(m, t->body1), t->point.x, t->point.y, t->point.z, normal, friction,
           100 * t->used, t->slides ? "slides" : "sticks");
}

static void print_contacts(const thud_model *m, const thud_sim *sim)
{
    const thud_rows *rows = thud_sim_rows(sim); // valid until the next step
    double up = 0;
    for (int i = 0; rows && i < thud_rows_islands(rows); i++) {
        const thud_island island = thud_rows_island(rows, i);
        for (int k = 0; k < island.blocks; k++) {
            thud_touch t;
            if (thud_island_touch(&island, k, &t) &&
                t.duration > 0) { // not of a collision, which takes no time
                print_touch(m, &t);
                up += t.impulse.z / t.duration;
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
