// Lock contention as in a deduplicating archiver: harts divide data into content-defined chunks, hash them
// and look them up in a table with one lock per stripe. All harts contend for one queue lock and one output
// lock; contention for the stripes is uneven.
//
// After the lock profile of DiaSys (P. Wagner et al., section 5.2, PARSEC's dedup): mutex_lock(mutex)
// is a separate function, so that its calls and returns can be observed.
#include "rt.h"

#define SEGMENTS 96
#define SEGMENT 4096
#define BUCKETS 512
#define STRIPES 4
#define CHUNKS 4096 // records in the pool

typedef struct {
    lock_t lock;
    uint32_t acquired; // written by the holder
} mutex_t;

static mutex_t queue_mutex, output_mutex, pool_mutex, stripe_mutex[STRIPES];

NOINLINE void mutex_lock(mutex_t *mutex)
{
    lock(&mutex->lock);
    mutex->acquired++;
}
NOINLINE void mutex_unlock(mutex_t *mutex)
{
    unlock(&mutex->lock);
}

// ---- the table of chunks ----

struct chunk {
    struct chunk *next;
    uint32_t hash, check, length, seen;
};
static NOINIT struct chunk pool[CHUNKS];
static uint32_t pool_used;
static struct chunk *bucket[BUCKETS];
static struct {
    uint32_t chunks, bytes, repeated, hash;
} output;

static struct chunk *new_chunk(void)
{
    mutex_lock(&pool_mutex);
    check(pool_used < CHUNKS, "the chunk pool has room");
    struct chunk *c = &pool[pool_used++];
    mutex_unlock(&pool_mutex);
    return c;
}

static NOINLINE void archive(const uint8_t *data, uint32_t length)
{
    uint32_t hash = 0, sum = length;
    for (uint32_t i = 0; i < length; i++) {
        hash = (hash ^ data[i]) * 0x01000193u;
        sum = (sum << 5 | sum >> 27) + data[i];
    }
    uint32_t b = hash % BUCKETS;
    // Three quarters of the buckets belong to the first stripe.
    mutex_t *stripe = &stripe_mutex[b % 4 ? 0 : b / 4 % STRIPES];
    mutex_lock(stripe);
    struct chunk *c = bucket[b];
    while (c && (c->hash != hash || c->check != sum || c->length != length))
        c = c->next;
    bool first = !c;
    if (first) {
        c = new_chunk();
        *c = (struct chunk){bucket[b], hash, sum, length, 0};
        bucket[b] = c;
    }
    c->seen++;
    mutex_unlock(stripe);

    mutex_lock(&output_mutex);
    output.chunks++;
    output.bytes += first ? length : 0;
    output.repeated += !first;
    output.hash += first ? mix(hash, sum) : hash;
    mutex_unlock(&output_mutex);
}

// ---- the data: phrases from a fixed set, between stretches of noise ----

#define PHRASES 24
#define PHRASE 300
static uint8_t phrase[PHRASES][PHRASE];

static void make_segment(uint8_t *to, uint32_t n)
{
    uint32_t random = rand_seed(6000 + n), at = 0;
    while (at < SEGMENT) {
        if (rand_below(&random, 4)) {
            const uint8_t *p = phrase[rand_below(&random, PHRASES)];
            for (uint32_t i = 0; i < PHRASE && at < SEGMENT; i++)
                to[at++] = p[i];
        } else {
            for (uint32_t i = rand_below(&random, 60); i && at < SEGMENT; i--)
                to[at++] = (uint8_t)(rand_next(&random) >> 24);
        }
    }
}

// Cuts where the last bytes match, after 24 to 512 bytes.
static NOINLINE void cut(const uint8_t *data)
{
    uint32_t start = 0, rolling = 0;
    for (uint32_t i = 0; i < SEGMENT; i++) {
        rolling = (rolling << 1) + data[i] * 0x9e3779b9u;
        uint32_t length = i + 1 - start;
        if ((length >= 24 && (rolling >> 26) == 0) || length == 512 || i + 1 == SEGMENT) {
            archive(data + start, length);
            start = i + 1;
        }
    }
}

static NOINIT uint8_t segment[MAX_HARTS][SEGMENT];
static uint32_t next_segment;

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)harts;
    (void)arg;
    for (;;) {
        mutex_lock(&queue_mutex);
        uint32_t n = next_segment < SEGMENTS ? next_segment++ : SEGMENTS;
        mutex_unlock(&queue_mutex);
        if (n == SEGMENTS)
            return;
        make_segment(segment[hart], n);
        cut(segment[hart]);
    }
}

int main(void)
{
    uint32_t random = rand_seed(7);
    for (int p = 0; p < PHRASES; p++)
        for (int i = 0; i < PHRASE; i++)
            phrase[p][i] = (uint8_t)(rand_next(&random) >> 24);
    parallel(work, NULL);

    uint32_t seen = 0, bytes = 0, stripes = 0;
    for (uint32_t i = 0; i < pool_used; i++) {
        seen += pool[i].seen;
        bytes += pool[i].length;
    }
    for (int i = 0; i < STRIPES; i++)
        stripes += stripe_mutex[i].acquired;
    check(seen == output.chunks && bytes == output.bytes, "every chunk is counted once");
    check(output.chunks == pool_used + output.repeated, "chunks are new or repeated");
    check(stripes == output.chunks && output_mutex.acquired == output.chunks, "every chunk took its locks");
    check(pool_mutex.acquired == pool_used, "every new chunk took the pool's lock");
    check(queue_mutex.acquired == SEGMENTS + hart_count(), "every segment came from the queue");
    check(output.repeated > output.chunks / 4, "the data repeats itself");
    return report("lockcont", mix(mix(mix(output.hash, output.chunks), output.bytes), output.repeated), 0x2c424b33);
}
