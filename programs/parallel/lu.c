// Blocked dense LU factorisation without pivoting, of a diagonally dominant matrix; checked by a product with the factors
#include "parallel.h"

enum { BLOCK = 16 };
static double *a, *before;
static int n;
#define A(i, j) a[(long)(i)*n + (j)]

static int owner(int i, int j) { return (i + j * 3) % threads; }

// factorises a block on the diagonal
static void diagonal(int k) {
    for (int p = k; p < k + BLOCK; p++)
        for (int i = p + 1; i < k + BLOCK; i++) {
            A(i, p) /= A(p, p);
            for (int j = p + 1; j < k + BLOCK; j++) A(i, j) -= A(i, p) * A(p, j);
        }
}

static void below(int i, int k) {
    for (int p = k; p < k + BLOCK; p++)
        for (int r = i; r < i + BLOCK; r++) {
            A(r, p) /= A(p, p);
            for (int j = p + 1; j < k + BLOCK; j++) A(r, j) -= A(r, p) * A(p, j);
        }
}

static void right(int k, int j) {
    for (int p = k; p < k + BLOCK; p++)
        for (int r = p + 1; r < k + BLOCK; r++)
            for (int c = j; c < j + BLOCK; c++) A(r, c) -= A(r, p) * A(p, c);
}

static void inner(int i, int j, int k) {
    for (int r = i; r < i + BLOCK; r++)
        for (int p = k; p < k + BLOCK; p++) {
            double f = A(r, p);
            for (int c = j; c < j + BLOCK; c++) A(r, c) -= f * A(p, c);
        }
}

static void work(int id) {
    for (int k = 0; k < n; k += BLOCK) {
        int b = k / BLOCK, blocks = n / BLOCK;
        if (owner(b, b) == id) diagonal(k);
        meet();
        for (int i = b + 1; i < blocks; i++) {
            if (owner(i, b) == id) below(i * BLOCK, k);
            if (owner(b, i) == id) right(k, i * BLOCK);
        }
        meet();
        for (int i = b + 1; i < blocks; i++)
            for (int j = b + 1; j < blocks; j++)
                if (owner(i, j) == id) inner(i * BLOCK, j * BLOCK, k);
        meet();
    }
}

int main(int argc, char **argv) {
    begin(argc, argv, 192);
    n = (size + BLOCK - 1) / BLOCK * BLOCK;
    a = space((long)n * n, sizeof *a), before = space((long)n * n, sizeof *before);
    uint64_t seed = 5;
    for (long i = 0; i < (long)n * n; i++) a[i] = before[i] = unit(&seed) + (i % (n + 1) ? 0 : n);
    parallel(work);
    // L U x = A x
    double *x = space(n, sizeof *x), *y = space(n, sizeof *y);
    for (int i = 0; i < n; i++) x[i] = unit(&seed);
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++) y[i] += A(i, j) * x[j];
    for (int i = 0; i < n; i++) {
        double left = y[i], right_side = 0;
        for (int j = 0; j < i; j++) left += A(i, j) * y[j];
        for (int j = 0; j < n; j++) right_side += before[(long)i * n + j] * x[j];
        if (fabs(left - right_side) > 1e-8 * n) fail("product");
    }
    return done("lu", mix(MIX, a, (long)n * n * sizeof *a));
}
