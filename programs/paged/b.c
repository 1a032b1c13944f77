// Process 2: a shift register through a table of function pointers, and a sort.
#include "user.h"

static u32 turn(u32 v) { return v << 7 | v >> 25; }
static u32 mix(u32 v) { return v * 0x9e3779b1u; }
static u32 fold(u32 v) { return v ^ v >> 15; }

__attribute__((section(".text.init"))) void start(void) {
    u32 (*const step[])(u32) = {turn, mix, fold};
    u32 v = 1, list[64];
    for (u32 round = 0; round < 60; round++) {
        for (u32 i = 0; i < 64; i++) list[i] = v = step[v % 3](v + i);
        for (u32 i = 1; i < 64; i++) {
            u32 x = list[i], k = i;
            for (; k > 0 && list[k - 1] > x; k--) list[k] = list[k - 1];
            list[k] = x;
        }
        v ^= list[round];
        if (round % 12 == 0) put('b');
        if (round % 25 == 0) yield();
    }
    finish(v + (turns() == 0));
    for (;;) {}
}
