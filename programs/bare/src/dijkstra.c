// Shortest paths over a road-like grid with a few long-distance edges: Dijkstra with a binary heap for
// many sources, divided among the harts, and Bellman-Ford over the same graph as a check for some of them.
#include "rt.h"

#define SIDE 20
#define N (SIDE * SIDE)
#define DEGREE 6
#define SOURCES 40
#define CHECKED 5 // every this many sources
#define FAR 0x3fffffffu

static struct {
    uint16_t to[DEGREE];
    uint16_t cost[DEGREE];
    uint8_t n;
} node[N];

static void edge(uint32_t a, uint32_t b, uint32_t cost)
{
    if (node[a].n < DEGREE) {
        node[a].to[node[a].n] = (uint16_t)b;
        node[a].cost[node[a].n++] = (uint16_t)cost;
    }
}

static void make_graph(void)
{
    uint32_t s = rand_seed(10);
    for (uint32_t i = 0; i < N; i++) {
        uint32_t x = i % SIDE, y = i / SIDE;
        // Roads along the grid, some of them missing; every tenth row is fast.
        if (x + 1 < SIDE && rand_below(&s, 10)) {
            uint32_t cost = (y % 10 == 5 ? 3 : 10) + rand_below(&s, 8);
            edge(i, i + 1, cost);
            edge(i + 1, i, cost);
        }
        if (y + 1 < SIDE && rand_below(&s, 10)) {
            uint32_t cost = 10 + rand_below(&s, 8);
            edge(i, i + SIDE, cost);
            edge(i + SIDE, i, cost);
        }
        if (rand_below(&s, 16) == 0)
            edge(i, rand_below(&s, N), 40);
    }
}

struct search {
    uint32_t distance[N];
    uint16_t heap[N + 1]; // from 1
    uint16_t place[N];    // in the heap, 0: not there
    uint32_t n;
};

static void put(struct search *s, uint32_t at, uint16_t v)
{
    s->heap[at] = v;
    s->place[v] = (uint16_t)at;
}

static void up(struct search *s, uint32_t at)
{
    uint16_t v = s->heap[at];
    for (; at > 1 && s->distance[s->heap[at / 2]] > s->distance[v]; at /= 2)
        put(s, at, s->heap[at / 2]);
    put(s, at, v);
}

static NOINLINE uint16_t pop(struct search *s)
{
    uint16_t top = s->heap[1], v = s->heap[s->n--];
    s->place[top] = 0;
    uint32_t at = 1;
    for (uint32_t child; (child = 2 * at) <= s->n; at = child) {
        if (child < s->n && s->distance[s->heap[child + 1]] < s->distance[s->heap[child]])
            child++;
        if (s->distance[s->heap[child]] >= s->distance[v])
            break;
        put(s, at, s->heap[child]);
    }
    if (s->n)
        put(s, at, v);
    return top;
}

static NOINLINE void dijkstra(struct search *s, uint32_t source)
{
    for (uint32_t i = 0; i < N; i++) {
        s->distance[i] = FAR;
        s->place[i] = 0;
    }
    s->n = 1;
    s->distance[source] = 0;
    put(s, 1, (uint16_t)source);
    while (s->n) {
        uint32_t v = pop(s);
        for (uint32_t e = 0; e < node[v].n; e++) {
            uint32_t w = node[v].to[e], d = s->distance[v] + node[v].cost[e];
            if (d >= s->distance[w])
                continue;
            s->distance[w] = d;
            if (!s->place[w])
                put(s, ++s->n, (uint16_t)w);
            up(s, s->place[w]);
        }
    }
}

static NOINLINE void bellman_ford(uint32_t *distance, uint32_t source)
{
    for (uint32_t i = 0; i < N; i++)
        distance[i] = FAR;
    distance[source] = 0;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t v = 0; v < N; v++) {
            if (distance[v] == FAR)
                continue;
            for (uint32_t e = 0; e < node[v].n; e++) {
                uint32_t d = distance[v] + node[v].cost[e];
                if (d < distance[node[v].to[e]]) {
                    distance[node[v].to[e]] = d;
                    changed = true;
                }
            }
        }
    }
}

static NOINIT struct search search[MAX_HARTS];
static NOINIT uint32_t other[MAX_HARTS][N];
static uint32_t sums[MAX_HARTS];
static volatile uint32_t next_source;

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)harts;
    (void)arg;
    struct search *s = &search[hart];
    uint32_t i;
    while ((i = atomic_add(&next_source, 1)) < SOURCES) {
        uint32_t source = i * (N / SOURCES), farthest = 0, reached = 0;
        dijkstra(s, source);
        if (i % CHECKED == 0) {
            bellman_ford(other[hart], source);
            check(memcmp(s->distance, other[hart], sizeof other[hart]) == 0, "both find the same distances");
        }
        for (uint32_t v = 0; v < N; v++) {
            if (s->distance[v] == FAR)
                continue;
            reached++;
            if (s->distance[v] > s->distance[farthest] || s->distance[farthest] == FAR)
                farthest = v;
        }
        sums[hart] += mix(mix(mix(i, farthest), s->distance[farthest]), reached);
    }
}

int main(void)
{
    make_graph();
    parallel(work, NULL);
    uint32_t sum = 0;
    for (int h = 0; h < MAX_HARTS; h++)
        sum += sums[h];
    return report("dijkstra", sum, 0x730fc995);
}
