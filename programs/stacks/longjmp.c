/* Frames that never return: fifty jumps out of a recursion, some of them out of a handler that has enabled nothing */
#include "stacks.h"

static struct context place;

static NOINLINE void deep(int n)
{
    if (n == 0)
        restore_context(&place, 7);
    work(3);
    deep(n - 1);
    work(1);
}

static NOINLINE void attempt(int i)
{
    if (save_context(&place) == 0)
        deep(i % 7 + 1);
    work(5);
}

int main(void)
{
    for (int i = 0; i < 50; i++)
        attempt(i);
    work(10);
    return 0;
}
