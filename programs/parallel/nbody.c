// N-body simulation with a tree of cells (Barnes-Hut): one thread builds it, all walk it; checked against the sum over all pairs
#include "parallel.h"

enum { STEPS = 3 };
typedef struct { double at[3], speed[3], pull[3], mass; } body;
typedef struct { double centre[3], half, mass, middle[3]; int child[8]; } cell; // child: 0 none, > 0 cell, < 0 body
static body *bodies;
static cell *cells;
static int used;

static int new_cell(const double *centre, double half) {
    cell *c = &cells[++used];
    memset(c, 0, sizeof *c);
    memcpy(c->centre, centre, sizeof c->centre);
    c->half = half;
    return used;
}

static int octant(const cell *c, const double *at) {
    return (at[0] > c->centre[0]) | (at[1] > c->centre[1]) << 1 | (at[2] > c->centre[2]) << 2;
}

static void insert(int place, int b, int depth) {
    for (;; depth++) {
        if (depth > 60 || used + 2 >= 8 * size) fail("the tree's depth");
        cell *c = &cells[place];
        int o = octant(c, bodies[b].at), *child = &c->child[o];
        if (*child == 0) {
            *child = -1 - b;
            return;
        }
        if (*child < 0) {
            int old = -1 - *child;
            double centre[3];
            for (int d = 0; d < 3; d++) centre[d] = c->centre[d] + (o >> d & 1 ? 0.5 : -0.5) * c->half;
            *child = new_cell(centre, c->half / 2);
            insert(*child, old, depth + 1);
        }
        place = *child;
    }
}

static void weigh(int place) {
    cell *c = &cells[place];
    for (int i = 0; i < 8; i++) {
        const double *at;
        double mass;
        if (c->child[i] == 0) continue;
        if (c->child[i] > 0) {
            weigh(c->child[i]);
            at = cells[c->child[i]].middle, mass = cells[c->child[i]].mass;
        } else {
            at = bodies[-1 - c->child[i]].at, mass = bodies[-1 - c->child[i]].mass;
        }
        for (int d = 0; d < 3; d++) c->middle[d] += mass * at[d];
        c->mass += mass;
    }
    for (int d = 0; d < 3; d++) c->middle[d] /= c->mass;
}

static void pull(body *b, const double *at, double mass, double *sum) {
    double way[3], square = 1e-4;
    for (int d = 0; d < 3; d++) way[d] = at[d] - b->at[d], square += way[d] * way[d];
    double force = mass / (square * sqrt(square));
    for (int d = 0; d < 3; d++) sum[d] += force * way[d];
}

static void walk(body *b, int place) {
    cell *c = &cells[place];
    double square = 0;
    for (int d = 0; d < 3; d++) square += (c->middle[d] - b->at[d]) * (c->middle[d] - b->at[d]);
    if (4 * c->half * c->half < 0.25 * square) {
        pull(b, c->middle, c->mass, b->pull);
        return;
    }
    for (int i = 0; i < 8; i++) {
        if (c->child[i] > 0) walk(b, c->child[i]);
        if (c->child[i] < 0 && &bodies[-1 - c->child[i]] != b)
            pull(b, bodies[-1 - c->child[i]].at, bodies[-1 - c->child[i]].mass, b->pull);
    }
}

static int next_group;
static void work(int id) {
    for (int step = 0; step < STEPS; step++) {
        if (id == 0) {
            double zero[3] = {0, 0, 0}, half = 0;
            for (int i = 0; i < size; i++)
                for (int d = 0; d < 3; d++) half = fmax(half, fabs(bodies[i].at[d]));
            used = 0;
            int root = new_cell(zero, half * 1.01);
            for (int i = 0; i < size; i++) insert(root, i, 0);
            weigh(root);
            next_group = 0;
        }
        meet();
        // bodies in groups of 8, to the next free thread
        for (int group; (group = __atomic_fetch_add(&next_group, 8, __ATOMIC_RELAXED)) < size;)
            for (int i = group; i < group + 8 && i < size; i++) {
                memset(bodies[i].pull, 0, sizeof bodies[i].pull);
                walk(&bodies[i], 1);
            }
        meet();
        long from, to;
        share(id, size, &from, &to);
        // the last forces are kept, to be checked at the final positions
        if (step + 1 < STEPS)
            for (long i = from; i < to; i++)
                for (int d = 0; d < 3; d++) {
                    bodies[i].speed[d] += 1e-4 * bodies[i].pull[d];
                    bodies[i].at[d] += 1e-4 * bodies[i].speed[d];
                }
        meet();
    }
}

int main(int argc, char **argv) {
    begin(argc, argv, 1200);
    bodies = space(size, sizeof *bodies), cells = space(8l * size + 8, sizeof *cells);
    uint64_t seed = 17;
    for (int i = 0; i < size; i++) {
        bodies[i].mass = 1.0 / size;
        for (int d = 0; d < 3; d++) bodies[i].at[d] = 2 * unit(&seed) - 1;
    }
    parallel(work);
    double off = 0, all = 0;
    for (int i = 0; i < size; i += 37) {
        double sum[3] = {0, 0, 0};
        for (int j = 0; j < size; j++)
            if (j != i) pull(&bodies[i], bodies[j].at, bodies[j].mass, sum);
        for (int d = 0; d < 3; d++) off += fabs(sum[d] - bodies[i].pull[d]), all += fabs(sum[d]);
    }
    if (!(off < 0.03 * all)) fail("forces");
    uint32_t result = MIX;
    for (int i = 0; i < size; i++) result = mix(result, bodies[i].pull, sizeof bodies[i].pull);
    return done("nbody", result);
}
