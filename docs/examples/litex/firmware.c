// Core 0 traces the work of all cores, then prints the trace on the console.
#include "soc.h"
#include "registers.h"

#define REGISTER(address) (*(volatile uint32_t *)(uintptr_t)(address))

static void put(char c) {
    while (REGISTER(CSR_UART_TXFULL_ADDR))
        ;
    REGISTER(CSR_UART_RXTX_ADDR) = (uint8_t)c;
}

static void print(const char *text) {
    while (*text)
        put(*text++);
}

static void print_hex(uint32_t value) {
    for (int shift = 28; shift >= 0; shift -= 4)
        put("0123456789abcdef"[value >> shift & 15]);
}

// The program to be traced: sorts, by function pointers, recursively.
static uint32_t draw(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static int up(uint32_t a, uint32_t b) { return a < b; }
static int down(uint32_t a, uint32_t b) { return a > b; }

static void sort(uint32_t *x, int n, int (*before)(uint32_t, uint32_t)) {
    if (n < 2)
        return;
    uint32_t pivot = x[n / 2];
    int i = 0, j = n - 1;
    while (1) {
        while (before(x[i], pivot))
            i++;
        while (before(pivot, x[j]))
            j--;
        if (i >= j)
            break;
        uint32_t t = x[i];
        x[i++] = x[j];
        x[j--] = t;
    }
    sort(x, i, before);
    sort(x + i, n - i, before);
}

static int work(uint32_t core) {
    static uint32_t numbers[CORES][ITEMS];
    uint32_t *x = numbers[core], state = core + 1;
    int wrong = 0;
    for (int round = 0; round < 4; round++) {
        int (*before)(uint32_t, uint32_t) = round & 1 ? down : up;
        for (int i = 0; i < ITEMS; i++)
            x[i] = draw(&state);
        sort(x, ITEMS, before);
        for (int i = 1; i < ITEMS; i++)
            wrong += before(x[i], x[i - 1]);
    }
    return wrong;
}

// A register of the SoC, which no cache holds: 0 before the work, 1 while core 0 works, then 2 and what core 1 counted.
#define STAGE REGISTER(CSR_CTRL_SCRATCH_ADDR)

static void other(uint32_t core) {
    while (STAGE != 1)
        ;
    STAGE = 2 + (uint32_t)work(core);
    while (1)
        ;
}

int main(uint32_t core) {
    if (core > 0)
        other(core);
    STAGE = 0;
    print("goshawk ");
    print_hex(goshawk_read(GOSHAWK_BASE, GOSHAWK_PARAMS_OFFSET));
    put('\n');

    // the base has 64 bits, the upper ones first
    REGISTER(CSR_TRACE_DMA_BASE_ADDR) = 0;
    REGISTER(CSR_TRACE_DMA_BASE_ADDR + 4) = TRACE_RAM_BASE;
    REGISTER(CSR_TRACE_DMA_LENGTH_ADDR) = TRACE_RAM_SIZE;
    REGISTER(CSR_TRACE_DMA_ENABLE_ADDR) = 1;
    goshawk_write(GOSHAWK_BASE, GOSHAWK_CONTROL_OFFSET, GOSHAWK_CONTROL_ENABLE_MASK);
    while (!(goshawk_read(GOSHAWK_BASE, GOSHAWK_STATUS_OFFSET) & GOSHAWK_STATUS_ACTIVE_MASK))
        ;
    STAGE = 1;
    uint32_t wrong = (uint32_t)work(0);
    while (CORES > 1 && STAGE < 2)
        ;
    if (CORES > 1)
        wrong += STAGE - 2;
    goshawk_write(GOSHAWK_BASE, GOSHAWK_CONTROL_OFFSET, 0);
    while (!(goshawk_read(GOSHAWK_BASE, GOSHAWK_STATUS_OFFSET) & GOSHAWK_STATUS_IDLE_MASK))
        ;
    // the last word of a trace ends the writing, and so does the end of the memory
    while (!REGISTER(CSR_TRACE_DMA_DONE_ADDR))
        ;
    print(wrong ? "not sorted\n" : "sorted\n");
    if (goshawk_read(GOSHAWK_BASE, GOSHAWK_OVERFLOW_OFFSET))
        print("instructions were lost\n");
    uint32_t words = REGISTER(CSR_TRACE_DMA_OFFSET_ADDR);
    print("trace of ");
    print_hex(words);
    print(" words\n");
    for (uint32_t i = 0; i < words; i++) {
        print_hex(REGISTER(TRACE_RAM_BASE + 4 * i));
        put('\n');
    }
    print("end\n");
    REGISTER(CSR_ENDED_WHEN_ADDR) = 1;
    while (1)
        ;
}
