/* A wrong result of a computation over three functions, and of a value that another hart made: what `why` explains */
#include "faults.h"

static volatile int input = 5, scale, result, unrelated;
static struct barrier ready;

static NOINLINE int twice(int x)
{
    return x * 2;
}

static NOINLINE void prepare(void)
{
    for (int i = 0; i < 3; i++)
        unrelated += i;
    scale = input + 2;
}

int main(int hart)
{
    if (hart == 1)
        prepare();
    meet(&ready, 2);
    if (hart == 0) {
        int a = twice(scale);
        unrelated = a;
        result = a + 100;
    }
    meet(&ready, 2);
    return 0;
}
