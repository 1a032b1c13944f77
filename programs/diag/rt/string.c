// Functions that the compiler calls for copies and comparisons of memory; linked only where they are called

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    char *t = to;
    for (const char *f = from; n; n--)
        *t++ = *f++;
    return to;
}

void *memmove(void *to, const void *from, size_t n)
{
    if ((size_t)to - (size_t)from >= n)
        return memcpy(to, from, n);
    char *t = to;
    for (const char *f = from; n; n--)
        t[n - 1] = f[n - 1];
    return to;
}

void *memset(void *to, int value, size_t n)
{
    for (char *t = to; n; n--)
        *t++ = value;
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    for (const unsigned char *x = a, *y = b; n; n--, x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}
