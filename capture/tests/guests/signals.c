/* Signal handlers: for a signal from the program itself, a fault that the handler repairs, one left by siglongjmp, an
 * illegal instruction that is skipped, and two signals at the same time. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int seen[65], faults;
static char *page;
static sigjmp_buf back;

static void count(int s) { seen[s]++; }

static void fault(int s, siginfo_t *info, void *context) {
    seen[s]++;
    if (faults++ == 0)
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
    else
        siglongjmp(back, 1);
}

static void action(int s, void (*plain)(int), void (*full)(int, siginfo_t *, void *)) {
    struct sigaction a = {0};
    if (full) {
        a.sa_sigaction = full;
        a.sa_flags = SA_SIGINFO;
    } else
        a.sa_handler = plain;
    sigaction(s, &a, 0);
}

int main(void) {
    action(SIGUSR1, count, 0);
    action(SIGUSR2, count, 0);
    action(SIGSEGV, 0, fault);
    for (int i = 0; i < 3; i++)
        raise(SIGUSR1);
    count(SIGUSR1); /* a handler that is called as an ordinary function */
    page = mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    volatile int sum = 0;
    for (int i = 0; i < 5; i++) {
        page[i] = i;
        sum += page[i] + 1;
    }
    if (sigsetjmp(back, 1) == 0)
        *(volatile int *)8 = 1;
    sigset_t both, old;
    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    sigprocmask(SIG_BLOCK, &both, &old);
    raise(SIGUSR1);
    raise(SIGUSR2);
    sigprocmask(SIG_SETMASK, &old, 0); /* both at once: one handler interrupts the other at its start */
    char line[64];
    int n = snprintf(line, sizeof line, "%d %d %d %d\n", seen[SIGUSR1], seen[SIGUSR2], seen[SIGSEGV], sum);
    return write(1, line, n) == n ? 0 : 1;
}
