/* Threads that share memory with a mutex, with atomics and without either; created and joined twice. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile long guarded;
_Atomic long counted;
_Atomic int small;
volatile long racing;
static long own[16];

static _Atomic int arrived;
static int threads;

static void *work(void *which) {
    long me = (long)which;
    /* all of them work at the same time, however late the host starts them */
    int round = atomic_fetch_add(&arrived, 1) / threads + 1;
    while (atomic_load(&arrived) < round * threads)
        ;
    for (int i = 0; i < 300; i++) {
        if (i % 30 == 0) {
            while (pthread_mutex_trylock(&lock))
                ; /* busy waiting: a thread that sleeps in the kernel does not wait for a turn */
            guarded++;
            pthread_mutex_unlock(&lock);
        }
        atomic_fetch_add(&counted, me);
        atomic_fetch_xor(&small, i);
        racing = racing + 1;
        own[me] += racing & 7;
    }
    return 0;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4;
    pthread_t t[16];
    threads = n;
    for (int round = 0; round < 2; round++) {
        for (long i = 0; i < n; i++)
            pthread_create(&t[i], 0, work, (void *)i);
        for (int i = 0; i < n; i++)
            pthread_join(t[i], 0);
    }
    printf("%ld %ld\n", guarded, counted);
    return 0;
}
