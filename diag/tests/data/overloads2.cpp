// Another function and variable of names in overloads.cpp.
static __attribute__((noinline, noclone)) int helper(int x) {
    return x - 2;
}

static volatile int shared = 100;

extern "C" int other(int x) {
    int sum = 0;
    for (int k = 0; k < 3; k++)
        sum += helper(x + k);
    shared = sum;
    return sum;
}
