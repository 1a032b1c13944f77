// Fourier transform and its inverse, radix 2, a barrier per stage; checked against the input
#include "parallel.h"

typedef struct { double re, im; } number;
static number *data, *twiddle, *before;
static int bits;

// cos and sin by repeated halving and complex products: the result does not depend on a library's rounding
static void roots(long n) {
    number power[32];
    double c = -1, s = 0;
    for (int i = 1; (1l << i) <= n; i++) {
        power[i] = (number){c, -s};
        double half = sqrt((1 + c) / 2);
        s = i == 1 ? 1 : s / (2 * half);
        c = i == 1 ? 0 : half;
    }
    for (long i = 0; i < n / 2; i++) {
        number w = {1, 0};
        for (int b = 0; 2l << b <= n; b++)
            if (i >> b & 1) {
                number f = power[bits - b];
                w = (number){w.re * f.re - w.im * f.im, w.re * f.im + w.im * f.re};
            }
        twiddle[i] = w;
    }
}

static void transform(int id, int back) {
    long n = 1l << bits, from, to;
    if (id == 0)
        for (long i = 1, j = 0; i < n; i++) {
            long bit = n >> 1;
            for (; j & bit; bit >>= 1) j ^= bit;
            j |= bit;
            if (i < j) {
                number t = data[i];
                data[i] = data[j], data[j] = t;
            }
        }
    meet();
    share(id, n / 2, &from, &to);
    for (int stage = 0; stage < bits; stage++) {
        long half = 1l << stage;
        for (long k = from; k < to; k++) {
            long low = (k >> stage << (stage + 1)) | (k & (half - 1)), high = low + half;
            number w = twiddle[(k & (half - 1)) << (bits - 1 - stage)], a = data[low], b = data[high];
            if (back) w.im = -w.im;
            number p = {b.re * w.re - b.im * w.im, b.re * w.im + b.im * w.re};
            data[low] = (number){a.re + p.re, a.im + p.im};
            data[high] = (number){a.re - p.re, a.im - p.im};
        }
        meet();
    }
}

static uint32_t sum;
static void work(int id) {
    transform(id, 0);
    if (id == 0) sum = mix(MIX, data, sizeof(number) << bits);
    meet();
    transform(id, 1);
}

int main(int argc, char **argv) {
    begin(argc, argv, 16);
    bits = size;
    if (bits > 22) fail("2^22 numbers at most");
    long n = 1l << bits;
    data = space(n, sizeof *data), before = space(n, sizeof *before), twiddle = space(n, sizeof *twiddle);
    uint64_t seed = 7;
    for (long i = 0; i < n; i++) before[i] = data[i] = (number){unit(&seed) - 0.5, unit(&seed) - 0.5};
    roots(n);
    parallel(work);
    for (long i = 0; i < n; i++)
        if (fabs(data[i].re / n - before[i].re) + fabs(data[i].im / n - before[i].im) > 1e-9) fail("back again");
    return done("fft", sum);
}
