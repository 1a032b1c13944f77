/* Two harts count parcels. One path of `deliver` reads the count before it takes the lock: an update is lost in few schedules */
#include "faults.h"

static int guard;
static volatile int delivered;
static struct barrier done;

static NOINLINE void deliver(int heavy)
{
    if (heavy) {
        int before = delivered;
        lock(&guard);
        delivered = before + 1;
        unlock(&guard);
        return;
    }
    lock(&guard);
    delivered++;
    unlock(&guard);
}

/* as long as the weight says, which differs between runs */
static NOINLINE uint32_t pack(uint32_t weight)
{
    for (volatile uint32_t i = weight >> 21; i; i--)
        ;
    return weight * 1664525 + 1013904223;
}

int main(int hart)
{
    uint32_t weight;
    __asm__ volatile("csrr %0, mcycle" : "=r"(weight));
    for (int n = 0; n < 50; n++) {
        weight = pack(weight);
        deliver(hart == 1 && n == 20);
    }
    meet(&done, 2);
    return delivered != 100;
}
