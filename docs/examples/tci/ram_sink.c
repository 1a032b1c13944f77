/* Driver of a RAM sink: the sequences of the RISC-V Trace Control Interface 1.0 */
#include "ram_sink.h"

enum { CONTROL = 0x000, IMPL = 0x004, LIMIT = 0x018, WP = 0x020, RP = 0x028, DATA = 0x040 };

#define ACTIVE (1u << 0)
#define ENABLE (1u << 1)
#define EMPTY (1u << 3)
#define STOP_ON_WRAP (1u << 8)
#define WRAP (1u << 0)

enum { POLLS = 100000 };

static uint32_t get(const struct ram_sink *s, uint32_t offset)
{
    return trace_read(s->base + offset);
}

static void put(const struct ram_sink *s, uint32_t offset, uint32_t value)
{
    trace_write(s->base + offset, value);
}

static int poll(const struct ram_sink *s, uint32_t mask, uint32_t value)
{
    for (int i = 0; i < POLLS; i++)
        if ((get(s, CONTROL) & mask) == value)
            return 1;
    return 0;
}

enum trace_error ram_open(struct ram_sink *s, uintptr_t base)
{
    *s = (struct ram_sink){.base = base};
    put(s, CONTROL, 0);
    if (!poll(s, ACTIVE, 0))
        return TRACE_NO_RESET;
    put(s, CONTROL, ACTIVE);
    if (!poll(s, ACTIVE | EMPTY, ACTIVE | EMPTY))
        return TRACE_NO_RESET;
    /* version 1 of the interface, component type 9, with an SRAM */
    if ((get(s, IMPL) & 0x1f0f) != 0x1901)
        return TRACE_NO_RAM_SINK;
    uint32_t limit = get(s, LIMIT);
    /* where the read pointer can be the limit, trRamData reads the memory */
    put(s, RP, limit);
    if (get(s, RP) != limit)
        return TRACE_NO_RAM_SINK;
    s->bytes = limit + 4;
    return TRACE_OK;
}

enum trace_error ram_start(const struct ram_sink *s, int stop)
{
    put(s, WP, 0);
    uint32_t value = (stop ? STOP_ON_WRAP : 0) | ENABLE | ACTIVE;
    put(s, CONTROL, value);
    return get(s, WP) == 0 && get(s, CONTROL) == (value | EMPTY) ? TRACE_OK : TRACE_NOT_READ_BACK;
}

uint32_t ram_stop(const struct ram_sink *s, int *wrapped)
{
    put(s, CONTROL, ACTIVE);
    poll(s, ENABLE | EMPTY, EMPTY);
    uint32_t wp = get(s, WP);
    *wrapped = (wp & WRAP) != 0;
    wp &= ~3u;
    put(s, RP, *wrapped ? wp : 0);
    return *wrapped ? s->bytes : wp;
}

uint32_t ram_read(const struct ram_sink *s)
{
    return get(s, DATA);
}
