// Matrix product of 32-bit integers, three ways: row by column, blocked, and with the second matrix
// transposed. Loop nests with long trip counts and a data-dependent tail (sparse rows are skipped).
#include "rt.h"

#define N 120
#define BLOCK 24

static int32_t a[N][N], b[N][N], bt[N][N];
static int32_t c[3][N][N];
static uint32_t sums[MAX_HARTS];

static void fill(void)
{
    uint32_t s = rand_seed(1);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            // A quarter of a's elements are zero: the skip in `plain` is a real decision.
            a[i][j] = rand_below(&s, 4) ? (int32_t)rand_below(&s, 2001) - 1000 : 0;
            b[i][j] = (int32_t)rand_below(&s, 2001) - 1000;
        }
}

static NOINLINE void plain(uint32_t lo, uint32_t hi)
{
    for (uint32_t i = lo; i < hi; i++) {
        for (int k = 0; k < N; k++) {
            int32_t x = a[i][k];
            if (x == 0)
                continue;
            for (int j = 0; j < N; j++)
                c[0][i][j] += x * b[k][j];
        }
    }
}

static NOINLINE void blocked(uint32_t lo, uint32_t hi)
{
    for (int kk = 0; kk < N; kk += BLOCK)
        for (int jj = 0; jj < N; jj += BLOCK)
            for (uint32_t i = lo; i < hi; i++)
                for (int j = jj; j < jj + BLOCK; j++) {
                    int32_t sum = 0;
                    for (int k = kk; k < kk + BLOCK; k++)
                        sum += a[i][k] * b[k][j];
                    c[1][i][j] += sum;
                }
}

static NOINLINE void transposed(uint32_t lo, uint32_t hi)
{
    for (uint32_t i = lo; i < hi; i++)
        for (int j = 0; j < N; j++) {
            int32_t sum = 0;
            for (int k = 0; k < N; k++)
                sum += a[i][k] * bt[j][k];
            c[2][i][j] = sum;
        }
}

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)arg;
    uint32_t lo, hi;
    share(N, hart, harts, &lo, &hi);
    for (uint32_t i = lo; i < hi; i++)
        for (int j = 0; j < N; j++)
            bt[j][i] = b[i][j];
    barrier();
    plain(lo, hi);
    barrier();
    blocked(lo, hi);
    barrier();
    transposed(lo, hi);
    barrier();
    // Elements are weighted by their index, so the order of harts does not matter.
    uint32_t sum = 0;
    for (uint32_t i = lo; i < hi; i++)
        for (uint32_t j = 0; j < N; j++) {
            check(c[0][i][j] == c[1][i][j] && c[0][i][j] == c[2][i][j], "the three products are equal");
            sum += (uint32_t)c[0][i][j] * (2 * (i * N + j) + 1);
        }
    sums[hart] = sum;
}

// a (b v) = c v for a random v: fails to detect an error only with negligible probability.
static bool freivalds(void)
{
    uint32_t s = rand_seed(2);
    static uint32_t v[N], bv[N];
    for (int i = 0; i < N; i++)
        v[i] = rand_next(&s);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            bv[i] += (uint32_t)b[i][j] * v[j];
    for (int i = 0; i < N; i++) {
        uint32_t left = 0, right = 0;
        for (int j = 0; j < N; j++) {
            left += (uint32_t)a[i][j] * bv[j];
            right += (uint32_t)c[0][i][j] * v[j];
        }
        if (left != right)
            return false;
    }
    return true;
}

int main(void)
{
    fill();
    parallel(work, NULL);
    check(freivalds(), "the product times a vector");
    uint32_t sum = 0;
    for (int h = 0; h < MAX_HARTS; h++)
        sum += sums[h];
    return report("matmul", sum, 0x962b0439);
}
