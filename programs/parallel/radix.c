// Radix sort, least significant digit first: a histogram per thread, their sums, a scatter; checked for order and sum
#include "parallel.h"

enum { BITS = 8, DIGITS = 1 << BITS };
static uint32_t *keys, *other;
static long count[MOST_THREADS][DIGITS];

static void work(int id) {
    long from, to;
    share(id, size, &from, &to);
    uint32_t *in = keys, *out = other;
    for (int shift = 0; shift < 32; shift += BITS) {
        memset(count[id], 0, sizeof count[id]);
        for (long i = from; i < to; i++) count[id][in[i] >> shift & (DIGITS - 1)]++;
        meet();
        if (id == 0) {
            long place = 0;
            for (int digit = 0; digit < DIGITS; digit++)
                for (int t = 0; t < threads; t++) {
                    long n = count[t][digit];
                    count[t][digit] = place;
                    place += n;
                }
        }
        meet();
        for (long i = from; i < to; i++) out[count[id][in[i] >> shift & (DIGITS - 1)]++] = in[i];
        meet();
        uint32_t *swap = in;
        in = out, out = swap;
    }
}

int main(int argc, char **argv) {
    begin(argc, argv, 600000);
    keys = space(size, sizeof *keys), other = space(size, sizeof *other);
    uint64_t seed = 11, before = 0, after = 0;
    for (long i = 0; i < size; i++) before += keys[i] = (uint32_t)(next_random(&seed) >> 32);
    parallel(work);
    for (long i = 0; i < size; i++) {
        after += keys[i];
        if (i && keys[i - 1] > keys[i]) fail("order");
    }
    if (before != after) fail("sum");
    return done("radix", mix(MIX, keys, size * sizeof *keys));
}
