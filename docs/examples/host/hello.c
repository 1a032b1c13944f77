// A program of a C library: picolibc starts it, prints by semihosting and ends it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

int main(void) {
    enum { N = 1000 };
    int *v = malloc(N * sizeof *v);
    double roots = 0;
    for (int i = 0; i < N; i++) v[i] = i * 7919 % 1009;
    qsort(v, N, sizeof *v, ascending);
    for (int i = 0; i < N; i++) roots += sqrt(v[i]);
    printf("median %d, sum of roots %.6f\n", v[N / 2], roots);
    return v[0];
}
