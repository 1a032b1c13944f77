// Sorts N numbers twice, with calls through a table of functions.
#define N 8000
static unsigned a[N], seed = 1;
static int up(unsigned x, unsigned y) { return x < y; }
static int down(unsigned x, unsigned y) { return x > y; }
static int (*const orders[])(unsigned, unsigned) = { up, down };

static void sort(unsigned *v, int n, int (*before)(unsigned, unsigned))
{
    if (n < 2)
        return;
    unsigned pivot = v[n / 2];
    int i = 0, j = n - 1;
    for (;; i++, j--) {
        while (before(v[i], pivot)) i++;
        while (before(pivot, v[j])) j--;
        if (i >= j) break;
        unsigned t = v[i]; v[i] = v[j]; v[j] = t;
    }
    sort(v, i, before);
    sort(v + i, n - i, before);
}

int main(void)
{
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++)
            a[i] = (seed = seed * 1103515245u + 12345u) >> 8;
        sort(a, N, orders[round]);
    }
    return 0;
}
