/* A program that traces itself: it starts the trace encoder and the RAM sink of its SoC, runs a function, stops them, and prints the
 * size and the words of its trace. Build and run it as docs/how-to/self-trace.md says. */
#include "ram_sink.h"
#include "rt.h"

/* goshawk soc sim --self-trace: the encoder, and the RAM sink in the next page */
#define ENCODER 0xf4000000u
#define SINK 0xf4001000u

uint32_t trace_read(uintptr_t address)
{
    return *(volatile uint32_t *)address;
}

void trace_write(uintptr_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}

/* What is traced: calls, returns, loops, and branches that depend on data. */
static NOINLINE uint32_t steps(uint32_t n)
{
    uint32_t count = 0;
    for (; n != 1; count++)
        n = n & 1 ? 3 * n + 1 : n >> 1;
    return count;
}

static NOINLINE uint32_t fib(uint32_t n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

#ifndef ROUNDS
#define ROUNDS 20
#endif

static NOINLINE uint32_t work(void)
{
    uint32_t sum = 0;
    for (uint32_t n = 1; n <= ROUNDS; n++)
        sum += steps(n) + fib(n & 7);
    return sum;
}

static void must(enum trace_error e, const char *what)
{
    check(e == TRACE_OK, what);
}

int main(void)
{
    struct trace_encoder encoder;
    struct ram_sink sink;
    must(trace_open(&encoder, ENCODER), "there is a trace encoder");
    must(ram_open(&sink, SINK), "there is a RAM sink");
    must(ram_start(&sink, 0), "the sink starts");
    must(trace_start(&encoder, 0, 0), "the encoder starts");
    uint32_t result = work();
    int lost, wrapped;
    must(trace_stop(&encoder, &lost), "the encoder stops");
    uint32_t bytes = ram_stop(&sink, &wrapped);

    uart_puts("result ");
    uart_putdec(result);
    uart_puts(", trace of ");
    uart_putdec(bytes);
    uart_puts(" bytes in format ");
    uart_putdec(encoder.format);
    uart_puts(lost ? ", lost" : ", not lost");
    uart_puts(wrapped ? ", wrapped\n" : ", not wrapped\n");
    for (uint32_t i = 0; i < bytes; i += 4) {
        uart_puts("trace ");
        uart_puthex(ram_read(&sink));
        uart_putc('\n');
    }
    return 0;
}
