/* A recursion deeper than the frames that views report, and back; small frames that a routine saves for their functions */
#include "stacks.h"

static NOINLINE int down(int n)
{
    int below = n ? down(n - 1) : 0;
    if (n % 1000 == 0)
        work(2);
    return below + 1;
}

int main(void)
{
    for (int i = 2; i < 7; i += 3)
        if (down(i * 1000) != i * 1000 + 1)
            return 1;
    return 0;
}
