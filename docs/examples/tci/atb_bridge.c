/* Driver of an ATB bridge: the sequences of the RISC-V Trace Control Interface 1.0 */
#include "atb_bridge.h"

enum { CONTROL = 0x000, IMPL = 0x004 };

#define ACTIVE (1u << 0)
#define ENABLE (1u << 1)
#define EMPTY (1u << 3)
#define ID_SHIFT 8

enum { POLLS = 100000 };

static uint32_t get(const struct atb_bridge *b, uint32_t offset)
{
    return trace_read(b->base + offset);
}

static void put(const struct atb_bridge *b, uint32_t offset, uint32_t value)
{
    trace_write(b->base + offset, value);
}

static int poll(const struct atb_bridge *b, uint32_t mask, uint32_t value)
{
    for (int i = 0; i < POLLS; i++)
        if ((get(b, CONTROL) & mask) == value)
            return 1;
    return 0;
}

enum trace_error atb_open(struct atb_bridge *b, uintptr_t base)
{
    *b = (struct atb_bridge){.base = base};
    put(b, CONTROL, 0);
    if (!poll(b, ACTIVE, 0))
        return TRACE_NO_RESET;
    put(b, CONTROL, ACTIVE);
    if (!poll(b, ACTIVE | EMPTY, ACTIVE | EMPTY))
        return TRACE_NO_RESET;
    /* version 1 of the interface, component type 14 */
    return (get(b, IMPL) & 0xf0f) == 0xe01 ? TRACE_OK : TRACE_NO_ATB_BRIDGE;
}

enum trace_error atb_start(const struct atb_bridge *b, unsigned id)
{
    /* ATB reserves the other IDs */
    if (id < 0x01 || id > 0x6f)
        return TRACE_NOT_READ_BACK;
    uint32_t value = (uint32_t)id << ID_SHIFT | ACTIVE;
    put(b, CONTROL, value);
    if ((get(b, CONTROL) & ~EMPTY) != value)
        return TRACE_NOT_READ_BACK;
    put(b, CONTROL, value | ENABLE);
    return (get(b, CONTROL) & ~EMPTY) == (value | ENABLE) ? TRACE_OK : TRACE_NOT_READ_BACK;
}

enum trace_error atb_stop(const struct atb_bridge *b)
{
    put(b, CONTROL, ACTIVE);
    return poll(b, ENABLE | EMPTY, EMPTY) ? TRACE_OK : TRACE_NOT_EMPTY;
}
