// How long each core holds a lock: from the return of mutex_lock to the call of mutex_unlock. A lost event may have been either,
// so that nothing is known of a core after a loss until it takes a lock again: what is printed happened.
#include "diag.h"

DIAG_MESSAGE(held, "%s held for %d, from %u on");

static struct {
    uint32_t lock, since;
} taken[16]; // by core; a lock at address 0: none is known

DIAG_ON(takes, "ret:mutex_lock", "arg0, time")
{
    taken[diag_core(e)].lock = e->args[0];
    taken[diag_core(e)].since = e->time;
}

DIAG_ON(gives, "call:mutex_unlock", "arg0, time")
{
    uint32_t lock = e->args[0], core = diag_core(e);
    if (!e->lost && taken[core].lock == lock)
        DIAG_SAY(e, held, lock, e->time - taken[core].since, taken[core].since);
    taken[core].lock = 0;
}
