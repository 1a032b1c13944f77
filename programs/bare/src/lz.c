// Lossless compression: a sliding-window matcher with hash chains, then canonical Huffman codes of its
// output, and decompression. Bit input and output, match loops of any length, a heap, table decoding.
#include "rt.h"

#define LENGTH 4096
#define PARTS 16
#define CHAIN 16    // candidates looked at
#define SHORTEST 3  // match
#define LONGEST 66
#define SYMBOLS (256 + LONGEST - SHORTEST + 1) // a byte, or a match of that length
#define DEEPEST 15  // longest code
#define HASHES 1024

struct state {
    uint8_t data[LENGTH], back[LENGTH], packed[2 * LENGTH];
    uint16_t symbol[LENGTH], distance[LENGTH];
    uint16_t head[HASHES], previous[LENGTH];
    uint32_t frequency[2 * SYMBOLS];
    uint16_t parent[2 * SYMBOLS], heap[SYMBOLS + 1];
    uint8_t length[SYMBOLS];
    uint16_t code[SYMBOLS];
    uint16_t sorted[SYMBOLS], first[DEEPEST + 2], offset[DEEPEST + 2];
    uint32_t at; // bit position in `packed`
};

// ---- text with repeated words, and some words that resemble numbers ----

static void make_data(struct state *s, uint32_t part)
{
    static const char *const word[] = {"the ", "trace ", "of ", "a ", "program ", "is ", "sent ", "in ", "few ", "bits ",
                                       "branch ", "target ", "and ", "predictor ", "cycle ", "was ", "mispredicted ", "\n"};
    uint32_t random = rand_seed(9000 + part), n = 0;
    while (n < LENGTH) {
        // Short words are more frequent.
        uint32_t w = rand_below(&random, 19) * rand_below(&random, 19) / 18;
        if (w < 18)
            for (const char *c = word[w]; *c && n < LENGTH; c++)
                s->data[n++] = (uint8_t)*c;
        else
            for (uint32_t v = rand_next(&random); v && n < LENGTH; v /= 10)
                s->data[n++] = (uint8_t)('0' + v % 10);
    }
}

// ---- matches ----

static uint32_t hash(const uint8_t *d)
{
    return ((uint32_t)d[0] << 16 | (uint32_t)d[1] << 8 | d[2]) * 0x9e3779b1u >> 22;
}

static NOINLINE uint32_t match_length(const uint8_t *a, const uint8_t *b, uint32_t limit)
{
    uint32_t n = 0;
    while (n < limit && a[n] == b[n])
        n++;
    return n;
}

static NOINLINE uint32_t find_matches(struct state *s)
{
    uint32_t n = 0;
    memset(s->head, 0xff, sizeof s->head);
    for (uint32_t i = 0; i < LENGTH;) {
        uint32_t best = 0, from = 0, limit = LENGTH - i < LONGEST ? LENGTH - i : LONGEST;
        if (limit >= SHORTEST) {
            uint32_t candidate = s->head[hash(s->data + i)];
            for (int k = 0; k < CHAIN && candidate != 0xffff && best < limit; k++, candidate = s->previous[candidate]) {
                if (best && s->data[candidate + best] != s->data[i + best])
                    continue;
                uint32_t length = match_length(s->data + candidate, s->data + i, limit);
                if (length > best) {
                    best = length;
                    from = candidate;
                }
            }
        }
        if (best < SHORTEST)
            best = 1;
        s->symbol[n] = best == 1 ? s->data[i] : (uint16_t)(256 + best - SHORTEST);
        s->distance[n++] = (uint16_t)(i - from);
        for (; best; best--, i++)
            if (i + SHORTEST <= LENGTH) {
                uint32_t h = hash(s->data + i);
                s->previous[i] = s->head[h];
                s->head[h] = (uint16_t)i;
            }
    }
    return n;
}

// ---- Huffman codes ----

static void sift(struct state *s, uint32_t at, uint32_t n)
{
    uint16_t v = s->heap[at];
    for (uint32_t child; (child = 2 * at) <= n; at = child) {
        if (child < n && s->frequency[s->heap[child + 1]] < s->frequency[s->heap[child]])
            child++;
        if (s->frequency[s->heap[child]] >= s->frequency[v])
            break;
        s->heap[at] = s->heap[child];
    }
    s->heap[at] = v;
}

// Code lengths from the frequencies; frequencies are halved until no code is too long.
static NOINLINE void code_lengths(struct state *s)
{
    for (bool fits = false; !fits;) {
        uint32_t n = 0, next = SYMBOLS;
        for (uint32_t i = 0; i < SYMBOLS; i++) {
            s->length[i] = 0;
            if (s->frequency[i])
                s->heap[++n] = (uint16_t)i;
        }
        for (uint32_t i = n / 2; i > 0; i--)
            sift(s, i, n);
        while (n > 1) {
            uint16_t a = s->heap[1];
            s->heap[1] = s->heap[n--];
            sift(s, 1, n);
            uint16_t b = s->heap[1];
            s->frequency[next] = s->frequency[a] + s->frequency[b];
            s->parent[a] = s->parent[b] = (uint16_t)next;
            s->heap[1] = (uint16_t)next++;
            sift(s, 1, n);
        }
        fits = true;
        for (uint32_t i = 0; i < SYMBOLS; i++) {
            if (!s->frequency[i])
                continue;
            uint32_t depth = 0;
            for (uint32_t up = i; up != next - 1; up = s->parent[up])
                depth++;
            s->length[i] = (uint8_t)depth;
            fits = fits && depth <= DEEPEST;
        }
        if (!fits)
            for (uint32_t i = 0; i < SYMBOLS; i++)
                s->frequency[i] = s->frequency[i] ? s->frequency[i] / 2 + 1 : 0;
    }
}

// Canonical codes: by length, then by symbol.
static NOINLINE void canonical(struct state *s)
{
    uint32_t code = 0, n = 0;
    for (uint32_t length = 1; length <= DEEPEST; length++) {
        s->first[length] = (uint16_t)code;
        s->offset[length] = (uint16_t)n;
        for (uint32_t i = 0; i < SYMBOLS; i++)
            if (s->length[i] == length) {
                s->code[i] = (uint16_t)code++;
                s->sorted[n++] = (uint16_t)i;
            }
        code <<= 1;
    }
    s->offset[DEEPEST + 1] = (uint16_t)n;
}

// ---- bits ----

static void write_bits(struct state *s, uint32_t value, uint32_t n)
{
    while (n--) {
        uint8_t *byte = &s->packed[s->at / 8];
        uint32_t bit = 7 - s->at++ % 8;
        *byte = (uint8_t)((*byte & ~(1u << bit)) | (value >> n & 1) << bit);
    }
}

static uint32_t read_bit(struct state *s)
{
    uint32_t bit = s->packed[s->at / 8] >> (7 - s->at % 8) & 1;
    s->at++;
    return bit;
}

static NOINLINE uint32_t read_symbol(struct state *s)
{
    uint32_t code = 0;
    for (uint32_t length = 1; length <= DEEPEST; length++) {
        code = code << 1 | read_bit(s);
        uint32_t index = code - s->first[length];
        if (code >= s->first[length] && index < (uint32_t)(s->offset[length + 1] - s->offset[length]))
            return s->sorted[s->offset[length] + index];
    }
    check(false, "the code is known");
    return 0;
}

// ---- the work ----

static NOINIT struct state states[MAX_HARTS];
static uint32_t sums[MAX_HARTS];
static volatile uint32_t next_part;

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)harts;
    (void)arg;
    struct state *s = &states[hart];
    uint32_t part;
    while ((part = atomic_add(&next_part, 1)) < PARTS) {
        make_data(s, part);
        uint32_t n = find_matches(s);
        memset(s->frequency, 0, sizeof s->frequency);
        for (uint32_t i = 0; i < n; i++)
            s->frequency[s->symbol[i]]++;
        code_lengths(s);
        canonical(s);
        s->at = 0;
        for (uint32_t i = 0; i < n; i++) {
            write_bits(s, s->code[s->symbol[i]], s->length[s->symbol[i]]);
            if (s->symbol[i] >= 256)
                write_bits(s, s->distance[i], 12);
        }
        uint32_t bits = s->at, out = 0;
        check(bits < LENGTH * 5, "the text gets smaller");
        s->at = 0;
        while (out < LENGTH) {
            uint32_t symbol = read_symbol(s);
            if (symbol < 256) {
                s->back[out++] = (uint8_t)symbol;
                continue;
            }
            uint32_t distance = 0;
            for (int k = 0; k < 12; k++)
                distance = distance << 1 | read_bit(s);
            check(distance && distance <= out, "a match lies in what is there");
            for (uint32_t length = symbol - 256 + SHORTEST; length; length--, out++)
                s->back[out] = s->back[out - distance];
        }
        check(s->at == bits && memcmp(s->data, s->back, LENGTH) == 0, "the text comes back");
        uint32_t h = mix(part, bits);
        for (uint32_t i = 0; i < bits / 8; i++)
            h = mix(h, s->packed[i]);
        sums[hart] += h;
    }
}

int main(void)
{
    parallel(work, NULL);
    uint32_t sum = 0;
    for (int h = 0; h < MAX_HARTS; h++)
        sum += sums[h];
    return report("lz", sum, 0xa2a2d68d);
}
