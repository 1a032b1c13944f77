/* A parser keeps each message that it rejects: the heap is full after some time */
#include "faults.h"
#include <stddef.h>

static char arena[2048] __attribute__((aligned(16)));
static struct block {
    struct block *next;
} *spare;
static size_t used;
static volatile int accepted;

NOINLINE void *malloc(size_t size)
{
    struct block *found = spare;
    size = 64;
    if (found) {
        spare = found->next;
        return found;
    }
    if (used + size > sizeof arena)
        return NULL;
    used += size;
    return arena + used - size;
}

NOINLINE void free(void *block)
{
    struct block *freed = block;
    freed->next = spare;
    spare = freed;
}

static NOINLINE char *receive(int n)
{
    char *message = malloc(32);
    if (message)
        message[0] = n % 10;
    return message;
}

static NOINLINE int parse(int n)
{
    char *message = receive(n);
    if (!message)
        return -1;
    if (message[0] == 7)
        return 0;
    accepted++;
    free(message);
    return 0;
}

int main(int hart)
{
    if (hart)
        return 0;
    for (int n = 0; n < 1000; n++)
        if (parse(n))
            return 3;
    return 0;
}
