// Radix sort of key and payload, least significant digit first: histograms of every hart's part, a prefix
// sum over digits and harts, a stable scatter, with barriers between them. Then most significant digit
// first, in place and recursive ("American flag"), on a copy.
#include "rt.h"

#define N 30000
#define DIGITS 256

struct item {
    uint32_t key, payload;
};
static NOINIT struct item items[2][N], flag[N];
static uint32_t histogram[MAX_HARTS][DIGITS];
static uint32_t sums[MAX_HARTS];

static NOINLINE void count(const struct item *from, uint32_t lo, uint32_t hi, uint32_t shift, uint32_t *h)
{
    memset(h, 0, DIGITS * sizeof *h);
    for (uint32_t i = lo; i < hi; i++)
        h[from[i].key >> shift & 255]++;
}

static NOINLINE void scatter(const struct item *from, struct item *to, uint32_t lo, uint32_t hi, uint32_t shift,
                             uint32_t *place)
{
    for (uint32_t i = lo; i < hi; i++)
        to[place[from[i].key >> shift & 255]++] = from[i];
}

static NOINLINE void american_flag(struct item *w, uint32_t n, uint32_t shift)
{
    if (n < 24) {
        for (uint32_t i = 1; i < n; i++) {
            struct item x = w[i];
            uint32_t j = i;
            for (; j > 0 && w[j - 1].key > x.key; j--)
                w[j] = w[j - 1];
            w[j] = x;
        }
        return;
    }
    uint16_t end[DIGITS], next[DIGITS];
    memset(end, 0, sizeof end);
    for (uint32_t i = 0; i < n; i++)
        end[w[i].key >> shift & 255]++;
    for (uint32_t d = 0, at = 0; d < DIGITS; d++) {
        next[d] = (uint16_t)at;
        at += end[d];
        end[d] = (uint16_t)at;
    }
    for (uint32_t d = 0; d < DIGITS; d++)
        while (next[d] < end[d]) {
            struct item x = w[next[d]];
            uint32_t to = x.key >> shift & 255;
            if (to == d) {
                next[d]++;
                continue;
            }
            w[next[d]] = w[next[to]];
            w[next[to]++] = x;
        }
    if (shift)
        for (uint32_t d = 0, start = 0; d < DIGITS; start = end[d++])
            if (end[d] - start > 1)
                american_flag(w + start, end[d] - start, shift - 8);
}

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)arg;
    uint32_t lo, hi;
    share(N, hart, harts, &lo, &hi);
    for (uint32_t pass = 0; pass < 4; pass++) {
        const struct item *from = items[pass & 1];
        struct item *to = items[~pass & 1];
        uint32_t place[DIGITS];
        count(from, lo, hi, 8 * pass, histogram[hart]);
        barrier();
        for (uint32_t d = 0, at = 0; d < DIGITS; d++)
            for (uint32_t h = 0; h < harts; h++) {
                if (h == hart)
                    place[d] = at;
                at += histogram[h][d];
            }
        barrier();
        scatter(from, to, lo, hi, 8 * pass, place);
        barrier();
    }
    // Eight parts for any number of harts, so that the result does not depend on it.
    for (uint32_t part = hart; part < 8; part += harts) {
        share(N, part, 8, &lo, &hi);
        american_flag(flag + lo, hi - lo, 24);
        for (uint32_t i = lo; i < hi; i++) {
            check(i == lo || flag[i - 1].key <= flag[i].key, "the parts are in order");
            sums[hart] += mix(i, flag[i].key);
        }
    }
}

int main(void)
{
    uint32_t s = rand_seed(8), before = 0, after = 0, h = 0;
    for (uint32_t i = 0; i < N; i++) {
        // Keys of very different sizes, with repetitions.
        uint32_t key = rand_next(&s) >> rand_below(&s, 25);
        items[0][i] = (struct item){key, i};
        flag[i] = items[0][i];
        before += mix(key, i);
    }
    parallel(work, NULL);
    for (uint32_t i = 0; i < N; i++) {
        const struct item *x = &items[0][i];
        if (i) {
            check(x[-1].key <= x->key, "the keys are in order");
            check(x[-1].key < x->key || x[-1].payload < x->payload, "the sort is stable");
        }
        after += mix(x->key, x->payload);
        h = mix(h, x->payload);
    }
    check(before == after, "the items are those that were there");
    for (int i = 0; i < MAX_HARTS; i++)
        h += sums[i];
    return report("radix", h, 0x9d21b75c);
}
