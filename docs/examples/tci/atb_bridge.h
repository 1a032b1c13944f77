/* An ATB bridge of the RISC-V Trace Control Interface 1.0.
 *
 * The two accesses and the results are those of trace_encoder.h. */
#ifndef ATB_BRIDGE_H
#define ATB_BRIDGE_H

#include "trace_encoder.h"

struct atb_bridge {
    uintptr_t base;
};

/* Resets the bridge. */
enum trace_error atb_open(struct atb_bridge *bridge, uintptr_t base);

/* Sends the trace with this ATID, 0x01 to 0x6f; before the encoder is started. */
enum trace_error atb_start(const struct atb_bridge *bridge, unsigned id);

/* Ends sending, after the encoder was stopped, and waits until ATB has accepted the last word. */
enum trace_error atb_stop(const struct atb_bridge *bridge);

#endif
