// Lock contention (paper 004, 5.2): acquisitions, cycles and longest wait by lock, reported at the end; builtin:locks as a program
#include "diag.h"

#define LOCKS 32

DIAG_MESSAGE(lock, "%s: count %d, sum %d, max %d");
DIAG_MESSAGE(other, "other locks: count %d, sum %d");

static struct {
    uint32_t lock, count, sum, max;
} locks[LOCKS];
static uint32_t used, others, others_sum;

DIAG_ON(acquired, "ret:mutex_lock", "arg0, elapsed")
{
    uint32_t lock = e->args[0], clocks = e->args[1], n = 0;
    while (n < used && locks[n].lock != lock)
        n++;
    if (n == LOCKS) {
        others++;
        others_sum += clocks;
        return;
    }
    if (n == used)
        locks[used++].lock = lock;
    locks[n].count++;
    locks[n].sum += clocks;
    if (clocks > locks[n].max)
        locks[n].max = clocks;
}

DIAG_END
{
    for (uint32_t n = 0; n < used; n++)
        DIAG_SAY(e, lock, locks[n].lock, locks[n].count, locks[n].sum, locks[n].max);
    if (others)
        DIAG_SAY(e, other, others, others_sum);
}
