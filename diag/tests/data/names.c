// Functions and variables whose names alone do not tell them apart; names2.c has the others.
#define NOINLINE __attribute__((noinline))

struct Slot {
    short level;
    int owner;
};

struct Queue {
    unsigned depth;
    struct Slot slots[4];
    signed char state;
};

struct Queue queue;
volatile int total;
static volatile int hits;

extern int other_step(int x);
extern int count_down(int n);

static NOINLINE int step(int x) {
    hits++;
    return total -= x;
}

// inlined into main, and called through a pointer
int twice(int x) {
    total ^= x;
    return 2 * x + total;
}
int (*through)(int) = twice;

// the compiler makes a copy for the constant
static NOINLINE int scaled(int a, int b) {
    total += a * b;
    return total - a;
}

NOINLINE int difference(int a, int b) {
    return a - b;
}

static NOINLINE int bumped(void) {
    static int calls;
    return ++calls;
}

NOINLINE void enqueue(int owner) {
    queue.slots[queue.depth & 3].owner = owner;
    queue.depth++;
    queue.state = -(signed char)owner;
}

int main(void) {
    int sum = 0;
    for (int i = 0; i < 30; i++) {
        sum += twice(i);
        if (i % 3 == 0)
            sum += through(i);
        sum += scaled(i, 5);
        sum += step(i) + other_step(i);
        sum += difference(i, 10) + bumped();
        enqueue(i);
    }
    sum += count_down(20);
    sum += count_down(1);
    return sum & 63;
}
