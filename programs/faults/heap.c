/* An allocator, and a program that leaks, frees twice, reads a freed block and writes after the end of one; without `WRONG`, none of it */
#include "faults.h"
#include <stddef.h>

struct head {
    size_t size;
    struct head *next;
};

static char arena[4096] __attribute__((aligned(16)));
static size_t used;
static struct head *spare;
static volatile int sum;

NOINLINE void *malloc(size_t size)
{
    size = (size + 15) & ~(size_t)15;
    for (struct head **at = &spare; *at; at = &(*at)->next)
        if ((*at)->size == size) {
            struct head *found = *at;
            *at = found->next;
            return found + 1;
        }
    if (used + size + sizeof(struct head) > sizeof arena)
        return NULL;
    struct head *new = (struct head *)(arena + used);
    used += size + sizeof *new;
    new->size = size;
    return new + 1;
}

NOINLINE void free(void *block)
{
    if (!block)
        return;
    struct head *head = (struct head *)block - 1;
    head->next = spare;
    spare = head;
}

NOINLINE void *realloc(void *block, size_t size)
{
    int *new = malloc(size);
    int *old = block;
    if (old)
        for (size_t i = 0; i < size / 4 && i < ((struct head *)block - 1)->size / 4; i++)
            new[i] = old[i];
    free(block);
    return new;
}

static NOINLINE int *numbers(int n)
{
    int *all = malloc(n * sizeof *all);
    for (int i = 0; i < n; i++)
        all[i] = i;
    return all;
}

static NOINLINE void keep(int n)
{
    int *all = numbers(n);
    sum += all[n - 1];
#ifndef WRONG
    free(all);
#endif
}

static NOINLINE void late(void)
{
    int *all = numbers(5);
    free(all);
#ifdef WRONG
    sum += all[2];
    free(all);
#endif
}

static NOINLINE void over(void)
{
    int *all = numbers(4);
    all = realloc(all, 8 * sizeof *all);
#ifdef WRONG
    all[8] = 1;
#else
    all[7] = 1;
#endif
    free(all);
}

int main(int hart)
{
    if (hart)
        return 0;
    for (int i = 1; i < 5; i++)
        keep(3 * i);
    over();
    late();
    return 0;
}
