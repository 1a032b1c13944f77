// Stencils over a grid, rows divided among the harts, with a barrier per step: integer heat flow with a
// threshold, the game of life, and a median filter whose sorting network uses branches.
#include "rt.h"

#define N 96
#define STEPS 12

static int32_t heat[2][N][N];
static uint8_t life[2][N][N];
static uint8_t image[2][N][N];
static uint32_t sums[MAX_HARTS];

static NOINLINE void heat_row(int from, uint32_t i)
{
    for (uint32_t j = 1; j + 1 < N; j++) {
        int32_t c = heat[from][i][j];
        int32_t flow = heat[from][i - 1][j] + heat[from][i + 1][j] + heat[from][i][j - 1] + heat[from][i][j + 1] - 4 * c;
        // Small differences do not flow, hot cells lose more.
        if (flow > -64 && flow < 64)
            flow = 0;
        else if (c > 60000)
            flow -= (c - 60000) >> 4;
        heat[!from][i][j] = c + flow / 8;
    }
}

static NOINLINE void life_row(int from, uint32_t i)
{
    uint32_t up = i ? i - 1 : N - 1, down = i + 1 < N ? i + 1 : 0;
    for (uint32_t j = 0; j < N; j++) {
        uint32_t left = j ? j - 1 : N - 1, right = j + 1 < N ? j + 1 : 0;
        int n = life[from][up][left] + life[from][up][j] + life[from][up][right] + life[from][i][left] +
                life[from][i][right] + life[from][down][left] + life[from][down][j] + life[from][down][right];
        switch (n) {
        case 2: life[!from][i][j] = life[from][i][j]; break;
        case 3: life[!from][i][j] = 1; break;
        default: life[!from][i][j] = 0;
        }
    }
}

static NOINLINE uint8_t median(const uint8_t *a, const uint8_t *b, const uint8_t *c)
{
    uint8_t v[9] = {a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]};
    for (int i = 1; i < 9; i++) {
        uint8_t x = v[i];
        int j = i;
        for (; j > 0 && v[j - 1] > x; j--)
            v[j] = v[j - 1];
        v[j] = x;
    }
    return v[4];
}

static NOINLINE void median_row(int from, uint32_t i)
{
    for (uint32_t j = 1; j + 1 < N; j++)
        image[!from][i][j] = median(&image[from][i - 1][j - 1], &image[from][i][j - 1], &image[from][i + 1][j - 1]);
}

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)arg;
    uint32_t lo, hi;
    share(N, hart, harts, &lo, &hi);
    uint32_t inner_lo = lo ? lo : 1, inner_hi = hi < N ? hi : N - 1;
    for (int step = 0; step < STEPS; step++) {
        int from = step & 1;
        for (uint32_t i = inner_lo; i < inner_hi; i++)
            heat_row(from, i);
        for (uint32_t i = lo; i < hi; i++)
            life_row(from, i);
        if (step < 2)
            for (uint32_t i = inner_lo; i < inner_hi; i++)
                median_row(from, i);
        barrier();
    }
    uint32_t sum = 0;
    for (uint32_t i = lo; i < hi; i++)
        for (uint32_t j = 0; j < N; j++)
            sum += mix(mix(i * N + j, (uint32_t)heat[0][i][j]), (uint32_t)life[0][i][j] << 8 | image[0][i][j]);
    sums[hart] = sum;
}

int main(void)
{
    uint32_t s = rand_seed(9);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++) {
            bool edge = i == 0 || j == 0 || i + 1 == N || j + 1 == N;
            int32_t t = edge ? 20000 : rand_below(&s, 40) ? (int32_t)rand_below(&s, 30000) : 90000;
            heat[0][i][j] = heat[1][i][j] = t;
            life[0][i][j] = rand_below(&s, 3) == 0;
            // A ramp with salt-and-pepper noise.
            uint8_t v = (uint8_t)(rand_below(&s, 12) ? i + j : rand_next(&s) >> 31 ? 255 : 0);
            image[0][i][j] = image[1][i][j] = v;
        }
    parallel(work, NULL);

    uint32_t noisy = 0, sum = 0;
    for (uint32_t i = 2; i + 2 < N; i++)
        for (uint32_t j = 2; j + 2 < N; j++) {
            int32_t off = (int32_t)image[0][i][j] - (int32_t)(i + j);
            noisy += off > 6 || off < -6;
        }
    check(noisy < 40, "the median filter takes the noise off");
    for (int h = 0; h < MAX_HARTS; h++)
        sum += sums[h];
    return report("stencil", sum, 0xeada63ab);
}
