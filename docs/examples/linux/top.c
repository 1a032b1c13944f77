// Counts the words of its input and prints the most frequent ones.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BUCKETS 64

struct word {
    struct word *next;
    unsigned count;
    char text[24];
};
static struct word *table[BUCKETS];
static struct word *all[4096];
static unsigned words;

static unsigned hash(const char *text)
{
    unsigned h = 0;
    for (; *text; text++)
        h = h * 31 + (unsigned char)*text;
    return h % BUCKETS;
}

static void add(const char *text)
{
    struct word **place = &table[hash(text)];
    for (struct word *w = *place; w; w = w->next)
        if (strcmp(w->text, text) == 0) {
            w->count++;
            return;
        }
    struct word *w = calloc(1, sizeof *w);
    strcpy(w->text, text);
    w->count = 1;
    w->next = *place;
    *place = all[words++] = w;
}

static int more(const void *a, const void *b)
{
    const struct word *x = *(struct word *const *)a, *y = *(struct word *const *)b;
    return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : strcmp(x->text, y->text);
}

int main(void)
{
    unsigned seed = 1;
    for (int i = 0; i < 20000; i++) {
        char text[24];
        seed = seed * 1103515245u + 12345u;
        unsigned n = (seed >> 16) % 1000;
        snprintf(text, sizeof text, "word%u", n * n / 1000);
        add(text);
    }
    qsort(all, words, sizeof *all, more);
    for (int i = 0; i < 3; i++)
        printf("%4u %s\n", all[i]->count, all[i]->text);
    return 0;
}
