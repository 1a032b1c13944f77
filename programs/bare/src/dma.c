// Words that no hart stores: a DMA copies frame after frame to a buffer where all harts wait for them. The last word of a
// frame is its number; harts poll it in memory and add up their shares.
#include "rt.h"

#define FRAMES 24
#define WORDS 64

struct dma {
    uint32_t from;
    uint32_t to;
    uint32_t left;
};
static volatile struct dma *const dma = (volatile struct dma *)DMA_BASE;

static uint32_t source[2][WORDS];
static uint32_t frame[WORDS];
static volatile uint32_t total;

// Fills a frame from its number; returns the sum of its words.
static uint32_t fill(uint32_t *words, uint32_t number)
{
    uint32_t random = rand_seed(number), sum = 0;
    for (int i = 0; i < WORDS - 1; i++) {
        // like an image: most words equal the previous one
        words[i] = i && rand_below(&random, 4) ? words[i - 1] + 1 : rand_below(&random, 1 << 24);
        sum += words[i];
    }
    words[WORDS - 1] = number;
    return sum;
}

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    uint32_t *expected = arg, lo, hi;
    share(WORDS - 1, hart, harts, &lo, &hi);
    for (uint32_t number = 1; number <= FRAMES; number++) {
        if (hart == 0) {
            uint32_t *words = source[number & 1];
            *expected += fill(words, number);
            dma->from = (uint32_t)(uintptr_t)words;
            dma->to = (uint32_t)(uintptr_t)frame;
            dma->left = WORDS;
        }
        while (((volatile uint32_t *)frame)[WORDS - 1] != number)
            ;
        uint32_t sum = 0;
        for (uint32_t i = lo; i < hi; i++)
            sum += ((volatile uint32_t *)frame)[i];
        atomic_add(&total, sum);
        barrier();
    }
}

int main(void)
{
    uint32_t expected = 0;
    parallel(work, &expected);
    return report("dma", total, expected);
}
