/* A trace funnel of three inputs as the Trace Control Interface describes it, that needs some time to become empty; it plays the driver. */
#include "trace_funnel.h"
#include <stdio.h>

static uint32_t control, disabled, type = 0x801;
static unsigned waits, forever;

uint32_t trace_read(uintptr_t address)
{
    switch (address - 0x8000) {
    case 0x000:
        waits -= waits > 0 && !forever && !(control & 2);
        return control | (waits != 0) | (waits ? 0 : 8);
    case 0x004: return type;
    case 0x008: return disabled;
    default: return 0;
    }
}

void trace_write(uintptr_t address, uint32_t value)
{
    printf("%03x %08x\n", (unsigned)(address - 0x8000), value);
    if (address == 0x8000) {
        control = control & 1 && value & 1 ? value & 3 : value & 1;
        disabled = control & 1 ? disabled : 0;
    }
    if (address == 0x8008 && control & 1)
        disabled = value & 7;
}

int main(void)
{
    struct trace_funnel funnel;
    printf("open %d\n", funnel_open(&funnel, 0x8000));
    printf("inputs %x\n", (unsigned)funnel.inputs);
    printf("start %d\n", funnel_start(&funnel, 5));
    waits = 5;
    printf("stop %d\n", funnel_stop(&funnel));
    printf("no such input %d\n", funnel_start(&funnel, 8));
    printf("start %d\n", funnel_start(&funnel, 7));
    waits = forever = 1;
    printf("never empty %d\n", funnel_stop(&funnel));
    waits = forever = 0;
    type = 0x101;
    printf("another component %d\n", funnel_open(&funnel, 0x8000));
    return 0;
}
