// Pointer walks: a shuffled list, merge sort of a list, a binary search tree with deletion (a treap), and
// a chained hash table with striped locks. Dependent loads, and shared cache lines that other harts write,
// which a first-access load trace must handle.
#include "rt.h"

// ---- lists ----

#define NODES 3000 // for each block
#define BLOCKS 8   // dealt out over the harts

struct node {
    struct node *next;
    uint32_t key;
    uint32_t value[2];
};
static NOINIT struct node nodes[BLOCKS][NODES];

static struct node *make_list(struct node *n, uint32_t *random)
{
    static NOINIT uint16_t orders[MAX_HARTS][NODES];
    uint16_t *order = orders[hart_id()];
    for (uint32_t i = 0; i < NODES; i++)
        order[i] = (uint16_t)i;
    for (uint32_t i = NODES - 1; i > 0; i--) {
        uint32_t j = rand_below(random, i + 1);
        uint16_t t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    for (uint32_t i = 0; i < NODES; i++) {
        struct node *x = &n[order[i]];
        x->next = i + 1 < NODES ? &n[order[i + 1]] : NULL;
        x->key = rand_below(random, 2 * NODES);
        x->value[0] = i;
    }
    return &n[order[0]];
}

static NOINLINE uint32_t walk(const struct node *n)
{
    uint32_t h = 0;
    for (; n; n = n->next)
        h = n->key & 1 ? h * 33 + n->value[0] : h ^ n->key;
    return h;
}

static NOINLINE struct node *reverse(struct node *n)
{
    struct node *done = NULL;
    while (n) {
        struct node *next = n->next;
        n->next = done;
        done = n;
        n = next;
    }
    return done;
}

static struct node *merge(struct node *a, struct node *b)
{
    struct node *head, **tail = &head;
    while (a && b) {
        struct node **from = b->key < a->key ? &b : &a;
        *tail = *from;
        tail = &(*from)->next;
        *from = (*from)->next;
    }
    *tail = a ? a : b;
    return head;
}

static NOINLINE struct node *sort(struct node *n)
{
    if (!n || !n->next)
        return n;
    struct node *slow = n, *fast = n->next;
    while (fast && fast->next) {
        slow = slow->next;
        fast = fast->next->next;
    }
    struct node *second = slow->next;
    slow->next = NULL;
    return merge(sort(n), sort(second));
}

// ---- trees ----

struct tree {
    struct tree *left, *right;
    uint32_t key, priority;
};
static NOINIT struct tree trees[BLOCKS][NODES];

static struct tree *rotate_right(struct tree *t)
{
    struct tree *l = t->left;
    t->left = l->right;
    l->right = t;
    return l;
}
static struct tree *rotate_left(struct tree *t)
{
    struct tree *r = t->right;
    t->right = r->left;
    r->left = t;
    return r;
}

static NOINLINE struct tree *insert(struct tree *t, struct tree *x)
{
    if (!t)
        return x;
    if (x->key < t->key) {
        t->left = insert(t->left, x);
        return t->left->priority > t->priority ? rotate_right(t) : t;
    }
    if (x->key > t->key) {
        t->right = insert(t->right, x);
        return t->right->priority > t->priority ? rotate_left(t) : t;
    }
    return t;
}

static NOINLINE struct tree *join(struct tree *a, struct tree *b)
{
    if (!a || !b)
        return a ? a : b;
    if (a->priority > b->priority) {
        a->right = join(a->right, b);
        return a;
    }
    b->left = join(a, b->left);
    return b;
}

static bool delete(struct tree **t, uint32_t key)
{
    while (*t && (*t)->key != key)
        t = key < (*t)->key ? &(*t)->left : &(*t)->right;
    if (!*t)
        return false;
    *t = join((*t)->left, (*t)->right);
    return true;
}

struct fold {
    uint32_t count, hash, last;
};
static NOINLINE void in_order(const struct tree *t, struct fold *f)
{
    if (!t)
        return;
    in_order(t->left, f);
    check(f->count == 0 || t->key > f->last, "the tree is in order");
    f->count++;
    f->last = t->key;
    f->hash = mix(f->hash, t->key);
    in_order(t->right, f);
}

// ---- a hash table that all harts share ----

#define BUCKETS 1024
#define STRIPES 16

static struct node *bucket[BUCKETS];
static lock_t stripe[STRIPES];
static volatile uint32_t distinct;

static NOINLINE void table_add(struct node *x)
{
    uint32_t b = (x->key * 0x9e3779b9u) >> 22;
    lock(&stripe[b % STRIPES]);
    struct node *n = bucket[b];
    while (n && n->key != x->key)
        n = n->next;
    if (n) {
        n->value[1] += x->value[1];
    } else {
        x->next = bucket[b];
        bucket[b] = x;
        atomic_add(&distinct, 1);
    }
    unlock(&stripe[b % STRIPES]);
}

// ---- the work ----

static uint32_t sums[MAX_HARTS];

static uint32_t do_block(uint32_t block)
{
    uint32_t random = rand_seed(3000 + block), h = block;
    struct node *list = make_list(nodes[block], &random);
    for (int i = 0; i < 4; i++) {
        h = mix(h, walk(list));
        list = reverse(list);
    }
    list = sort(list);
    uint32_t n = 0, last = 0;
    for (const struct node *x = list; x; x = x->next, n++) {
        check(x->key >= last, "the list is in order");
        last = x->key;
    }
    check(n == NODES, "the list is whole");
    h = mix(h, walk(list));

    struct tree *root = NULL;
    for (uint32_t i = 0; i < NODES; i++) {
        trees[block][i] = (struct tree){NULL, NULL, rand_below(&random, 4 * NODES), rand_next(&random)};
        root = insert(root, &trees[block][i]);
    }
    struct fold all = {0}, left = {0};
    in_order(root, &all);
    uint32_t gone = 0;
    for (uint32_t i = 0; i < 2 * NODES; i++)
        gone += delete(&root, rand_below(&random, 4 * NODES));
    in_order(root, &left);
    check(all.count == gone + left.count, "deleted and left make all");
    return mix(mix(h, all.hash), left.hash);
}

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)arg;
    for (uint32_t block = hart; block < BLOCKS; block += harts)
        sums[hart] += do_block(block);
    barrier();
    // Equal keys of different blocks collide in the table; which node stays does not affect the result.
    for (uint32_t i = hart; i < BLOCKS * NODES; i += harts) {
        struct node *x = &nodes[i % BLOCKS][i / BLOCKS];
        x->value[1] = x->value[0] + 1;
        table_add(x);
    }
    barrier();
    uint32_t lo, hi, sum = 0;
    share(BUCKETS, hart, harts, &lo, &hi);
    for (uint32_t b = lo; b < hi; b++)
        for (const struct node *n = bucket[b]; n; n = n->next)
            sum += mix(n->key, n->value[1]);
    sums[hart] += sum;
}

int main(void)
{
    parallel(work, NULL);
    uint32_t sum = 0, total = 0;
    for (int h = 0; h < MAX_HARTS; h++)
        sum += sums[h];
    for (uint32_t b = 0; b < BUCKETS; b++)
        for (const struct node *n = bucket[b]; n; n = n->next)
            total += n->value[1];
    check(total == BLOCKS * (NODES * (NODES + 1) / 2), "nothing is lost in the table");
    return report("listwalk", mix(sum, distinct), 0xd7aa39a4);
}
