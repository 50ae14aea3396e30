// SPDX-License-Identifier: Apache-2.0
// summary.c: gathers certificates and prints what they come to.
#include <math.h>
#include <stdio.h>

#include "json.h"
#include "omissions.h"
#include "summary.h"
#include "term.h"

summary summary_start(const thud_step_options *options, const thud_sim *sim, double energy)
{
    return (summary){.options = *options,
                     .integrator = thud_sim_integrator(sim),
                     .energy_start = energy,
                     .energy_end = energy,
                     .energy_low = energy,
                     .energy_high = energy};
}

void summary_add(summary *s, const thud_certificate *c)
{
    const double energy = c->kinetic + c->potential;
    s->steps++;
    s->unconverged += c->unconverged > 0;
    s->contacts_sum += c->contacts;
    s->contacts_max = c->contacts > s->contacts_max ? c->contacts : s->contacts_max;
    s->penetration = fmax(s->penetration, c->penetration);
    s->cone_residual = fmax(s->cone_residual, c->cone_residual);
    s->lcp_residual = fmax(s->lcp_residual, c->lcp_residual);
    s->joint_drift = fmax(s->joint_drift, c->joint_drift);
    s->momentum = fmax(s->momentum, c->momentum);
    s->energy_end = energy;
    s->energy_low = fmin(s->energy_low, energy);
    s->energy_high = fmax(s->energy_high, energy);
    s->kinetic_high = fmax(s->kinetic_high, c->kinetic);
    s->work += c->work;
    s->contact_work += c->contact_work;
    s->projected += c->projected;
    s->impact_gain = fmax(s->impact_gain, c->impact_gain);
    s->impacts += c->impacts;
    s->iterations += c->iterations;
    s->spent += c->spent;
    s->spent_most = c->spent > s->spent_most ? c->spent : s->spent_most;
    s->accepted += c->accepted;
}

double summary_time(const summary *s)
{
    return (double)s->steps * s->options.h;
}

double summary_us_per_step(const summary *s)
{
    return s->steps > 0 ? 1e6 * s->stepping / (double)s->steps : 0;
}

double summary_contacts_mean(const summary *s)
{
    return s->steps > 0 ? s->contacts_sum / (double)s->steps : 0;
}

double summary_exchanged(const summary *s)
{
    return s->work + s->contact_work + s->projected;
}

replay_sums summary_sums(const summary *s)
{
    return (replay_sums){s->energy_start, s->work, s->contact_work, s->projected};
}

double summary_left_over(const summary *s)
{
    return s->energy_end - s->energy_start - summary_exchanged(s);
}

static void print_omissions(const scene *of)
{
    const char *name[OMISSIONS_MAX];
    const int count = omissions_find(of->spec, name);
    for (int i = 0; i < count; i++) {
        printf("%s%s", i == 0 ? "  not simulated in this version: " : ", ", name[i]);
    }
    printf("%s", count > 0 ? "\n" : "");
}

// How steps were taken, whatever was asked.
const char *summary_scheme(const summary *s)
{
    return s->options.scheme == THUD_SCHEME_EVENT_DRIVEN ? "event-driven (cvode)"
                                                         : thud_integrator_name(s->integrator);
}

void summary_print(const summary *s, const scene *of)
{
    const char *bold = term_bold(stdout), *plain = term_plain(stdout);
    const double time = summary_time(s), loss = s->energy_end - s->energy_start;
    printf("%s%s%s  %s\n", bold, of->spec->model ? of->spec->model : "(no name)", plain, of->path);
    printf("  %s, %s%s, step %g s: %lld steps, %g s simulated in %.3g s (%.3g x real time, %.3g us a step)\n",
           thud_law_name(s->options.law.law), summary_scheme(s), s->maximal ? ", maximal coordinates" : "",
           s->options.h, (long long)s->steps, time, s->wall, s->wall > 0 ? time / s->wall : 0,
           summary_us_per_step(s));
    print_omissions(of);
    printf("\n%scertificate%s\n", bold, plain);
    printf("  %-16s %.9g J at the start, %.9g J at the end: %+.3g J\n", "energy", s->energy_start,
           s->energy_end, loss);
    printf("  %-16s dampers and forces %+.3g J, contacts %+.3g J, positions put right %+.3g J, left over "
           "%+.3g J\n",
           "balance", s->work, s->contact_work, s->projected, summary_left_over(s));
    printf("  %-16s %.3g J below to %.3g J above the start\n", "energy range",
           s->energy_start - s->energy_low, s->energy_high - s->energy_start);
    printf("  %-16s %.2g of the forces\n", "law of motion", s->momentum);
    printf("  %-16s %.2g\n", "joint drift", s->joint_drift);
    if (s->contacts_max > 0) {
        printf("  %-16s %.3g on average, %d at most; penetration %.2g m, cone residual %.2g, LCP residual "
               "%.2g\n",
               "contacts", summary_contacts_mean(s), s->contacts_max, s->penetration, s->cone_residual,
               s->lcp_residual);
        if (s->impacts > 0) {
            printf("  %-16s %lld, the worst gained %.2g J\n", "impacts", (long long)s->impacts,
                   s->impact_gain);
        }
        printf("  %-16s %lld of %lld steps\n", "unconverged", (long long)s->unconverged, (long long)s->steps);
    }
    doubts_print(&s->doubts);
}

// The keys are the contract of design: add to them, take none away.
void summary_json(const summary *s, const scene *of, const event_list *events)
{
    const thud_state *state = of->state;
    json j;
    json_open(&j, stdout);
    json_begin(&j, NULL, '{');
    json_text(&j, "scene", of->path);
    json_text(&j, "law", thud_law_name(s->options.law.law));
    json_text(&j, "solver", thud_solver_name(s->options.law.solver));
    json_text(&j, "coordinates", s->maximal ? "maximal" : "minimal");
    json_text(&j, "scheme", thud_scheme_name(s->options.scheme));
    json_text(&j, "integrator", summary_scheme(s));
    json_text(&j, "integrator_asked", thud_integrator_name(s->options.integrator));
    json_number(&j, "dt", s->options.h);
    json_integer(&j, "steps", s->steps);
    json_bool(&j, "finished", s->finished);
    json_number(&j, "sim_time", state->time);
    json_number(&j, "wall_s", s->wall);
    json_number(&j, "us_per_step", summary_us_per_step(s));
    json_begin_line(&j, "step_us", '{');
    json_number(&j, "median", step_times_quantile(&s->times, 0.5));
    json_number(&j, "p99", step_times_quantile(&s->times, 0.99));
    json_number(&j, "worst", s->times.worst);
    json_integer(&j, "worst_step", s->times.worst_step);
    json_end(&j);
    json_begin_line(&j, "contacts", '{');
    json_number(&j, "mean", summary_contacts_mean(s));
    json_integer(&j, "max", s->contacts_max);
    json_end(&j);
    json_number(&j, "penetration_max", s->penetration);
    json_number(&j, "cone_residual_max", s->cone_residual);
    json_number(&j, "lcp_residual_max", s->lcp_residual);
    json_number(&j, "joint_drift_max", s->joint_drift);
    json_number(&j, "momentum_residual_max", s->momentum);
    json_begin_line(&j, "energy", '{');
    json_number(&j, "start", s->energy_start);
    json_number(&j, "end", s->energy_end);
    json_number(&j, "lowest", s->energy_low);
    json_number(&j, "highest", s->energy_high);
    json_number(&j, "work", s->work);
    json_number(&j, "contact_work", s->contact_work);
    json_number(&j, "projected", s->projected);
    json_end(&j);
    json_integer(&j, "impacts", s->impacts);
    json_number(&j, "impact_gain_max", s->impact_gain);
    json_integer(&j, "iterations", s->iterations);
    json_integer(&j, "spent", s->spent);
    json_integer(&j, "spent_max", s->spent_most);
    json_integer(&j, "accepted", s->accepted);
    json_integer(&j, "unconverged_steps", s->unconverged);
    doubts_json(&j, &s->doubts);
    omissions_json(&j, of->spec);
    if (events) {
        events_json(&j, events);
    }
    json_numbers(&j, "qpos", state->qpos, (size_t)state->nq);
    json_numbers(&j, "qvel", state->qvel, (size_t)state->nv);
    json_end(&j);
    json_close(&j);
}
