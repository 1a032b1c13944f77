// Output of a simulation: 32-bit words on standard output.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>

static uint32_t out[1 << 16];
static size_t out_n;

static void flush_out() {
    if (fwrite(out, sizeof(uint32_t), out_n, stdout) != out_n || fflush(stdout) != 0) exit(5);
    out_n = 0;
}

static void put(uint32_t w) {
    out[out_n++] = w;
    if (out_n == sizeof(out) / sizeof(out[0])) flush_out();
}
