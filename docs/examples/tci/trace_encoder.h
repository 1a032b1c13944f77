/* A trace encoder of the RISC-V Trace Control Interface 1.0.
 *
 * Implement the two accesses for your system: an uncached load and store, or a debugger's access to the system bus. */
#ifndef TRACE_ENCODER_H
#define TRACE_ENCODER_H

#include <stdint.h>

uint32_t trace_read(uintptr_t address);
void trace_write(uintptr_t address, uint32_t value);

/* Results: 0, or the first step that failed. */
enum trace_error {
    TRACE_OK = 0,
    TRACE_NO_RESET,   /* trTeActive does not follow */
    TRACE_NO_ENCODER, /* no trace encoder of version 1 */
    TRACE_NOT_READ_BACK,
    TRACE_NOT_EMPTY,  /* words wait: does the sink take them? */
    TRACE_NO_RAM_SINK, /* no RAM sink of version 1 with an SRAM */
    TRACE_NO_ATB_BRIDGE, /* no ATB bridge of version 1 */
    TRACE_NO_PIB_SINK, /* no PIB sink of version 1 */
    TRACE_NO_FUNNEL /* no trace funnel of version 1 */
};

struct trace_encoder {
    uintptr_t base;
    uint32_t format;   /* trTeFormat: 0 E-Trace, 1 N-Trace, 7 of the vendor */
    uint32_t mode;     /* trTeInstMode that the encoder has */
    uint32_t features; /* trTeInstFeatures */
    uint32_t stall;    /* 1: it can stall cores */
    uint32_t sync_max; /* smallest trTeInstSyncMax; 0xffffffff: no periodic synchronisation */
};

/* Resets the encoder and finds what it can do. */
enum trace_error trace_open(struct trace_encoder *encoder, uintptr_t base);

/* Traces from now on. `stall`: stall cores in place of losing trace. `halfwords_log2`: at most 2^n halfwords of instructions between two
 * synchronisations, 0 for none. */
enum trace_error trace_start(const struct trace_encoder *encoder, int stall, unsigned halfwords_log2);

/* Traces the privilege modes in the mask only (bit 0 U, 1 S, 3 M); 0 removes the filter. */
enum trace_error trace_modes(const struct trace_encoder *encoder, unsigned mask);

/* Ends the trace and waits until all of it has left. `lost`: trace was lost, or a core was stalled. */
enum trace_error trace_stop(const struct trace_encoder *encoder, int *lost);

#endif
