/* Driver of a trace encoder: the sequences of the RISC-V Trace Control Interface 1.0 */
#include "trace_encoder.h"

enum { CONTROL = 0x000, IMPL = 0x004, FEATURES = 0x008, FILTERS = 0x00c, FILTER0 = 0x400, FILTER0_MATCH = 0x404 };

#define ACTIVE (1u << 0)
#define ENABLE (1u << 1)
#define TRACING (1u << 2)
#define EMPTY (1u << 3)
#define MODE(n) ((uint32_t)(n) << 4)
#define STALL_OR_OVERFLOW (1u << 12)
#define STALL_ENA (1u << 13)
#define SYNC_HALFWORDS (3u << 16)
#define SYNC_MASK (3u << 16)
#define SYNC_MAX(n) ((uint32_t)(n) << 20)

/* A trace that is not taken by a slow sink needs long to leave. */
enum { POLLS = 100000 };

static uint32_t get(const struct trace_encoder *e, uint32_t offset)
{
    return trace_read(e->base + offset);
}

static void put(const struct trace_encoder *e, uint32_t offset, uint32_t value)
{
    trace_write(e->base + offset, value);
}

static int poll(const struct trace_encoder *e, uint32_t mask, uint32_t value)
{
    for (int i = 0; i < POLLS; i++)
        if ((get(e, CONTROL) & mask) == value)
            return 1;
    return 0;
}

/* Writes trTeControl; whether the bits of `mask` read back. */
static int control(const struct trace_encoder *e, uint32_t value, uint32_t mask)
{
    put(e, CONTROL, value);
    return (get(e, CONTROL) & mask) == (value & mask);
}

enum trace_error trace_open(struct trace_encoder *e, uintptr_t base)
{
    *e = (struct trace_encoder){.base = base};
    put(e, CONTROL, 0);
    if (!poll(e, ACTIVE, 0))
        return TRACE_NO_RESET;
    put(e, CONTROL, ACTIVE);
    if (!poll(e, ACTIVE, ACTIVE))
        return TRACE_NO_RESET;
    /* version 1 of the interface, component type 1 */
    if ((get(e, IMPL) & 0xf0f) != 0x101)
        return TRACE_NO_ENCODER;
    put(e, FEATURES, 0);
    put(e, FILTERS, 0);
    e->features = get(e, FEATURES);
    /* what cannot be written reads as it is: ask for history, stalls and the shortest interval */
    put(e, CONTROL, MODE(6) | STALL_ENA | SYNC_HALFWORDS | SYNC_MAX(0) | ACTIVE);
    uint32_t found = get(e, CONTROL);
    e->format = found >> 24 & 7;
    e->mode = found >> 4 & 7;
    e->stall = (found & STALL_ENA) != 0;
    e->sync_max = (found & SYNC_MASK) == SYNC_HALFWORDS ? found >> 20 & 15 : 0xffffffffu;
    put(e, CONTROL, MODE(e->mode) | ACTIVE);
    return TRACE_OK;
}

enum trace_error trace_start(const struct trace_encoder *e, int stall, unsigned halfwords_log2)
{
    uint32_t value = MODE(e->mode) | ACTIVE;
    if (stall && e->stall)
        value |= STALL_ENA;
    if (halfwords_log2 >= 4 && e->sync_max <= halfwords_log2 - 4)
        value |= SYNC_HALFWORDS | SYNC_MAX(halfwords_log2 - 4 < 15 ? halfwords_log2 - 4 : 15);
    else if (halfwords_log2)
        return TRACE_NOT_READ_BACK;
    put(e, CONTROL, value | STALL_OR_OVERFLOW);
    uint32_t mask = MODE(7) | STALL_ENA | SYNC_MASK | TRACING | ENABLE | ACTIVE;
    /* the sink first, then the encoder, then the instructions */
    if (!control(e, value | ENABLE, mask) || !control(e, value | TRACING | ENABLE, mask))
        return TRACE_NOT_READ_BACK;
    return TRACE_OK;
}

enum trace_error trace_modes(const struct trace_encoder *e, unsigned mask)
{
    put(e, FILTER0_MATCH, mask);
    put(e, FILTER0, mask ? 3 : 0);
    put(e, FILTERS, mask != 0);
    return get(e, FILTER0_MATCH) == mask && get(e, FILTERS) == (mask != 0) ? TRACE_OK : TRACE_NOT_READ_BACK;
}

enum trace_error trace_stop(const struct trace_encoder *e, int *lost)
{
    uint32_t value = get(e, CONTROL) & ~(TRACING | ENABLE | STALL_OR_OVERFLOW);
    put(e, CONTROL, value);
    if (!poll(e, EMPTY | ENABLE, EMPTY))
        return TRACE_NOT_EMPTY;
    *lost = (get(e, CONTROL) & STALL_OR_OVERFLOW) != 0;
    return TRACE_OK;
}
