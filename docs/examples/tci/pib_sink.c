/* Driver of a PIB sink: the sequences of the RISC-V Trace Control Interface 1.0 */
#include "pib_sink.h"

enum { CONTROL = 0x000, IMPL = 0x004 };

#define ACTIVE (1u << 0)
#define ENABLE (1u << 1)
#define EMPTY (1u << 3)
#define MODE_SHIFT 4
#define CENTER (1u << 8)
#define CALIBRATE (1u << 9)
#define DIVIDER_SHIFT 16

enum { POLLS = 1000000 };

static uint32_t get(const struct pib_sink *p, uint32_t offset)
{
    return trace_read(p->base + offset);
}

static void put(const struct pib_sink *p, uint32_t offset, uint32_t value)
{
    trace_write(p->base + offset, value);
}

static int poll(const struct pib_sink *p, uint32_t mask, uint32_t value)
{
    for (int i = 0; i < POLLS; i++)
        if ((get(p, CONTROL) & mask) == value)
            return 1;
    return 0;
}

static enum trace_error put_and_check(const struct pib_sink *p, uint32_t value)
{
    put(p, CONTROL, value);
    return (get(p, CONTROL) & ~EMPTY) == value ? TRACE_OK : TRACE_NOT_READ_BACK;
}

enum trace_error pib_open(struct pib_sink *p, uintptr_t base)
{
    *p = (struct pib_sink){.base = base};
    put(p, CONTROL, 0);
    if (!poll(p, ACTIVE, 0))
        return TRACE_NO_RESET;
    put(p, CONTROL, ACTIVE);
    if (!poll(p, ACTIVE | EMPTY, ACTIVE | EMPTY))
        return TRACE_NO_RESET;
    /* version 1 of the interface, component type 10 */
    return (get(p, IMPL) & 0xf0f) == 0xa01 ? TRACE_OK : TRACE_NO_PIB_SINK;
}

enum trace_error pib_set(struct pib_sink *p, enum pib_mode mode, int center, unsigned divider)
{
    p->setting = ACTIVE | (uint32_t)mode << MODE_SHIFT | (center ? CENTER : 0) | (uint32_t)divider << DIVIDER_SHIFT;
    return put_and_check(p, p->setting);
}

enum trace_error pib_calibrate(const struct pib_sink *p)
{
    return put_and_check(p, p->setting | CALIBRATE | ENABLE);
}

enum trace_error pib_start(const struct pib_sink *p)
{
    return put_and_check(p, p->setting | ENABLE);
}

enum trace_error pib_stop(const struct pib_sink *p)
{
    put(p, CONTROL, p->setting);
    return poll(p, ENABLE | EMPTY, EMPTY) ? TRACE_OK : TRACE_NOT_EMPTY;
}
