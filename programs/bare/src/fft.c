// Fixed-point fast Fourier transform; each stage is divided among the harts and ends with a barrier. A signal of
// a few tones is transformed, its peaks are found, small bins are cleared, and it is transformed back.
// The sine table comes from CORDIC rotations.
#include "rt.h"

#define LOG2_N 11
#define N (1 << LOG2_N)
#define ROUNDS 5

struct complex {
    int32_t re, im; // 16.15 fixed point
};
static struct complex x[N], signal[N];
static struct complex twiddle[N / 2]; // e^(-2 pi i k / N), 30 fraction bits
static uint32_t sums[MAX_HARTS];
static volatile uint32_t kept;

// cos and sin of k/N of a turn, 30 fraction bits, for k in the first quarter turn.
static NOINLINE struct complex cordic(uint32_t k)
{
    // atan(2^-i) in 2^-32 of a turn.
    static const int32_t angle[] = {0x20000000, 0x12e4051e, 0x09fb385b, 0x051111d4, 0x028b0d43, 0x0145d7e1,
                                    0x00a2f61e, 0x00517c55, 0x0028be53, 0x00145f2f, 0x000a2f98, 0x000517cc,
                                    0x00028be6, 0x000145f3, 0x0000a2fa, 0x0000517d, 0x000028be, 0x0000145f,
                                    0x00000a30, 0x00000518, 0x0000028c, 0x00000146, 0x000000a3, 0x00000051};
    int32_t c = 0x26dd3b6a, s = 0, left = (int32_t)(k << (32 - LOG2_N)); // c: the product of the cosines
    for (int i = 0; i < 24; i++) {
        int32_t dc = s >> i, ds = c >> i;
        if (left >= 0) {
            c -= dc;
            s += ds;
            left -= angle[i];
        } else {
            c += dc;
            s -= ds;
            left += angle[i];
        }
    }
    return (struct complex){c, s};
}

static void make_twiddles(uint32_t lo, uint32_t hi)
{
    for (uint32_t k = lo; k < hi; k++) {
        bool second = k >= N / 4;
        struct complex w = cordic(second ? k - N / 4 : k);
        twiddle[k] = second ? (struct complex){-w.im, -w.re} : (struct complex){w.re, -w.im};
    }
}

static int32_t scale(int32_t v, int32_t by)
{
    return (int32_t)(((int64_t)v * by + (1 << 29)) >> 30);
}

static uint32_t reversed(uint32_t i)
{
    uint32_t r = 0;
    for (int b = 0; b < LOG2_N; b++, i >>= 1)
        r = r << 1 | (i & 1);
    return r;
}

// In place; each stage halves the values, so the result is the transform divided by N.
static NOINLINE void transform(uint32_t hart, uint32_t harts, bool back)
{
    uint32_t lo, hi;
    share(N, hart, harts, &lo, &hi);
    for (uint32_t i = lo; i < hi; i++) {
        uint32_t j = reversed(i);
        if (i < j) {
            struct complex t = x[i];
            x[i] = x[j];
            x[j] = t;
        }
    }
    barrier();
    share(N / 2, hart, harts, &lo, &hi);
    for (uint32_t half = 1, step = N / 2; half < N; half *= 2, step /= 2) {
        for (uint32_t b = lo; b < hi; b++) {
            uint32_t k = b & (half - 1), i = (b - k) * 2 + k;
            struct complex w = twiddle[k * step], u = x[i], v = x[i + half];
            int32_t wi = back ? -w.im : w.im;
            int32_t re = scale(v.re, w.re) - scale(v.im, wi), im = scale(v.re, wi) + scale(v.im, w.re);
            x[i] = (struct complex){(u.re + re) >> !back, (u.im + im) >> !back};
            x[i + half] = (struct complex){(u.re - re) >> !back, (u.im - im) >> !back};
        }
        barrier();
    }
}

static uint32_t size(struct complex v)
{
    uint32_t re = (uint32_t)(v.re < 0 ? -v.re : v.re), im = (uint32_t)(v.im < 0 ? -v.im : v.im);
    return re > im ? re + im / 2 : im + re / 2;
}

static void make_signal(uint32_t lo, uint32_t hi, uint32_t round)
{
    for (uint32_t i = lo; i < hi; i++) {
        uint32_t random = rand_seed(round * N + i);
        int32_t v = (int32_t)rand_below(&random, 401) - 200; // noise
        for (uint32_t tone = 0; tone < 4; tone++) {
            uint32_t phase = i * (37 + 113 * tone + 50 * round) % N;
            v += (phase < N / 2 ? twiddle[phase].re : -twiddle[phase - N / 2].re) >> (17 + tone);
        }
        signal[i] = (struct complex){v << 3, 0};
        x[i] = signal[i];
    }
}

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)arg;
    uint32_t lo, hi, sum = 0;
    share(N / 2, hart, harts, &lo, &hi);
    make_twiddles(lo, hi);
    barrier();
    share(N, hart, harts, &lo, &hi);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        make_signal(lo, hi, round);
        barrier();
        transform(hart, harts, false);
        for (uint32_t i = lo; i < hi; i++) {
            if (size(x[i]) < 400)
                x[i] = (struct complex){0, 0};
            else {
                atomic_add(&kept, 1);
                sum += mix(mix(i, (uint32_t)x[i].re), (uint32_t)x[i].im);
            }
        }
        barrier();
        transform(hart, harts, true);
        for (uint32_t i = lo; i < hi; i++) {
            int32_t off = x[i].re - signal[i].re;
            check(off > -2600 && off < 2600, "only the noise is gone");
            sum += mix(mix(i, (uint32_t)x[i].re), (uint32_t)x[i].im);
        }
        barrier();
    }
    sums[hart] = sum;
}

int main(void)
{
    parallel(work, NULL);
    check(kept == 2 * 4 * ROUNDS, "each tone makes two peaks");
    uint32_t sum = 0;
    for (int h = 0; h < MAX_HARTS; h++)
        sum += sums[h];
    return report("fft", sum, 0xcd2fd8bb);
}
