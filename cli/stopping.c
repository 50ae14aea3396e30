// SPDX-License-Identifier: Apache-2.0
// stopping.c: signals to thud_sim_cancel.
#include <math.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "stopping.h"

static volatile sig_atomic_t came; // the signal, or 0
static thud_sim *volatile running;

static void end_at_once(int signal_number)
{
    if (signal_number == SIGALRM) {
        static const char late[] = "thud: --patience ran out\n";
        (void)!write(STDERR_FILENO, late, sizeof late - 1);
        _exit(EXIT_PATIENCE);
    }
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void stop(int signal_number)
{
    thud_sim *const sim = running;
    if (came || !sim) {
        end_at_once(signal_number);
        return;
    }
    came = signal_number;
    thud_sim_cancel(sim);
}

void stopping_begin(double patience)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction old, action = {.sa_handler = stop, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) { // nohup
            sigaction(signals[i], &action, NULL);
        }
    }
    if (patience > 0) {
        const double most = 1e8; // s: three years
        const double whole = floor(patience < most ? patience : most);
        const struct itimerval timer = {
            .it_value = {(time_t)whole, 1 + (suseconds_t)(999998 * fmin(1, patience - whole))}};
        setitimer(ITIMER_REAL, &timer, NULL);
    }
}

void stopping_watch(thud_sim *sim)
{
    running = sim;
}

int stopping_signal(void)
{
    return came;
}

int stopping_code(void)
{
    return came == SIGALRM ? EXIT_PATIENCE : 128 + came;
}

const char *stopping_word(void)
{
    return came == SIGINT    ? "by SIGINT"
           : came == SIGTERM ? "by SIGTERM"
           : came == SIGHUP  ? "by SIGHUP"
                             : "because --patience ran out";
}
