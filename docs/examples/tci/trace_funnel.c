/* Driver of a trace funnel: the sequences of the RISC-V Trace Control Interface 1.0 */
#include "trace_funnel.h"

enum { CONTROL = 0x000, IMPL = 0x004, DIS_INPUT = 0x008 };

#define ACTIVE (1u << 0)
#define ENABLE (1u << 1)
#define EMPTY (1u << 3)

enum { POLLS = 100000 };

static uint32_t get(const struct trace_funnel *f, uint32_t offset)
{
    return trace_read(f->base + offset);
}

static void put(const struct trace_funnel *f, uint32_t offset, uint32_t value)
{
    trace_write(f->base + offset, value);
}

static int poll(const struct trace_funnel *f, uint32_t mask, uint32_t value)
{
    for (int i = 0; i < POLLS; i++)
        if ((get(f, CONTROL) & mask) == value)
            return 1;
    return 0;
}

enum trace_error funnel_open(struct trace_funnel *f, uintptr_t base)
{
    *f = (struct trace_funnel){.base = base};
    put(f, CONTROL, 0);
    if (!poll(f, ACTIVE, 0))
        return TRACE_NO_RESET;
    put(f, CONTROL, ACTIVE);
    if (!poll(f, ACTIVE, ACTIVE))
        return TRACE_NO_RESET;
    /* version 1 of the interface, component type 8 */
    if ((get(f, IMPL) & 0xf0f) != 0x801)
        return TRACE_NO_FUNNEL;
    put(f, DIS_INPUT, 0xffff);
    f->inputs = get(f, DIS_INPUT);
    put(f, DIS_INPUT, 0);
    return TRACE_OK;
}

enum trace_error funnel_start(const struct trace_funnel *f, uint32_t inputs)
{
    uint32_t disabled = f->inputs & ~inputs;
    if (inputs & ~f->inputs)
        return TRACE_NOT_READ_BACK;
    put(f, DIS_INPUT, disabled);
    if (get(f, DIS_INPUT) != disabled)
        return TRACE_NOT_READ_BACK;
    put(f, CONTROL, ACTIVE | ENABLE);
    return (get(f, CONTROL) & ~EMPTY) == (ACTIVE | ENABLE) ? TRACE_OK : TRACE_NOT_READ_BACK;
}

enum trace_error funnel_stop(const struct trace_funnel *f)
{
    put(f, CONTROL, ACTIVE);
    return poll(f, ENABLE | EMPTY, EMPTY) ? TRACE_OK : TRACE_NOT_EMPTY;
}
