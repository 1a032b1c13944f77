/* A store that no memory takes, without a handler; a counter that is stored often and changes three times before */
#include "stacks.h"

volatile int counter;

static NOINLINE void crash(volatile int *p)
{
    *p = 1;
}

int main(void)
{
    for (int i = 0; i < 300; i++)
        counter = 1 + i / 150;
    counter = 3;
    crash((int *)0x40000000);
    return 0;
}
