/* turns steps: identical threads, with a barrier after each step.
   turns places: the affinity of a thread is unchanged, or the one that it has set. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 4, STEPS = 20, WORK = 20000 };
static pthread_barrier_t barrier;
static cpu_set_t before;

static void *steps(void *unused) {
    volatile long sum = 0;
    for (int step = 0; step < STEPS; step++) {
        for (long i = 0; i < WORK; i++)
            sum += i;
        pthread_barrier_wait(&barrier);
    }
    return unused;
}

static void same(const cpu_set_t *wanted, int code) {
    cpu_set_t now;
    if (sched_getaffinity(0, sizeof now, &now) || !CPU_EQUAL(&now, wanted))
        exit(code);
}

static void *places(void *which) {
    steps(0);
    same(&before, 3);
    if (!which) {
        /* the affinity that it sets is kept */
        cpu_set_t one;
        CPU_ZERO(&one);
        int last = CPU_SETSIZE - 1;
        while (!CPU_ISSET(last, &before))
            last--;
        CPU_SET(last, &one);
        if (sched_setaffinity(0, sizeof one, &one))
            exit(4);
        steps(0);
        same(&one, 5);
    } else {
        steps(0);
        same(&before, 6);
    }
    return 0;
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    if (argc != 2)
        return 2;
    sched_getaffinity(0, sizeof before, &before);
    pthread_barrier_init(&barrier, 0, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&threads[i], 0, strcmp(argv[1], "places") ? steps : places, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], 0);
    /* the affinity of a child process is unchanged, too */
    int status = 0;
    if (!fork()) {
        same(&before, 7);
        _exit(0);
    }
    wait(&status);
    return WEXITSTATUS(status);
}
