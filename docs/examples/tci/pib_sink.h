/* A PIB sink of the RISC-V Trace Control Interface 1.0: the pins for a trace probe.
 *
 * The two accesses and the results are those of trace_encoder.h. */
#ifndef PIB_SINK_H
#define PIB_SINK_H

#include "trace_encoder.h"

enum pib_mode {
    PIB_MANCHESTER = 4,
    PIB_UART = 5,
    PIB_PARALLEL_1 = 8,
    PIB_PARALLEL_2 = 9,
    PIB_PARALLEL_4 = 10,
    PIB_PARALLEL_8 = 11,
    PIB_PARALLEL_16 = 12
};

struct pib_sink {
    uintptr_t base;
    uint32_t setting; /* trPibControl without trPibEnable and trPibEmpty */
};

/* Resets the sink. */
enum trace_error pib_open(struct pib_sink *sink, uintptr_t base);

/* Sets the pins: they are idle, and the clock of a parallel mode runs. `center`: its edges are in the middle of a bit. A period has
 * `divider` + 1 cycles. Activate the probe after this. */
enum trace_error pib_set(struct pib_sink *sink, enum pib_mode mode, int center, unsigned divider);

/* Sends the pattern for calibration until pib_stop. */
enum trace_error pib_calibrate(const struct pib_sink *sink);

/* Sends the trace; before the encoder is started. */
enum trace_error pib_start(const struct pib_sink *sink);

/* Ends sending, after the encoder was stopped, and waits until the last message has left. */
enum trace_error pib_stop(const struct pib_sink *sink);

#endif
