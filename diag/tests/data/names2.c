// The other function and variable of names in names.c.
extern volatile int total;
static volatile int hits;

static __attribute__((noinline)) int step(int x) {
    hits += 2;
    return total += 3 * x;
}

int other_step(int x) {
    int sum = 0;
    for (int k = 0; k < 2; k++)
        sum += step(x + k);
    return sum;
}
