// Recursive sorting: quicksort with a task pool shared by all harts, then merge sort and heap sort of
// each hart's part through comparison functions. Unpredictable branches, deep recursion,
// indirect calls.
#include "rt.h"

#define N 40000
#define SMALL 12        // insertion sort below
#define HANDOVER 1500   // parts at least this long become tasks of their own
#define TASKS 256

static NOINIT uint32_t words[N], copy[N], scratch[N];

// ---- quicksort over a pool of tasks ----

struct task {
    uint32_t lo, hi;
};
static struct {
    lock_t lock;
    uint32_t n;
    struct task task[TASKS];
    volatile uint32_t unsorted; // elements not yet in their final place
} pool;

static void pool_put(uint32_t lo, uint32_t hi)
{
    lock(&pool.lock);
    check(pool.n < TASKS, "the task pool has room");
    pool.task[pool.n++] = (struct task){lo, hi};
    unlock(&pool.lock);
}

static bool pool_get(struct task *t)
{
    bool got = false;
    lock(&pool.lock);
    if (pool.n) {
        *t = pool.task[--pool.n];
        got = true;
    }
    unlock(&pool.lock);
    return got;
}

static void insertion(uint32_t *w, uint32_t lo, uint32_t hi)
{
    for (uint32_t i = lo + 1; i < hi; i++) {
        uint32_t x = w[i], j = i;
        for (; j > lo && w[j - 1] > x; j--)
            w[j] = w[j - 1];
        w[j] = x;
    }
}

static uint32_t median(uint32_t x, uint32_t y, uint32_t z)
{
    if (x < y)
        return y < z ? y : (x < z ? z : x);
    return x < z ? x : (y < z ? z : y);
}

static NOINLINE void quick(uint32_t lo, uint32_t hi)
{
    if (hi - lo <= SMALL) {
        insertion(words, lo, hi);
        atomic_add(&pool.unsorted, lo - hi);
        return;
    }
    uint32_t pivot = median(words[lo], words[lo + (hi - lo) / 2], words[hi - 1]);
    uint32_t i = lo - 1, j = hi;
    for (;;) {
        while (words[++i] < pivot)
            ;
        while (words[--j] > pivot)
            ;
        if (i >= j)
            break;
        uint32_t t = words[i];
        words[i] = words[j];
        words[j] = t;
    }
    uint32_t mid = j + 1;
    if (hi - mid >= HANDOVER)
        pool_put(mid, hi);
    else
        quick(mid, hi);
    quick(lo, mid);
}

// ---- merge sort and heap sort through a comparison function ----

typedef int compare_fn(uint32_t x, uint32_t y);

static int ascending(uint32_t x, uint32_t y)
{
    return x < y ? -1 : x > y;
}
static int by_low_half(uint32_t x, uint32_t y)
{
    int r = ascending(x & 0xffff, y & 0xffff);
    return r ? r : ascending(x, y);
}
static int by_reversed_nibbles(uint32_t x, uint32_t y)
{
    for (int i = 0; i < 32; i += 4) {
        int r = (int)(x >> i & 15) - (int)(y >> i & 15);
        if (r)
            return r;
    }
    return 0;
}
static compare_fn *const compare[] = {ascending, by_low_half, by_reversed_nibbles};

static NOINLINE void merge_sort(uint32_t *w, uint32_t *tmp, uint32_t n, compare_fn *cmp)
{
    if (n < 2)
        return;
    uint32_t half = n / 2;
    merge_sort(w, tmp, half, cmp);
    merge_sort(w + half, tmp, n - half, cmp);
    memcpy(tmp, w, half * sizeof *w);
    for (uint32_t i = 0, j = half, k = 0; i < half; k++)
        w[k] = j < n && cmp(w[j], tmp[i]) < 0 ? w[j++] : tmp[i++];
}

static void sift(uint32_t *w, uint32_t i, uint32_t n, compare_fn *cmp)
{
    uint32_t x = w[i];
    for (uint32_t child; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n && cmp(w[child], w[child + 1]) < 0)
            child++;
        if (cmp(x, w[child]) >= 0)
            break;
        w[i] = w[child];
    }
    w[i] = x;
}

static NOINLINE void heap_sort(uint32_t *w, uint32_t n, compare_fn *cmp)
{
    for (uint32_t i = n / 2; i-- > 0;)
        sift(w, i, n, cmp);
    while (n > 1) {
        uint32_t t = w[0];
        w[0] = w[--n];
        w[n] = t;
        sift(w, 0, n, cmp);
    }
}

static void check_sorted(const uint32_t *w, uint32_t n, compare_fn *cmp)
{
    for (uint32_t i = 1; i < n; i++)
        check(cmp(w[i - 1], w[i]) <= 0, "the words are in order");
}

#define BLOCKS 8

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)arg;
    struct task t;
    while (atomic_load(&pool.unsorted))
        if (pool_get(&t))
            quick(t.lo, t.hi);
    barrier();
    for (uint32_t block = hart; block < BLOCKS; block += harts) {
        uint32_t lo, hi;
        share(N, block, BLOCKS, &lo, &hi);
        compare_fn *cmp = compare[block % 3];
        if (block & 1)
            heap_sort(copy + lo, hi - lo, cmp);
        else
            merge_sort(copy + lo, scratch + lo, hi - lo, cmp);
        check_sorted(copy + lo, hi - lo, cmp);
    }
}

int main(void)
{
    uint32_t s = rand_seed(3), sum = 0, copy_sum = 0, h = 0;
    for (uint32_t i = 0; i < N; i++) {
        // Some keys are equal, some runs are already in order.
        words[i] = rand_below(&s, 8) ? rand_next(&s) : i * 100;
        copy[i] = words[i];
        sum += words[i] * words[i];
    }
    pool.unsorted = N;
    pool_put(0, N);
    parallel(work, NULL);
    check_sorted(words, N, ascending);
    for (uint32_t i = 0; i < N; i++) {
        sum -= words[i] * words[i];
        copy_sum += copy[i] ^ words[i];
        h = mix(h, words[i]);
        h = mix(h, copy[i]);
    }
    check(sum == 0, "the words are those that were there");
    return report("qsort", h + copy_sum, 0x4337b895);
}
