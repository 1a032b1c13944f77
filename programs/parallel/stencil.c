// Heat flow on a plate with cold edges, Jacobi iteration with a barrier per step; checked for decay and symmetry
#include "parallel.h"

enum { STEPS = 40 };
static double *now, *next;
static double first;

static void work(int id) {
    long from, to;
    share(id, size - 2, &from, &to);
    double *in = now, *out = next;
    for (int step = 0; step < STEPS; step++) {
        for (long i = from + 1; i <= to; i++)
            for (long j = 1; j < size - 1; j++) {
                const double *at = &in[i * size + j];
                out[i * size + j] = at[0] + 0.2 * (at[-1] + at[1] + at[-size] + at[size] - 4 * at[0]);
            }
        meet();
        double *swap = in;
        in = out, out = swap;
    }
}

int main(int argc, char **argv) {
    begin(argc, argv, 160);
    now = space((long)size * size, sizeof *now), next = space((long)size * size, sizeof *next);
    // a product of parabolas
    for (int i = 1; i < size - 1; i++)
        for (int j = 1; j < size - 1; j++)
            now[(long)i * size + j] = 16.0 * i * (size - 1 - i) * j * (size - 1 - j) / pow(size - 1, 4);
    first = now[(long)(size / 2) * size + size / 2];
    parallel(work);
    double last = now[(long)(size / 2) * size + size / 2];
    if (!(last < first && last > 0.8 * first)) fail("decay");
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            double off = now[(long)i * size + j] - now[(long)(size - 1 - i) * size + size - 1 - j];
            if (fabs(off) > 1e-9) fail("symmetry");
        }
    return done("stencil", mix(MIX, now, (long)size * size * sizeof *now));
}
