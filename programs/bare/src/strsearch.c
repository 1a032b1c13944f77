// String search: naive, Knuth-Morris-Pratt, Boyer-Moore-Horspool, Rabin-Karp and shift-or must find the
// same positions in generated text. Inner loops with early exits, skip tables, short and long patterns.
#include "rt.h"

#define TEXTS 24
#define TEXT 4096
#define PATTERNS 5
#define LONGEST 24

struct found {
    uint32_t count, places; // places: a checksum of the positions
};

typedef struct found search_fn(const uint8_t *t, uint32_t n, const uint8_t *p, uint32_t m);

static void note(struct found *f, uint32_t at)
{
    f->count++;
    f->places = mix(f->places, at);
}

static struct found naive(const uint8_t *t, uint32_t n, const uint8_t *p, uint32_t m)
{
    struct found f = {0};
    for (uint32_t i = 0; i + m <= n; i++) {
        uint32_t j = 0;
        while (j < m && t[i + j] == p[j])
            j++;
        if (j == m)
            note(&f, i);
    }
    return f;
}

static struct found knuth_morris_pratt(const uint8_t *t, uint32_t n, const uint8_t *p, uint32_t m)
{
    struct found f = {0};
    uint8_t fail[LONGEST + 1] = {0, 0};
    for (uint32_t i = 1, k = 0; i < m; i++) {
        while (k && p[i] != p[k])
            k = fail[k];
        if (p[i] == p[k])
            k++;
        fail[i + 1] = (uint8_t)k;
    }
    for (uint32_t i = 0, k = 0; i < n; i++) {
        while (k && t[i] != p[k])
            k = fail[k];
        if (t[i] == p[k])
            k++;
        if (k == m) {
            note(&f, i + 1 - m);
            k = fail[k];
        }
    }
    return f;
}

static struct found horspool(const uint8_t *t, uint32_t n, const uint8_t *p, uint32_t m)
{
    struct found f = {0};
    uint8_t skip[256];
    memset(skip, (int)m, sizeof skip);
    for (uint32_t i = 0; i + 1 < m; i++)
        skip[p[i]] = (uint8_t)(m - 1 - i);
    for (uint32_t i = 0; i + m <= n; i += skip[t[i + m - 1]]) {
        uint32_t j = m;
        while (j && t[i + j - 1] == p[j - 1])
            j--;
        if (j == 0)
            note(&f, i);
    }
    return f;
}

static struct found rabin_karp(const uint8_t *t, uint32_t n, const uint8_t *p, uint32_t m)
{
    struct found f = {0};
    uint32_t want = 0, have = 0, first = 1;
    for (uint32_t i = 0; i < m; i++) {
        want = want * 31 + p[i];
        have = have * 31 + t[i];
        first *= 31;
    }
    for (uint32_t i = 0;; i++) {
        if (have == want && memcmp(t + i, p, m) == 0)
            note(&f, i);
        if (i + m >= n)
            return f;
        have = have * 31 + t[i + m] - first * t[i];
    }
}

static struct found shift_or(const uint8_t *t, uint32_t n, const uint8_t *p, uint32_t m)
{
    struct found f = {0};
    uint32_t mask[256], state = UINT32_MAX;
    memset(mask, 0xff, sizeof mask);
    for (uint32_t i = 0; i < m; i++)
        mask[p[i]] &= ~(1u << i);
    for (uint32_t i = 0; i < n; i++) {
        state = state << 1 | mask[t[i]];
        if (!(state >> (m - 1) & 1))
            note(&f, i + 1 - m);
    }
    return f;
}

static search_fn *const search[] = {naive, knuth_morris_pratt, horspool, rabin_karp, shift_or};
#define WAYS 5

// Text in which each letter depends on the one before it, as in words; few different letters for odd seeds.
static void make_text(uint8_t *t, uint32_t *random, bool few)
{
    uint32_t c = 0;
    for (uint32_t i = 0; i < TEXT; i++) {
        if (few)
            c = rand_below(random, 4) ? 0 : rand_below(random, 3);
        else
            c = rand_below(random, 3) ? (c * 7 + 3 + rand_below(random, 3)) % 27 : rand_below(random, 27);
        t[i] = (uint8_t)(c == 26 ? ' ' : 'a' + c);
    }
}

static NOINIT uint8_t text[MAX_HARTS][TEXT];
static uint32_t sums[MAX_HARTS];
static volatile uint32_t next_text, hits;

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)harts;
    (void)arg;
    uint32_t i;
    while ((i = atomic_add(&next_text, 1)) < TEXTS) {
        uint32_t random = rand_seed(2000 + i);
        uint8_t *t = text[hart];
        make_text(t, &random, i & 1);
        for (int k = 0; k < PATTERNS; k++) {
            uint8_t pattern[LONGEST];
            uint32_t m = 2 + rand_below(&random, k == 0 ? LONGEST - 1 : 6);
            memcpy(pattern, t + rand_below(&random, TEXT - LONGEST), m);
            if (k == 4)
                pattern[m - 1] = 'z'; // usually not found
            struct found first = search[0](t, TEXT, pattern, m);
            for (int w = 1; w < WAYS; w++) {
                struct found f = search[w](t, TEXT, pattern, m);
                check(f.count == first.count && f.places == first.places, "all searches find the same");
            }
            check(k == 4 || first.count > 0, "a pattern from the text is found");
            atomic_add(&hits, first.count);
            sums[hart] += mix(mix(i, first.count), first.places);
        }
    }
}

int main(void)
{
    parallel(work, NULL);
    uint32_t sum = hits;
    for (int h = 0; h < MAX_HARTS; h++)
        sum += sums[h];
    return report("strsearch", sum, 0xab23b3c6);
}
