/* A RAM sink of the RISC-V Trace Control Interface 1.0 with an SRAM.
 *
 * The two accesses and the results are those of trace_encoder.h. */
#ifndef RAM_SINK_H
#define RAM_SINK_H

#include "trace_encoder.h"

struct ram_sink {
    uintptr_t base;
    uint32_t bytes; /* size of the memory */
};

/* Resets the sink and finds the size of its memory. */
enum trace_error ram_open(struct ram_sink *sink, uintptr_t base);

/* Stores the trace from the start of the memory on; before the encoder is started. `stop`: ends when the memory is full, in place of
 * overwriting the oldest words. */
enum trace_error ram_start(const struct ram_sink *sink, int stop);

/* Ends storing, after the encoder was stopped, and makes ram_read begin at the oldest word. Returns the number of bytes of the trace.
 * `wrapped`: the memory was filled, and the first message of the trace may be cut. */
uint32_t ram_stop(const struct ram_sink *sink, int *wrapped);

/* The next word of the trace; its first byte is the lowest one. */
uint32_t ram_read(const struct ram_sink *sink);

#endif
