// Media codecs: adaptive differential speech coding and decoding, and an image coder with an 8 x 8 cosine
// transform, quantisation, zigzag run lengths and their inverse. Fixed-point arithmetic, clipping, small
// decisions on smooth data. The harts share the frames and block rows.
#include "rt.h"

// ---- speech: 4 bits a sample, step sizes that adapt ----

#define FRAMES 32
#define SAMPLES 800

struct coder {
    int32_t predicted, step; // step: 4 fraction bits
};

static int32_t clip(int32_t v, int32_t low, int32_t high)
{
    return v < low ? low : v > high ? high : v;
}

static void adapt(struct coder *c, uint32_t code)
{
    static const int16_t factor[8] = {230, 230, 230, 230, 307, 409, 512, 614}; // in 1/256
    int32_t change = (c->step * (int32_t)(2 * (code & 7) + 1)) >> 7;
    c->predicted = clip(c->predicted + (code & 8 ? -change : change), -32768, 32767);
    c->step = clip((c->step * factor[code & 7]) >> 8, 7 << 4, 24576);
}

static NOINLINE uint32_t encode(struct coder *c, int32_t sample)
{
    int32_t difference = sample - c->predicted, step = c->step >> 4;
    uint32_t code = 0;
    if (difference < 0) {
        code = 8;
        difference = -difference;
    }
    if (difference >= step) {
        code |= 4;
        difference -= step;
    }
    if (difference >= step / 2) {
        code |= 2;
        difference -= step / 2;
    }
    if (difference >= step / 4)
        code |= 1;
    adapt(c, code);
    return code;
}

static uint32_t speech_frame(uint32_t frame)
{
    uint8_t bits[SAMPLES / 2];
    struct coder in = {0, 16 << 4}, out = in;
    // A tone of rising volume, from a resonator, with a little noise.
    uint32_t random = rand_seed(8000 + frame), h = frame;
    int32_t a = 0, b = 1200 + (int32_t)rand_below(&random, 800), turn = 15900 + (int32_t)rand_below(&random, 400);
    int32_t sample[SAMPLES];
    for (int i = 0; i < SAMPLES; i++) {
        int32_t t = ((2 * turn * b) >> 14) - a;
        a = b;
        b = clip(t, -20000, 20000);
        sample[i] = b + (int32_t)rand_below(&random, 64) - 32;
    }
    for (int i = 0; i < SAMPLES; i++) {
        uint32_t code = encode(&in, sample[i]);
        bits[i / 2] = (uint8_t)(i & 1 ? bits[i / 2] | code << 4 : code);
    }
    int32_t error = 0;
    for (int i = 0; i < SAMPLES; i++) {
        adapt(&out, bits[i / 2] >> (i & 1 ? 4 : 0) & 15);
        int32_t e = out.predicted - sample[i];
        error += e < 0 ? -e : e;
        h = mix(h, (uint32_t)out.predicted);
    }
    check(in.predicted == out.predicted && in.step == out.step, "both coders end in the same state");
    check(error / SAMPLES < 1200, "the speech comes back");
    return h;
}

// ---- picture ----

#define WIDTH 128
#define HEIGHT 96
#define BLOCK_ROWS (HEIGHT / 8)

static uint8_t picture[HEIGHT][WIDTH];
static int16_t cosine[8][8]; // row k: c(k) cos((2 n + 1) k pi / 16) / 2, 13 fraction bits
static uint8_t zigzag[64];

static void make_tables(void)
{
    // cos(k pi / 16) for k = 0..8, 13 fraction bits.
    static const int16_t quarter[9] = {8192, 8035, 7568, 6811, 5793, 4551, 3135, 1598, 0};
    for (int k = 0; k < 8; k++)
        for (int n = 0; n < 8; n++) {
            int angle = (2 * n + 1) * k % 32;
            if (angle > 16)
                angle = 32 - angle;
            int32_t v = angle > 8 ? -quarter[16 - angle] : quarter[angle];
            cosine[k][n] = (int16_t)(k == 0 ? 2896 : v / 2);
        }
    for (int n = 0, x = 0, y = 0; n < 64; n++) {
        zigzag[n] = (uint8_t)(8 * y + x);
        if ((x + y) & 1) {
            if (y == 7)
                x++;
            else if (x == 0)
                y++;
            else
                x--, y++;
        } else {
            if (x == 7)
                y++;
            else if (y == 0)
                x++;
            else
                x++, y--;
        }
    }
}

static NOINLINE void transform(int32_t *block, bool back)
{
    int32_t half[64];
    for (int pass = 0; pass < 2; pass++) {
        const int32_t *from = pass ? half : block;
        int32_t *to = pass ? block : half;
        for (int r = 0; r < 8; r++)
            for (int k = 0; k < 8; k++) {
                int32_t sum = 1 << 12;
                for (int n = 0; n < 8; n++)
                    sum += from[8 * r + n] * (back ? cosine[n][k] : cosine[k][n]);
                to[8 * k + r] = sum >> 13;
            }
    }
}

// Encodes run lengths of zeros and values as bytes; returns the number of bytes.
static NOINLINE uint32_t pack(const int32_t *block, uint8_t *to)
{
    uint32_t n = 0, run = 0;
    for (int i = 0; i < 64; i++) {
        int32_t q = 4 + i / 2, v = block[zigzag[i]];
        v = v < 0 ? -((-v + q / 2) / q) : (v + q / 2) / q;
        if (v == 0) {
            run++;
            continue;
        }
        to[n++] = (uint8_t)run;
        if (v >= -127 && v <= 127) {
            to[n++] = (uint8_t)v;
        } else {
            to[n++] = 0x80;
            to[n++] = (uint8_t)v;
            to[n++] = (uint8_t)(v >> 8);
        }
        run = 0;
    }
    to[n++] = 64;
    return n;
}

static NOINLINE uint32_t unpack(const uint8_t *from, int32_t *block)
{
    uint32_t n = 0;
    memset(block, 0, 64 * sizeof *block);
    for (uint32_t i = 0; from[n] != 64; i++) {
        i += from[n++];
        int32_t v = (int8_t)from[n++];
        if (v == -128) {
            v = (int16_t)(from[n] | from[n + 1] << 8);
            n += 2;
        }
        block[zigzag[i]] = v * (int32_t)(4 + i / 2);
    }
    return n + 1;
}

static uint32_t picture_row(uint32_t row)
{
    uint32_t h = row, bytes = 0, error = 0;
    for (uint32_t column = 0; column < WIDTH / 8; column++) {
        int32_t block[64];
        uint8_t packed[64 * 4 + 1];
        for (uint32_t i = 0; i < 64; i++)
            block[i] = picture[8 * row + i / 8][8 * column + i % 8] - 128;
        transform(block, false);
        uint32_t n = pack(block, packed);
        bytes += n;
        check(unpack(packed, block) == n, "as many bytes are read as were written");
        transform(block, true);
        for (uint32_t i = 0; i < 64; i++) {
            int32_t v = clip(block[i] + 128, 0, 255), e = v - picture[8 * row + i / 8][8 * column + i % 8];
            error += (uint32_t)(e < 0 ? -e : e);
            h = mix(h, (uint32_t)v);
        }
    }
    check(error < 8 * WIDTH * 6, "the picture comes back");
    check(bytes < 8 * WIDTH, "the picture gets smaller");
    return mix(h, bytes);
}

// ---- the work ----

static uint32_t sums[MAX_HARTS];
static volatile uint32_t next_item;

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)harts;
    (void)arg;
    uint32_t i;
    while ((i = atomic_add(&next_item, 1)) < FRAMES + BLOCK_ROWS)
        sums[hart] += i < BLOCK_ROWS ? picture_row(i) : speech_frame(i - BLOCK_ROWS);
}

int main(void)
{
    uint32_t random = rand_seed(11);
    make_tables();
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++) {
            // A gradient, a disc, and texture in one corner.
            int32_t v = x / 2 + y, dx = x - 80, dy = y - 50;
            if (dx * dx + dy * dy < 900)
                v += 90;
            if (x < 40 && y < 40)
                v += (int32_t)rand_below(&random, 50);
            picture[y][x] = (uint8_t)clip(v, 0, 255);
        }
    parallel(work, NULL);
    uint32_t sum = 0;
    for (int h = 0; h < MAX_HARTS; h++)
        sum += sums[h];
    return report("codec", sum, 0xcd26a9dd);
}
