/* A recursion that does not end: the stack of hart 0 grows into the variables below it, then out of RAM */
#include "faults.h"

static volatile int sink;

NOINLINE int recurse(volatile int *p, int n)
{
    volatile int frame[64];
    frame[n & 63] = n;
    sink = frame[0];
    return n < 1 << 30 ? recurse(frame, n + 1) + *p : 0;
}

int main(int hart)
{
    volatile int x = hart;
    return hart ? 0 : recurse(&x, 0);
}
