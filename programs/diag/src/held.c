// How long each core holds a lock: from the return of mutex_lock to the call of mutex_unlock. A lost event may have been either.
// A generator reports a loss with the event that leaves next, which may be older than the loss by all that wait in its FIFO. So
// nothing is printed of a core until that many of its events have come without a loss: what is printed happened.
#include "diag.h"

DIAG_MESSAGE(held, "%s held for %d, from %u on");

#define FIFO 18 // events that may wait in a generator: 16 in its FIFO, and two

static struct {
    uint32_t lock, since; // a lock at address 0: none is known
    uint32_t doubtful;    // next events
} taken[16]; // by core

static void count_losses(const struct diag_event *e)
{
    uint32_t core = diag_core(e);
    if (e->lost)
        taken[core].doubtful = FIFO;
    else if (taken[core].doubtful)
        taken[core].doubtful--;
}

DIAG_ON(takes, "ret:mutex_lock", "arg0, time")
{
    count_losses(e);
    taken[diag_core(e)].lock = e->args[0];
    taken[diag_core(e)].since = e->time;
}

DIAG_ON(gives, "call:mutex_unlock", "arg0, time")
{
    uint32_t lock = e->args[0], core = diag_core(e);
    count_losses(e);
    if (!taken[core].doubtful && taken[core].lock == lock)
        DIAG_SAY(e, held, lock, e->time - taken[core].since, taken[core].since);
    taken[core].lock = 0;
}
