/* Contains the same name as the first file. */
static __attribute__((noinline)) unsigned twice(unsigned x) { return x ^ x << 3; }

unsigned other(unsigned x) { return twice(x) + 1; }
