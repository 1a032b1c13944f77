// Conjugate gradients on a sparse matrix of rows of uneven length; checked by the residual
#include "parallel.h"

enum { STEPS = 25, MOST = 12 };
static int *column, *length;
static double *value, *x, *r, *p, *q, *b, *part;
static double dot_result;

// sums of rows in slices of fixed size, so that the result does not depend on the number of threads
enum { PIECE = 64 };
static double dot(int id, const double *u, const double *v) {
    long from, to, pieces = (size + PIECE - 1) / PIECE;
    share(id, pieces, &from, &to);
    for (long k = from; k < to; k++) {
        double sum = 0;
        for (long i = k * PIECE; i < (k + 1) * PIECE && i < size; i++) sum += u[i] * v[i];
        part[k] = sum;
    }
    meet();
    if (id == 0) {
        dot_result = 0;
        for (long k = 0; k < pieces; k++) dot_result += part[k];
    }
    meet();
    double result = dot_result;
    meet();
    return result;
}

static void product(int id, const double *in, double *out) {
    long from, to;
    share(id, size, &from, &to);
    for (long i = from; i < to; i++) {
        double sum = 0;
        for (int k = 0; k < length[i]; k++) sum += value[i * MOST + k] * in[column[i * MOST + k]];
        out[i] = sum;
    }
    meet();
}

static void work(int id) {
    long from, to;
    share(id, size, &from, &to);
    double rho = dot(id, r, r);
    for (int step = 0; step < STEPS; step++) {
        product(id, p, q);
        double alpha = rho / dot(id, p, q);
        for (long i = from; i < to; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
        meet();
        double next = dot(id, r, r), beta = next / rho;
        rho = next;
        for (long i = from; i < to; i++) p[i] = r[i] + beta * p[i];
        meet();
    }
}

int main(int argc, char **argv) {
    begin(argc, argv, 6000);
    column = space((long)size * MOST, sizeof *column), length = space(size, sizeof *length);
    value = space((long)size * MOST, sizeof *value);
    double **vector[] = {&x, &r, &p, &q, &b, &part};
    for (int i = 0; i < 6; i++) *vector[i] = space(size, sizeof(double));
    uint64_t seed = 3;
    // symmetric: an entry and its mirror; the diagonal is larger than the sum of its row
    for (int i = 0; i < size; i++) column[i * MOST] = i, value[i * MOST] = 1, length[i] = 1;
    for (long tries = 4l * size; tries--;) {
        int i = next_random(&seed) % size, j = next_random(&seed) % size;
        if (i == j || length[i] == MOST || length[j] == MOST) continue;
        double v = unit(&seed) - 0.5;
        column[i * MOST + length[i]] = j, value[i * MOST + length[i]++] = v;
        column[j * MOST + length[j]] = i, value[j * MOST + length[j]++] = v;
        value[i * MOST] += fabs(v), value[j * MOST] += fabs(v);
    }
    for (int i = 0; i < size; i++) b[i] = r[i] = p[i] = unit(&seed) - 0.5;
    parallel(work);
    double worst = 0;
    for (int i = 0; i < size; i++) {
        double sum = 0;
        for (int k = 0; k < length[i]; k++) sum += value[i * MOST + k] * x[column[i * MOST + k]];
        worst = fmax(worst, fabs(sum - b[i]));
    }
    if (!(worst < 1e-4)) fail("residual");
    return done("cg", mix(MIX, x, size * sizeof *x));
}
