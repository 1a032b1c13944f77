// Ray tracing of spheres over a plane, with shadows and mirrors; tiles go to the next free thread; checked against one more ray
#include "parallel.h"

enum { BALLS = 24, TILE = 8, DEPTH = 4 };
typedef struct { double x, y, z; } vector;
static struct { vector at; double radius, shine; } ball[BALLS];
static unsigned char *picture;
static int next_tile;
static const vector light = {-0.48, 0.64, -0.6};

static vector along(vector a, vector b, double t) { return (vector){a.x + t * b.x, a.y + t * b.y, a.z + t * b.z}; }
static double dot(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

// the nearest sphere; -1: the plane, -2: the sky
static int nearest(vector from, vector way, double *distance) {
    int found = -2;
    *distance = 1e9;
    if (way.y < -1e-6) *distance = -(from.y + 1) / way.y, found = -1;
    for (int i = 0; i < BALLS; i++) {
        vector to = along(ball[i].at, from, -1);
        double b = dot(to, way), c = dot(to, to) - ball[i].radius * ball[i].radius, square = b * b - c;
        if (square <= 0) continue;
        double t = b - sqrt(square);
        if (t > 1e-6 && t < *distance) *distance = t, found = i;
    }
    return found;
}

static double shade(vector from, vector way, int depth) {
    double distance, ignored;
    int what = nearest(from, way, &distance);
    if (what == -2) return 0.3 + 0.3 * way.y;
    vector at = along(from, way, distance), normal = {0, 1, 0};
    double colour = 0.8, shine = 0.1;
    if (what >= 0) {
        normal = along((vector){0, 0, 0}, along(at, ball[what].at, -1), 1 / ball[what].radius);
        shine = ball[what].shine;
    } else if (((long)floor(at.x) + (long)floor(at.z)) & 1) {
        colour = 0.3;
    }
    at = along(at, normal, 1e-5);
    double bright = fmax(0, dot(normal, light));
    if (bright > 0 && nearest(at, light, &ignored) != -2) bright = 0;
    double result = colour * (0.15 + 0.85 * bright);
    if (depth == 0 || shine <= 0) return result;
    vector mirror = along(way, normal, -2 * dot(way, normal));
    return (1 - shine) * result + shine * shade(at, mirror, depth - 1);
}

static unsigned char pixel(int x, int y) {
    vector way = {(x + 0.5) / size - 0.5, 0.5 - (y + 0.5) / size, 1};
    way = along((vector){0, 0, 0}, way, 1 / sqrt(dot(way, way)));
    double bright = shade((vector){0, 0.2, -3}, way, DEPTH);
    return (unsigned char)(255 * fmin(1, fmax(0, bright)));
}

static void work(int id) {
    (void)id;
    int across = (size + TILE - 1) / TILE;
    for (int tile; (tile = __atomic_fetch_add(&next_tile, 1, __ATOMIC_RELAXED)) < across * across;)
        for (int y = tile / across * TILE; y < size && y < (tile / across + 1) * TILE; y++)
            for (int x = tile % across * TILE; x < size && x < (tile % across + 1) * TILE; x++)
                picture[(long)y * size + x] = pixel(x, y);
}

int main(int argc, char **argv) {
    begin(argc, argv, 96);
    picture = space((long)size * size, 1);
    uint64_t seed = 23;
    for (int i = 0; i < BALLS; i++) {
        ball[i].radius = 0.15 + 0.3 * unit(&seed);
        ball[i].at = (vector){4 * unit(&seed) - 2, ball[i].radius - 1 + unit(&seed), 4 * unit(&seed)};
        ball[i].shine = unit(&seed) > 0.5 ? 0.6 : 0;
    }
    parallel(work);
    long bright = 0;
    for (int i = 0; i < size; i++) {
        if (picture[(long)i * size + i] != pixel(i, i)) fail("a pixel");
        for (int j = 0; j < size; j++) bright += picture[(long)i * size + j];
    }
    if (bright < 20l * size * size || bright > 220l * size * size) fail("brightness");
    return done("rays", mix(MIX, picture, (long)size * size));
}
