// SPDX-License-Identifier: Apache-2.0
// thread_pool.c: one gate, and a queue of indices for each thread. A run opens the gate; workers that come in time pass
// it and take shares off their own queue, then off the others'; so does the caller, who closes the gate when there
// are none left and waits for those inside. A worker that comes late, or is not scheduled at all, is not waited for.
// Whoever waits does so awake for a while and then asleep; nobody yields, which on a busy machine costs a thread its turns.
//
//     gate      turn << 32 | awaited << 17 | open << 16 | workers inside
//
// The queues cut the indices evenly, and at the same places in every run of so many, so what a thread did in one loop is most
// often still in its cache for the next.
//
// A thread begins on the core of whoever made it. Threads that wait awake give the system no reason to part them: on a
// machine with another core idle it leaves two on one for a tenth of a second, where they take twice as long as one alone.
// So a worker that finds itself on the caller's core goes to another; where it may run stays as it was.
//
// The job's fields are written only while the gate is closed and nobody is inside, and read only inside.
#define _GNU_SOURCE // NOLINT(bugprone-reserved-identifier): of glibc, for where a thread runs
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

#include <thud/base_pool.h>

#if defined(__x86_64__) || defined(__i386__)
#define RELAX() __builtin_ia32_pause()
#else
#define RELAX() ((void)0)
#endif

enum { LINE = 64, SHARES = 16 };     // bytes of a cache line; shares in a queue
enum { SPINS = 6000, PATIENCE = 1 }; // about 100 us of a worker; the caller's is as many times as long
#define TURN (UINT64_C(1) << 32)
#define AWAITED (UINT64_C(1) << 17)
#define OPEN (UINT64_C(1) << 16)
#define INSIDE (OPEN - 1)

typedef struct queue {
    atomic_int next; // index nobody has taken yet
    int end;
    char apart[LINE - 2 * sizeof(int)];
} queue;

typedef struct member {
    thud_pool *pool;
    int number;
    int stays; // runs that it stays in wherever it is
} member;

struct thud_pool {
    int threads; // the caller's included
    int spins;   // rounds of waiting awake; 0 where there are more threads than cores
    pthread_t thread[THUD_POOL_THREADS];
    member member[THUD_POOL_THREADS];
    pthread_mutex_t lock; // of those that sleep
    pthread_cond_t wake;  // the workers
    pthread_cond_t left;  // the caller: nobody is inside any more
    atomic_int sleepers;
    atomic_bool leaving;
    thud_pool_work work; // the job
    void *of;
    int share;
    int core; // that the caller is on
    char apart1[LINE];
    _Atomic uint64_t gate;
    char apart2[LINE];
    queue queue[THUD_POOL_THREADS];
};

static void empty(thud_pool *p, queue *q, int worker)
{
    while (atomic_load_explicit(&q->next, memory_order_relaxed) < q->end) {
        const int first = atomic_fetch_add_explicit(&q->next, p->share, memory_order_relaxed);
        if (first < q->end) {
            p->work(p->of, first, q->end - first < p->share ? q->end : first + p->share, worker);
        }
    }
}

static void take_shares(thud_pool *p, int worker)
{
    for (int i = 0; i < p->threads; i++) {
        empty(p, &p->queue[(worker + i) % p->threads], worker);
    }
}

// ---------------------------------------------------------------------------------------------- cores

static int cores_online(void)
{
    const long found = sysconf(_SC_NPROCESSORS_ONLN);
    return found < 1 ? 1 : (int)found;
}

#ifdef __linux__
// Those that the thread may run on. false: it is not known, as on machines with more cores than a set has room for.
static bool find_cores(cpu_set_t *may)
{
    return sched_getaffinity(0, sizeof *may, may) == 0;
}

int thud_cores(void)
{
    cpu_set_t may;
    return find_cores(&may) ? CPU_COUNT(&may) : cores_online();
}

static int this_core(void)
{
    return sched_getcpu();
}

// The n-th of these after `core`, and round again.
static int core_after(const cpu_set_t *these, int core, int n)
{
    while (n > 0) {
        core = (core + 1) % CPU_SETSIZE;
        n -= CPU_ISSET(core, these) ? 1 : 0;
    }
    return core;
}

// Off the caller's core, if there are cores enough. What the system refuses is not missed, and what it takes back is asked for
// again only after a while: others may need the cores.
static void part(member *me)
{
    enum { RUNS = 100 };
    cpu_set_t may, own;
    const int core = me->pool->core;
    me->stays -= me->stays > 0;
    if (me->stays > 0 || this_core() != core || core < 0 || !find_cores(&may) ||
        CPU_COUNT(&may) <= me->number) {
        return;
    }
    me->stays = RUNS;
    CPU_ZERO(&own);
    CPU_SET(core_after(&may, core, me->number), &own);
    if (sched_setaffinity(0, sizeof own, &own) == 0) {
        (void)sched_setaffinity(0, sizeof may, &may);
    }
}
#else
int thud_cores(void)
{
    return cores_online();
}

static int this_core(void)
{
    return -1;
}

static void part(member *me)
{
    (void)me;
}
#endif

// ---------------------------------------------------------------------------------------------- workers

// A worker is done; the last one wakes a caller that fell asleep over it.
static void leave(thud_pool *p)
{
    const uint64_t gate = atomic_fetch_sub_explicit(&p->gate, 1, memory_order_acq_rel);
    if ((gate & INSIDE) == 1 && (gate & AWAITED)) {
        pthread_mutex_lock(&p->lock);
        pthread_cond_signal(&p->left);
        pthread_mutex_unlock(&p->lock);
    }
}

static bool opened_since(uint64_t gate, uint64_t turn)
{
    return (gate & OPEN) && gate / TURN != turn;
}

static bool has_reason(const thud_pool *p, uint64_t turn)
{
    return atomic_load(&p->leaving) || opened_since(atomic_load(&p->gate), turn);
}

// Returns when the gate has opened since `turn`, or the pool is leaving: awake for a while, then asleep.
static void wait_for_work(thud_pool *p, uint64_t turn)
{
    for (int i = 0; i < p->spins; i++) {
        if (has_reason(p, turn)) {
            return;
        }
        RELAX();
    }
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->sleepers, 1); // before the gate is looked at again: run looks the other way round
    while (!has_reason(p, turn)) {
        pthread_cond_wait(&p->wake, &p->lock);
    }
    atomic_fetch_sub(&p->sleepers, 1);
    pthread_mutex_unlock(&p->lock);
}

static void *live(void *of)
{
    member *me = of;
    thud_pool *p = me->pool;
    uint64_t turn = 0; // last one worked in
    for (;;) {
        wait_for_work(p, turn);
        if (atomic_load(&p->leaving)) {
            return NULL;
        }
        uint64_t gate = atomic_load(&p->gate);
        while (opened_since(gate, turn)) {
            if (atomic_compare_exchange_weak(&p->gate, &gate, gate + 1)) {
                turn = gate / TURN;
                part(me);
                take_shares(p, me->number);
                leave(p);
                break;
            }
        }
    }
}

// ---------------------------------------------------------------------------------------------- the caller

static void rouse(thud_pool *p)
{
    if (atomic_load(&p->sleepers) > 0) {
        pthread_mutex_lock(&p->lock);
        pthread_cond_broadcast(&p->wake);
        pthread_mutex_unlock(&p->lock);
    }
}

static int pieces(int count, int size) // of at most that size
{
    return (count + size - 1) / size;
}

// As many indices for each of as many threads as there are shares for, and in each queue shares alike.
static void fill_queues(thud_pool *p, int count, int least)
{
    const int fair = pieces(count, SHARES * p->threads), share = fair > least ? fair : least;
    const int shares = pieces(count, share), parts = shares < p->threads ? shares : p->threads;
    const int each = pieces(count, parts);
    p->share = pieces(each, pieces(each, share));
    for (int i = 0; i < p->threads; i++) {
        const int64_t first = i < parts ? (int64_t)count * i / parts : count;
        p->queue[i].end = i < parts ? (int)((int64_t)count * (i + 1) / parts) : count;
        atomic_store_explicit(&p->queue[i].next, (int)first, memory_order_relaxed);
    }
}

// Until those inside have left: awake for a while, then asleep.
static void wait_for_workers(thud_pool *p)
{
    for (int i = 0; i < PATIENCE * p->spins; i++) {
        if (!(atomic_load_explicit(&p->gate, memory_order_acquire) & INSIDE)) {
            return;
        }
        RELAX();
    }
    pthread_mutex_lock(&p->lock);
    if (atomic_fetch_or(&p->gate, AWAITED) & INSIDE) { // the last of them sees it
        while (atomic_load_explicit(&p->gate, memory_order_acquire) & INSIDE) {
            pthread_cond_wait(&p->left, &p->lock);
        }
    }
    atomic_fetch_and(&p->gate, ~AWAITED);
    pthread_mutex_unlock(&p->lock);
}

void thud_pool_run_shares(thud_pool *p, int count, int least, thud_pool_work work, void *of)
{
    const uint64_t closed = atomic_load_explicit(&p->gate, memory_order_relaxed);
    THUD_ASSERT(!(closed & (OPEN | INSIDE)));
    p->work = work;
    p->of = of;
    p->core = this_core();
    fill_queues(p, count, least);
    atomic_store(&p->gate, closed + TURN + OPEN);
    rouse(p);
    take_shares(p, 0);
    atomic_fetch_sub(&p->gate, OPEN);
    wait_for_workers(p);
}

typedef struct search { // for largest values
    thud_pool_find find;
    const void *of;
    int values;
    double most[THUD_POOL_THREADS][THUD_POOL_VALUES]; // by each worker
} search;

static void raise_to(int values, const double *here, double *most)
{
    for (int i = 0; i < values; i++) {
        most[i] = here[i] > most[i] ? here[i] : most[i];
    }
}

static void search_some(void *of, int first, int end, int worker)
{
    search *s = of;
    double here[THUD_POOL_VALUES] = {0};
    s->find(s->of, first, end, here);
    raise_to(s->values, here, s->most[worker]);
}

void thud_pool_most(thud_pool *pool, int count, int least, thud_pool_find find, const void *of, int values,
                    double *most)
{
    const int threads = thud_pool_threads(pool);
    search s = {.find = find, .of = of, .values = values};
    THUD_ASSERT(values <= THUD_POOL_VALUES);
    thud_pool_run(pool, count, least, search_some, &s);
    for (int i = 0; i < values; i++) {
        most[i] = 0;
    }
    for (int i = 0; i < threads; i++) {
        raise_to(values, s.most[i], most);
    }
}

int thud_pool_threads(const thud_pool *p)
{
    return p ? p->threads : 1;
}

// ---------------------------------------------------------------------------------------------- life

thud_status thud_pool_create(int threads, thud_pool **out)
{
    *out = NULL;
    if (threads < 0 || threads > THUD_POOL_THREADS) {
        return THUD_BAD_ARGUMENT;
    }
    const int cores = thud_cores(), most = cores < THUD_POOL_THREADS ? cores : THUD_POOL_THREADS;
    const int wanted = threads == 0 ? most : threads;
    if (wanted == 1) {
        return THUD_OK;
    }
    thud_pool *p = thud_alloc(1, sizeof *p);
    if (!p) {
        return THUD_NO_MEMORY;
    }
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->left, NULL);
    p->spins = wanted <= cores ? SPINS : 0;
    for (p->threads = 1; p->threads < wanted; p->threads++) {
        member *m = &p->member[p->threads];
        *m = (member){p, p->threads, 0};
        if (pthread_create(&p->thread[p->threads], NULL, live, m) != 0) {
            break;
        }
    }
    *out = p;
    return THUD_OK;
}

void thud_pool_destroy(thud_pool *p)
{
    if (!p) {
        return;
    }
    pthread_mutex_lock(&p->lock);
    atomic_store(&p->leaving, true);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
    for (int i = 1; i < p->threads; i++) {
        pthread_join(p->thread[i], NULL);
    }
    pthread_cond_destroy(&p->wake);
    pthread_cond_destroy(&p->left);
    pthread_mutex_destroy(&p->lock);
    thud_free(p);
}
