// Shared code of the parallel programs: arguments, threads, a barrier, random numbers, a checksum
//
//     PROGRAM [THREADS [SIZE]]
//
// A program does its work with 1 to 16 threads, checks the result, prints `name: result HEX ok` and ends with code 0.
// Each floating-point number is computed by one thread in a fixed order, so the line is the same for any number of
// threads and on every machine with IEEE 754 arithmetic (built with -ffp-contract=off).
#ifndef PARALLEL_H
#define PARALLEL_H
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 16 };

static int threads = 4;
static int size;
static pthread_barrier_t barrier;

/// Waits for all threads.
static inline void meet(void) { pthread_barrier_wait(&barrier); }

static inline void fail(const char *what) {
    fprintf(stderr, "check failed: %s\n", what);
    exit(2);
}

/// Allocates zeroed memory.
static inline void *space(size_t count, size_t bytes) {
    void *memory = calloc(count ? count : 1, bytes);
    if (!memory) fail("memory");
    return memory;
}

/// xorshift64*
static inline uint64_t next_random(uint64_t *state) {
    uint64_t x = *state;
    x ^= x >> 12, x ^= x << 25, x ^= x >> 27;
    return (*state = x) * 0x2545f4914f6cdd1dull;
}

/// Random number from 0 to 1.
static inline double unit(uint64_t *state) { return (double)(next_random(state) >> 11) * 0x1p-53; }

/// FNV-1a
static inline uint32_t mix(uint32_t sum, const void *data, size_t bytes) {
    const unsigned char *at = data;
    while (bytes--) sum = (sum ^ *at++) * 16777619u;
    return sum;
}
enum { MIX = 0x811c9dc5 };

/// Thread `id`'s share of `count`: [*from, *to).
static inline void share(int id, long count, long *from, long *to) {
    *from = count * id / threads;
    *to = count * (id + 1) / threads;
}

static void (*worker)(int);

static void *start(void *id) {
    worker((int)(intptr_t)id);
    return 0;
}

/// Reads the arguments.
static inline void begin(int argc, char **argv, int usual) {
    threads = argc > 1 ? atoi(argv[1]) : 4;
    size = argc > 2 ? atoi(argv[2]) : usual;
    if (threads < 1 || threads > MOST_THREADS || size < 2 || size > 1 << 24) {
        fprintf(stderr, "usage: PROGRAM [THREADS [SIZE]]; 1 to %d threads\n", MOST_THREADS);
        exit(2);
    }
}

/// Runs `work` on all threads.
static inline void parallel(void (*work)(int)) {
    pthread_t thread[MOST_THREADS];
    worker = work;
    pthread_barrier_init(&barrier, 0, threads);
    for (intptr_t id = 1; id < threads; id++)
        if (pthread_create(&thread[id], 0, start, (void *)id)) fail("a thread");
    work(0);
    for (int id = 1; id < threads; id++) pthread_join(thread[id], 0);
    pthread_barrier_destroy(&barrier);
}

static inline int done(const char *name, uint32_t result) {
    printf("%s: result %08x ok\n", name, result);
    return 0;
}
#endif
