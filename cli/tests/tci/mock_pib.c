/* A PIB sink as the Trace Control Interface describes it, without 16 parallel signals; it plays the driver. */
#include "pib_sink.h"
#include <stdio.h>

static uint32_t control, type = 0xa01;
static unsigned waits, forever;

uint32_t trace_read(uintptr_t address)
{
    switch (address - 0x6000) {
    case 0x000:
        waits -= waits > 0 && !forever && !(control & 2);
        return control | (waits ? 0 : 8);
    case 0x004: return type;
    default: return 0;
    }
}

void trace_write(uintptr_t address, uint32_t value)
{
    printf("%03x %08x\n", (unsigned)(address - 0x6000), value);
    if (address != 0x6000)
        return;
    if (!(control & 1) || !(value & 1)) {
        control = value & 1;
    } else if (control & 2 || waits) {
        control = (control & ~2u) | (value & 2);
    } else {
        uint32_t mode = value >> 4 & 15;
        if (mode == 12)
            value &= ~0x1f0u;
        if (mode < 8)
            value &= ~0x100u;
        control = value & 0x0fff03f3;
    }
}

int main(void)
{
    struct pib_sink sink;
    printf("open %d\n", pib_open(&sink, 0x6000));
    printf("set %d\n", pib_set(&sink, PIB_PARALLEL_4, 1, 2));
    printf("calibrate %d\n", pib_calibrate(&sink));
    printf("stop %d\n", pib_stop(&sink));
    printf("start %d\n", pib_start(&sink));
    waits = 5;
    printf("stop %d\n", pib_stop(&sink));
    printf("no such mode %d\n", pib_set(&sink, PIB_PARALLEL_16, 0, 2));
    printf("no such edges %d\n", pib_set(&sink, PIB_UART, 1, 2));
    printf("set %d\n", pib_set(&sink, PIB_UART, 0, 867));
    printf("start %d\n", pib_start(&sink));
    waits = forever = 1;
    printf("never sent %d\n", pib_stop(&sink));
    waits = forever = 0;
    type = 0x901;
    printf("another component %d\n", pib_open(&sink, 0x6000));
    return 0;
}
