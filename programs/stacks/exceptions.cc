/* C++ exceptions: caught in the function that throws, and in callers several levels above; with destructors on the way; thrown again; and
   thrown while another one is handled. runtime.cc has what a bare program lacks. */
#include "stacks.h"

struct guard {
    int n;
    explicit guard(int n) : n(n) {}
    NOINLINE ~guard() { work(n); }
};

static NOINLINE void fail(int n)
{
    work(2);
    throw n;
}

static NOINLINE int deep(int n)
{
    guard g(n % 5);
    if (n == 0)
        fail(3);
    int below = deep(n - 1);
    work(1);
    return below + g.n;
}

static NOINLINE int attempt(int n)
{
    work(1);
    try {
        return deep(n);
    } catch (...) {
        work(4);
    }
    work(2);
    return n;
}

static NOINLINE int again(int n)
{
    guard g(2);
    try {
        deep(n);
    } catch (...) {
        work(3);
        if (n & 1)
            throw;
    }
    return 1;
}

static NOINLINE int local(int n)
{
    try {
        if (n > 2)
            throw n;
        work(n);
    } catch (...) {
        work(1);
        return attempt(n - 2);
    }
    return 0;
}

int main()
{
    for (int i = 0; i < 5; i++) {
        sum += attempt(i % 7);
        try {
            sum += again(i);
        } catch (...) {
            work(2);
        }
        sum += local(i % 6);
    }
    return 0;
}
