// A rare race: one update in 32 on hart 1 is done without the lock. Each hart waits for a random time between its updates,
// and the random numbers are seeded with the time, so that runs differ by when they start.
#include "rt.h"

#define ROUNDS 8

static lock_t guard;
static volatile uint32_t balance;

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)harts;
    (void)arg;
    uint32_t random = rand_seed((uint32_t)timer_now() * MAX_HARTS + hart);
    for (int i = 0; i < ROUNDS; i++) {
        for (volatile uint32_t n = rand_below(&random, 60); n; n--)
            ;
        if (hart == 1 && rand_below(&random, 32) == 0) {
            balance = balance + 1; // the bug
            continue;
        }
        lock(&guard);
        balance = balance + 1;
        unlock(&guard);
    }
}

int main(void)
{
    parallel(work, NULL);
    uint32_t lost = hart_count() * ROUNDS - balance;
    uart_puts("race: ");
    uart_putdec(lost);
    uart_puts(" updates lost\n");
    return lost != 0;
}
