/* A trace funnel of the RISC-V Trace Control Interface 1.0.
 *
 * The two accesses and the results are those of trace_encoder.h. */
#ifndef TRACE_FUNNEL_H
#define TRACE_FUNNEL_H

#include "trace_encoder.h"

struct trace_funnel {
    uintptr_t base;
    uint32_t inputs; /* bit i: input i can be disabled, so it exists; found by reset */
};

/* Resets the funnel, and finds its inputs. */
enum trace_error funnel_open(struct trace_funnel *funnel, uintptr_t base);

/* Joins the messages of the inputs with a 1; after the sink was started, before the encoders are. */
enum trace_error funnel_start(const struct trace_funnel *funnel, uint32_t inputs);

/* Ends it, after the encoders were stopped, and waits until all messages have left; then stop the sink. */
enum trace_error funnel_stop(const struct trace_funnel *funnel);

#endif
