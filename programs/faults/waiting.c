/* Hart 0 waits for a flag that nobody sets, in a loop that calls a function; the others wait for interrupts */
#include "faults.h"

volatile int flag;

static NOINLINE int ready(void)
{
    return flag;
}

static NOINLINE void wait_for_flag(void)
{
    while (!ready())
        ;
}

int main(int hart)
{
    for (int i = 0; i < 10; i++)
        if (hart == 0)
            flag = i & 1;
    if (hart == 0) {
        flag = 0;
        wait_for_flag();
    }
    return 0;
}
