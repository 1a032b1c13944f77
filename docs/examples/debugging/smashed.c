/* A name that is longer than its buffer: the return address is overwritten, and the error shows where the function returns */
#include "faults.h"

static volatile char shown[8];

static NOINLINE void copy(char *to, const char *from)
{
    while ((*to = *from)) {
        to++;
        from++;
    }
}

static NOINLINE void show(const char *name)
{
    char line[8];
    copy(line, name);
    for (int i = 0; i < 8; i++)
        shown[i] = line[i];
}

int main(int hart)
{
    if (hart)
        return 0;
    show("bolt");
    show("a washer of 12 mm, zinc plated, in bags of 100");
    return 0;
}
