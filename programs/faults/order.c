/* Two locks that two harts take in opposite order; with `SAME`, in the same order */
#include "faults.h"

int first, second;
static volatile int n;

static NOINLINE void forwards(void)
{
    lock(&first);
    for (int i = 0; i < 20; i++)
        n++;
    lock(&second);
    n++;
    unlock(&second);
    unlock(&first);
}

static NOINLINE void backwards(void)
{
    lock(&second);
    for (int i = 0; i < 20; i++)
        n++;
    lock(&first);
    n++;
    unlock(&first);
    unlock(&second);
}

#ifdef SAME
/* opposite orders, one hart after the other: what can end in a deadlock does not in this run */
static struct barrier done;

int main(int hart)
{
    if (hart == 0)
        forwards();
    meet(&done, 2);
    if (hart == 1)
        backwards();
    meet(&done, 2);
    return 0;
}
#else
int main(int hart)
{
    for (int i = 0; i < 100; i++) {
        if (hart)
            backwards();
        else
            forwards();
    }
    return 0;
}
#endif
