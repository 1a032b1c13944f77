/* An ATB bridge as the Trace Control Interface describes it, with a word that waits in the second session; it plays the driver. */
#include "atb_bridge.h"
#include <stdio.h>

static uint32_t control, type = 0xe01;
static unsigned waits, forever;

uint32_t trace_read(uintptr_t address)
{
    switch (address - 0x6000) {
    case 0x000:
        waits -= waits > 0 && !forever && !(control & 2);
        return control | (waits != 0) | (waits ? 0 : 8);
    case 0x004: return type;
    default: return 0;
    }
}

void trace_write(uintptr_t address, uint32_t value)
{
    printf("%03x %08x\n", (unsigned)(address - 0x6000), value);
    if (address != 0x6000)
        return;
    if (!(control & 1) || !(value & 1))
        control = value & 1;
    else
        control = (control & 2 || waits ? control & 0x7f00 : value & 0x7f00) | (value & 3);
}

int main(void)
{
    struct atb_bridge bridge;
    printf("open %d\n", atb_open(&bridge, 0x6000));
    printf("start %d\n", atb_start(&bridge, 0x2a));
    printf("stop %d\n", atb_stop(&bridge));
    printf("start %d\n", atb_start(&bridge, 0x6f));
    waits = 5;
    printf("stop %d\n", atb_stop(&bridge));
    printf("reserved %d %d\n", atb_start(&bridge, 0), atb_start(&bridge, 0x70));
    printf("start %d\n", atb_start(&bridge, 1));
    waits = forever = 1;
    printf("never accepted %d\n", atb_stop(&bridge));
    waits = forever = 0;
    type = 0x901;
    printf("another component %d\n", atb_open(&bridge, 0x6000));
    return 0;
}
