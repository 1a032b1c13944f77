/* Routines to trace alone: one that threads share and that calls another, one that continues in the next, one that is
 * interrupted by its own fault; and names that are in two files, inlined, or without a symbol. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

unsigned other(unsigned x);
unsigned front(unsigned x, unsigned *to), behind(unsigned x, unsigned *to);

volatile unsigned own[16];
static char *page;
static _Atomic int arrived;

__attribute__((noinline)) unsigned leaf(unsigned x) { return x * 2654435761u >> 7; }

/* a local symbol, in both files; with -x it is only in the debug information */
static __attribute__((noinline)) unsigned twice(unsigned x) {
    own[15] = x;
    return 2 * x + own[15];
}

static inline __attribute__((always_inline)) unsigned nowhere(unsigned x) { return x * own[14] + 7; }

__attribute__((noinline)) unsigned work(unsigned me, unsigned n) {
    unsigned sum = me;
    for (unsigned i = 0; i < n; i++) {
        sum += leaf(sum ^ i);
        if (sum & 1)
            sum = sum * 3 + 1;
        own[me] += sum;
    }
    return sum;
}

__attribute__((noinline)) void faulty(void) {
    for (int i = 0; i < 3; i++)
        page[i] = i + own[1];
}

static void mend(int s) { mprotect(page, 4096, PROT_READ | PROT_WRITE); }

static void *thread(void *which) {
    long me = (long)which;
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < 3)
        ; /* all threads work at the same time */
    for (int i = 0; i < 20; i++)
        own[me] ^= work(me, 10 + 3 * me);
    return 0;
}

#ifdef __riscv
/* two routines in one QEMU block */
asm(".text\n"
    ".globl front, behind\n"
    ".type front, @function\n"
    "front: lw a2, 0(a1)\n"
    "add a0, a0, a2\n"
    ".size front, .-front\n"
    ".type behind, @function\n"
    "behind: sw a0, 0(a1)\n"
    "lw a2, 0(a1)\n"
    "add a0, a0, a2\n"
    "ret\n"
    ".size behind, .-behind\n"
    ".type endless, @function\n"
    "endless: j endless\n");
#else
unsigned front(unsigned x, unsigned *to) { return behind(x + *to, to); }
unsigned behind(unsigned x, unsigned *to) { return x + (*to = x); }
#endif

int main(void) {
    pthread_t t[3];
    unsigned at = 5, sum = 0;
    for (int i = 0; i < 9; i++)
        sum += front(i, &at) + behind(sum, &at) + twice(i) + nowhere(i) + other(i);
    struct sigaction a = {.sa_handler = mend};
    sigaction(SIGSEGV, &a, 0);
    page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    faulty();
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, thread, (void *)(i + 1));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    printf("%u %u %u %u\n", sum, own[1], own[2], own[3]);
    return 0;
}
