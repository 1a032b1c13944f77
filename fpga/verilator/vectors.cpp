// Runs a Verilated top module on input vectors from standard input; output vectors go to standard output.
//
// ports.h, generated next to it, defines IN_WORDS, OUT_WORDS, set_inputs, get_outputs and set_clock.
// One cycle: inputs set, clock low, eval, outputs sampled; clock high, eval.
// A nonzero first argument is the seed of random values for all state without an initial value.
// Output is flushed before every read that may block, so a bench may communicate cycle by cycle or in bulk.
#include "Vtop.h"
#include "verilated.h"
#include "ports.h"
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

static const size_t RECORDS = 4096;
static uint32_t in[RECORDS * IN_WORDS];
static uint32_t out[RECORDS * OUT_WORDS];

static bool write_all(const void* data, size_t n) {
    const char* p = static_cast<const char*>(data);
    while (n > 0) {
        ssize_t done = write(1, p, n);
        if (done <= 0) return false;
        p += done;
        n -= static_cast<size_t>(done);
    }
    return true;
}

int main(int argc, char** argv) {
    VerilatedContext context;
    const unsigned long seed = argc > 1 ? strtoul(argv[1], nullptr, 0) : 0;
    context.randSeed(static_cast<int>(seed));
    context.randReset(seed != 0 ? 2 : 0);
    Vtop top{&context};
    const size_t record = IN_WORDS * sizeof(uint32_t);
    size_t have = 0;  // bytes in `in`
    for (;;) {
        ssize_t got = read(0, reinterpret_cast<char*>(in) + have, sizeof(in) - have);
        if (got < 0) return 3;
        if (got == 0) return have == 0 ? 0 : 4;  // 4: cut inside a vector
        have += static_cast<size_t>(got);
        const size_t n = have / record;
        for (size_t i = 0; i < n; i++) {
            set_clock(top, 0);
            set_inputs(top, in + i * IN_WORDS);
            top.eval();
            get_outputs(top, out + i * OUT_WORDS);
            set_clock(top, 1);
            top.eval();
        }
        have -= n * record;
        memmove(in, reinterpret_cast<char*>(in) + n * record, have);
        if (!write_all(out, n * OUT_WORDS * sizeof(uint32_t))) return 5;
    }
}
