// Digests and ciphers: table-driven CRC-32, SHA-256, ChaCha20 and a 64-bit multiply-and-rotate hash, checked
// against published test values. Long straight-line blocks, short counted loops, few decisions.
#include "rt.h"

#define LENGTH 2048
#define BUFFERS 20

static inline uint32_t rotl(uint32_t x, int n) { return x << n | x >> (32 - n); }
static inline uint32_t rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }

// ---- CRC-32, polynomial 0xedb88320 ----

static uint32_t crc_table[256];

static void make_crc_table(void)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? c >> 1 ^ 0xedb88320u : c >> 1;
        crc_table[i] = c;
    }
}

static NOINLINE uint32_t crc32(const uint8_t *d, uint32_t n)
{
    uint32_t c = UINT32_MAX;
    while (n--)
        c = c >> 8 ^ crc_table[(c ^ *d++) & 255];
    return ~c;
}

// ---- SHA-256 (FIPS 180-4); the constants are cube and square roots of primes, computed with integers ----

static uint32_t sha_k[64], sha_h0[8];

// The first 32 fraction bits of the square (power 2) or cube (power 3) root of p.
static uint32_t root_fraction(uint32_t p, int power)
{
    uint64_t root = 0; // of p << (32 * power), so that 32 bits of the fraction are in it
    for (int bit = 34; bit >= 0; bit--) {
        uint64_t r = root | 1ull << bit;
        // r^power <= p << (32 * power), in 32-bit limbs.
        uint32_t limb[4] = {1, 0, 0, 0};
        for (int i = 0; i < power; i++) {
            uint64_t carry = 0;
            uint32_t low = (uint32_t)r, high = (uint32_t)(r >> 32), out[4] = {0, 0, 0, 0};
            for (int k = 0; k < 4; k++) {
                carry += (uint64_t)limb[k] * low;
                out[k] = (uint32_t)carry;
                carry >>= 32;
            }
            carry = 0;
            for (int k = 0; k < 3; k++) {
                carry += (uint64_t)limb[k] * high + out[k + 1];
                out[k + 1] = (uint32_t)carry;
                carry >>= 32;
            }
            memcpy(limb, out, sizeof limb);
        }
        bool above = limb[power] > p || (power == 2 && limb[3]);
        bool equal = limb[power] == p;
        for (int k = 0; equal && k < power; k++)
            equal = limb[k] == 0;
        if (!above && (limb[power] < p || equal))
            root = r;
    }
    return (uint32_t)root;
}

static void make_sha_constants(void)
{
    uint32_t n = 0;
    for (uint32_t p = 2; n < 64; p++) {
        bool prime = true;
        for (uint32_t d = 2; d * d <= p && prime; d++)
            prime = p % d != 0;
        if (!prime)
            continue;
        sha_k[n] = root_fraction(p, 3);
        if (n < 8)
            sha_h0[n] = root_fraction(p, 2);
        n++;
    }
}

static NOINLINE void sha_block(uint32_t h[8], const uint8_t *d)
{
    uint32_t w[64], s[8];
    for (int i = 0; i < 16; i++, d += 4)
        w[i] = (uint32_t)d[0] << 24 | (uint32_t)d[1] << 16 | (uint32_t)d[2] << 8 | d[3];
    for (int i = 16; i < 64; i++)
        w[i] = w[i - 16] + w[i - 7] + (rotr(w[i - 15], 7) ^ rotr(w[i - 15], 18) ^ w[i - 15] >> 3) +
               (rotr(w[i - 2], 17) ^ rotr(w[i - 2], 19) ^ w[i - 2] >> 10);
    memcpy(s, h, sizeof s);
    for (int i = 0; i < 64; i++) {
        uint32_t t1 = s[7] + (rotr(s[4], 6) ^ rotr(s[4], 11) ^ rotr(s[4], 25)) + ((s[4] & s[5]) ^ (~s[4] & s[6])) +
                      sha_k[i] + w[i];
        uint32_t t2 = (rotr(s[0], 2) ^ rotr(s[0], 13) ^ rotr(s[0], 22)) +
                      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));
        for (int k = 7; k > 0; k--)
            s[k] = s[k - 1];
        s[4] += t1;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        h[i] += s[i];
}

static void sha256(const uint8_t *d, uint32_t n, uint32_t h[8])
{
    uint8_t last[128] = {0};
    uint32_t left = n % 64, blocks = left < 56 ? 1 : 2;
    memcpy(h, sha_h0, 32);
    for (uint32_t i = 0; i + 64 <= n; i += 64)
        sha_block(h, d + i);
    memcpy(last, d + n - left, left);
    last[left] = 0x80;
    for (int i = 0; i < 4; i++)
        last[blocks * 64 - 1 - i] = (uint8_t)(n * 8 >> (8 * i));
    for (uint32_t b = 0; b < blocks; b++)
        sha_block(h, last + 64 * b);
}

// ---- ChaCha20 (RFC 8439) ----

static void quarter(uint32_t *x, int a, int b, int c, int d)
{
    x[a] += x[b];
    x[d] = rotl(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = rotl(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = rotl(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = rotl(x[b] ^ x[c], 7);
}

static NOINLINE void chacha_block(const uint32_t in[16], uint32_t out[16])
{
    memcpy(out, in, 64);
    for (int i = 0; i < 10; i++) {
        for (int c = 0; c < 4; c++)
            quarter(out, c, c + 4, c + 8, c + 12);
        for (int c = 0; c < 4; c++)
            quarter(out, c, 4 + (c + 1) % 4, 8 + (c + 2) % 4, 12 + (c + 3) % 4);
    }
    for (int i = 0; i < 16; i++)
        out[i] += in[i];
}

static void chacha(uint8_t *d, uint32_t n, const uint32_t key[8], uint32_t nonce)
{
    uint32_t state[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574};
    memcpy(state + 4, key, 32);
    state[13] = nonce;
    for (uint32_t i = 0; i < n; state[12]++) {
        uint32_t block[16];
        chacha_block(state, block);
        for (uint32_t k = 0; k < 64 && i < n; k++, i++)
            d[i] ^= (uint8_t)(block[k / 4] >> (k % 4 * 8));
    }
}

// ---- a hash with 64-bit products ----

static NOINLINE uint32_t hash64(const uint8_t *d, uint32_t n)
{
    uint64_t h = n * 0x9e3779b97f4a7c15ull;
    for (uint32_t i = 0; i + 8 <= n; i += 8) {
        uint64_t v;
        memcpy(&v, d + i, 8);
        h = (h ^ v) * 0xff51afd7ed558ccdull;
        h ^= h >> 33;
    }
    return (uint32_t)(h ^ h >> 32);
}

// ---- the work ----

static NOINIT uint8_t buffer[MAX_HARTS][LENGTH];
static uint32_t sums[MAX_HARTS];
static volatile uint32_t next_buffer;

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)harts;
    (void)arg;
    uint32_t i;
    while ((i = atomic_add(&next_buffer, 1)) < BUFFERS) {
        uint8_t *d = buffer[hart];
        uint32_t random = rand_seed(7000 + i), n = LENGTH - rand_below(&random, 200), key[8], digest[8];
        for (uint32_t k = 0; k < n; k++)
            d[k] = (uint8_t)(rand_next(&random) >> 24);
        uint32_t plain = crc32(d, n);
        sha256(d, n, digest);
        chacha(d, n, digest, i);
        uint32_t cipher = crc32(d, n);
        memcpy(key, digest, sizeof key);
        sums[hart] += mix(mix(plain, cipher), hash64(d, n));
        chacha(d, n, key, i);
        check(cipher != plain && crc32(d, n) == plain, "deciphering gives the plain text");
        sums[hart] += digest[0] ^ digest[7];
    }
}

int main(void)
{
    make_crc_table();
    make_sha_constants();
    uint32_t h[8], zero[8] = {0};
    uint8_t stream[4] = {0};
    check(crc32((const uint8_t *)"123456789", 9) == 0xcbf43926, "the check value of CRC-32");
    sha256((const uint8_t *)"abc", 3, h);
    check(h[0] == 0xba7816bf && h[7] == 0xf20015ad, "SHA-256 of abc");
    chacha(stream, 4, zero, 0);
    check(stream[0] == 0x76 && stream[1] == 0xb8 && stream[2] == 0xe0 && stream[3] == 0xad, "ChaCha20 of zeros");
    parallel(work, NULL);
    uint32_t sum = 0;
    for (int i = 0; i < MAX_HARTS; i++)
        sum += sums[i];
    return report("crypt", sum, 0x5af6c44e);
}
