// Four threads that write to neighbouring words.
#include <pthread.h>
#include <stdio.h>

#define N 8000
static unsigned a[N], total[4];

static void *part(void *p)
{
    int t = (int)(long)p;
    for (int round = 0; round < 4; round++)
        for (int i = t; i < N; i += 4)
            total[t] += (a[i] = a[i] * 1664525u + i) >> 7;
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    for (long t = 0; t < 4; t++)
        pthread_create(&threads[t], 0, part, (void *)t);
    for (int t = 0; t < 4; t++)
        pthread_join(threads[t], 0);
    printf("%u\n", total[0] + total[1] + total[2] + total[3]);
    return 0;
}
