// LU decomposition modulo a prime, rows divided among the harts, one barrier per step; then the solution of
// A x = b and the product L U as checks. A banded matrix with zeros makes pivoting a real decision.
#include "rt.h"

#define N 104
#define P 65521u // the largest prime below 2^16: products fit 32 bits

static uint32_t a[N][N], lu[N][N];
static uint32_t perm[N]; // row perm[i] of a is row i of lu
static uint32_t swaps, inverse;
static volatile uint32_t bad_rows;

static uint32_t power(uint32_t x, uint32_t e)
{
    uint32_t r = 1;
    for (; e; e >>= 1, x = x * x % P)
        if (e & 1)
            r = r * x % P;
    return r;
}

static void fill(void)
{
    uint32_t s = rand_seed(4);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < N; j++) {
            uint32_t far = i > j ? i - j : j - i;
            // Dense near the diagonal, sparse elsewhere, with some zeros on the diagonal.
            bool zero = far > 8 ? rand_below(&s, 4) != 0 : rand_below(&s, 3) == 0;
            a[i][j] = zero ? 0 : 1 + rand_below(&s, P - 1);
            lu[i][j] = a[i][j];
        }
    for (uint32_t i = 0; i < N; i++)
        perm[i] = i;
}

static void pivot(uint32_t k)
{
    uint32_t row = k;
    while (row < N && lu[row][k] == 0)
        row++;
    check(row < N, "the matrix is not singular");
    if (row != k) {
        for (uint32_t j = 0; j < N; j++) {
            uint32_t t = lu[row][j];
            lu[row][j] = lu[k][j];
            lu[k][j] = t;
        }
        uint32_t t = perm[row];
        perm[row] = perm[k];
        perm[k] = t;
        swaps++;
    }
    inverse = power(lu[k][k], P - 2);
}

static NOINLINE void eliminate(uint32_t i, uint32_t k)
{
    if (lu[i][k] == 0)
        return;
    uint32_t factor = lu[i][k] * inverse % P;
    lu[i][k] = factor;
    for (uint32_t j = k + 1; j < N; j++)
        if (lu[k][j])
            lu[i][j] = (lu[i][j] + (P - lu[k][j]) * factor) % P;
}

// Row i of L U is row perm[i] of A.
static NOINLINE bool row_is_right(uint32_t i)
{
    for (uint32_t j = 0; j < N; j++) {
        uint32_t sum = i <= j ? lu[i][j] : 0;
        for (uint32_t k = 0; k < i && k <= j; k++)
            sum = (sum + lu[i][k] * lu[k][j]) % P;
        if (sum != a[perm[i]][j])
            return false;
    }
    return true;
}

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)arg;
    for (uint32_t k = 0; k < N; k++) {
        if (k % harts == hart)
            pivot(k);
        barrier();
        for (uint32_t i = k + 1; i < N; i++)
            if (i % harts == hart)
                eliminate(i, k);
        barrier();
    }
    for (uint32_t i = hart; i < N; i += harts)
        if (!row_is_right(i))
            atomic_add(&bad_rows, 1);
}

// Solves A x = b for b = (1, 2, 3, ...) and returns a checksum of x.
static uint32_t solve(void)
{
    static uint32_t x[N];
    for (uint32_t i = 0; i < N; i++) {
        uint32_t sum = perm[i] + 1;
        for (uint32_t k = 0; k < i; k++)
            sum = (sum + (P - lu[i][k]) * x[k]) % P;
        x[i] = sum;
    }
    for (uint32_t i = N; i-- > 0;) {
        uint32_t sum = x[i];
        for (uint32_t k = i + 1; k < N; k++)
            sum = (sum + (P - lu[i][k]) * x[k]) % P;
        x[i] = sum * power(lu[i][i], P - 2) % P;
    }
    uint32_t h = swaps;
    for (uint32_t i = 0; i < N; i++) {
        uint32_t sum = 0;
        for (uint32_t j = 0; j < N; j++)
            sum = (sum + a[i][j] * x[j]) % P;
        check(sum == i + 1, "A x is b");
        h = mix(h, x[i]);
    }
    return h;
}

int main(void)
{
    fill();
    parallel(work, NULL);
    check(bad_rows == 0, "L U is the matrix");
    uint32_t det = swaps & 1 ? P - 1 : 1;
    for (uint32_t i = 0; i < N; i++)
        det = det * lu[i][i] % P;
    check(det != 0, "the determinant is not 0");
    return report("lu", mix(solve(), det), 0x75c67469);
}
