// Floating point, single and double: linear equations with iterative refinement, a Fourier transform, compensated
// sums, a table of conversions and rounding modes. Each hart has its own part; the result is compared bit by bit.
#include "rt.h"

#define N 24
#define POINTS 256

static double matrix[MAX_HARTS][N][N];
static uint32_t results[MAX_HARTS];

static uint32_t mix_double(uint32_t h, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return mix(mix(h, (uint32_t)bits), (uint32_t)(bits >> 32));
}

static double square_root(double v)
{
    double root;
    __asm__("fsqrt.d %0, %1" : "=f"(root) : "f"(v));
    return root;
}

// Gaussian elimination with pivoting in single precision, refined in double.
static uint32_t solve(uint32_t hart, uint32_t seed)
{
    double(*a)[N] = matrix[hart];
    float lu[N][N];
    double b[N], x[N];
    int row[N];
    uint32_t s = rand_seed(seed);
    for (int i = 0; i < N; i++) {
        row[i] = i;
        x[i] = 0;
        b[i] = (double)(int32_t)rand_next(&s) / 65536.0;
        for (int j = 0; j < N; j++) {
            a[i][j] = (double)(int32_t)rand_next(&s) / 2147483648.0;
            lu[i][j] = (float)a[i][j];
        }
    }
    for (int k = 0; k < N; k++) {
        int best = k;
        for (int i = k + 1; i < N; i++)
            if (__builtin_fabsf(lu[row[i]][k]) > __builtin_fabsf(lu[row[best]][k]))
                best = i;
        int swap = row[k];
        row[k] = row[best];
        row[best] = swap;
        for (int i = k + 1; i < N; i++) {
            float f = lu[row[i]][k] / lu[row[k]][k];
            lu[row[i]][k] = f;
            for (int j = k + 1; j < N; j++)
                lu[row[i]][j] -= f * lu[row[k]][j];
        }
    }
    double norm = 0;
    for (int round = 0; round < 4; round++) {
        double r[N];
        norm = 0;
        for (int i = 0; i < N; i++) {
            r[i] = b[i];
            for (int j = 0; j < N; j++)
                r[i] -= a[i][j] * x[j];
            norm += r[i] * r[i];
        }
        float y[N];
        for (int i = 0; i < N; i++) {
            y[i] = (float)r[row[i]];
            for (int j = 0; j < i; j++)
                y[i] -= lu[row[i]][j] * y[j];
        }
        for (int i = N - 1; i >= 0; i--) {
            for (int j = i + 1; j < N; j++)
                y[i] -= lu[row[i]][j] * y[j];
            y[i] /= lu[row[i]][i];
            x[i] += (double)y[i];
        }
    }
    uint32_t h = seed;
    for (int i = 0; i < N; i++)
        h = mix_double(h, x[i]);
    return mix_double(h, square_root(norm));
}

// Rotations by repeated halving of the angle: no sine is needed.
static uint32_t transform(uint32_t seed)
{
    double re[POINTS], im[POINTS];
    uint32_t s = rand_seed(seed);
    for (int i = 0; i < POINTS; i++) {
        re[i] = (double)rand_next(&s) * 0x1p-32;
        im[i] = 0;
    }
    double d = 0;
    for (int half = POINTS / 2; half >= 1; half /= 2) {
        // halves the angle pi until it is pi / half
        double wr = 1, wi = 0, sr = -1, si = 0;
        for (int n = 1; n < half; n *= 2) {
            double cosine = square_root((1 + sr) / 2), sine = square_root((1 - sr) / 2);
            sr = cosine;
            si = -sine;
        }
        for (int k = 0; k < half; k++) {
            for (int i = k; i < POINTS; i += 2 * half) {
                double ar = re[i] - re[i + half], ai = im[i] - im[i + half];
                re[i] += re[i + half];
                im[i] += im[i + half];
                re[i + half] = ar * wr - ai * wi;
                im[i + half] = ar * wi + ai * wr;
            }
            double t = wr * sr - wi * si;
            wi = wr * si + wi * sr;
            wr = t;
        }
        d += wr;
    }
    uint32_t h = mix_double(seed, d);
    for (int i = 0; i < POINTS; i++)
        h = mix_double(mix_double(h, re[i]), im[i]);
    return h;
}

// Every rounding mode; the result includes the exception flags.
static uint32_t convert(uint32_t seed)
{
    uint32_t h = seed, s = rand_seed(seed);
    for (uint32_t i = 0; i < 500; i++) {
        __asm__ volatile("fsrm %0\n\tfsflags zero" ::"r"(i % 5));
        uint64_t bits = (uint64_t)rand_next(&s) << 32 | rand_next(&s);
        // near 1, occasionally any value
        if (i % 8)
            bits = (bits & 0x8fffffffffffffff) | 0x3ff0000000000000;
        double v;
        memcpy(&v, &bits, sizeof v);
        float f = (float)v;
        int64_t n;
        int32_t m;
        __asm__ volatile("fcvt.l.d %0, %1" : "=r"(n) : "f"(v * 1048576.0));
        __asm__ volatile("fcvt.w.s %0, %1" : "=r"(m) : "f"(f * f));
        uint32_t flags;
        __asm__ volatile("frflags %0" : "=r"(flags));
        h = mix(mix(mix(mix_double(h, (double)f / 3.0), (uint32_t)n), (uint32_t)m), flags);
    }
    __asm__ volatile("fsrm zero");
    return h;
}

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    uint32_t lo, hi;
    (void)arg;
    share(MAX_HARTS, hart, harts, &lo, &hi);
    for (uint32_t part = lo; part < hi; part++)
        results[part] = mix(mix(solve(part, part + 1), transform(part + 1)), convert(part + 1));
}

int main(void)
{
    parallel(work, NULL);
    uint32_t h = 0;
    for (uint32_t part = 0; part < MAX_HARTS; part++)
        h = mix(h, results[part]);
    return report("float", h, 0x2600ac2e);
}
