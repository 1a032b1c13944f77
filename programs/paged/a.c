// Process 1: primes by trial division; prints a line at each thousandth.
#include "user.h"

static u32 prime(u32 n) {
    if (n < 2) return 0;
    for (u32 d = 2; d * d <= n; d++)
        if (n % d == 0) return 0;
    return 1;
}

__attribute__((section(".text.init"))) void start(void) {
    u32 found = 0, sum = 0;
    for (u32 n = 0; n < 2500; n++) {
        if (prime(n)) {
            found++;
            sum = sum * 31 + n;
        }
        if (n % 500 == 0) put('a');
        if (n % 900 == 0) yield();
    }
    finish((sum ^ found) + (turns() == 0));
    for (;;) {}
}
