/* A trace encoder as the Trace Control Interface describes it, which loses trace in the second session; it plays the driver. */
#include "trace_encoder.h"
#include <stdio.h>

static uint32_t control, filters, filter, match;
static unsigned busy;

uint32_t trace_read(uintptr_t address)
{
    switch (address - 0x5000) {
    case 0x000:
        busy -= busy > 0 && !(control & 2);
        return 0x01000060 | (control | (busy != 0)) | (busy ? 0 : 8);
    case 0x004: return 0x00010101;
    case 0x008: return 0xc8;
    case 0x00c: return filters;
    case 0x400: return filter;
    case 0x404: return match;
    default: return 0;
    }
}

void trace_write(uintptr_t address, uint32_t value)
{
    printf("%03x %08x\n", (unsigned)(address - 0x5000), value);
    switch (address - 0x5000) {
    case 0x000: {
        uint32_t mark = control & 0x1000 & ~value;
        if (!(control & 1) || !(value & 1)) {
            control = value & 1;
            return;
        }
        uint32_t max = value >> 20 & 15;
        control = (value & 0x2007) | mark | ((value >> 16 & 3) == 3 ? 3u << 16 : 0) | (max < 7 ? 7 : max) << 20;
        if ((value & 7) == 7)
            busy = 5;
        if ((value & 0x2007) == 7)
            control |= 0x1000;
        return;
    }
    case 0x00c: filters = value & 1; return;
    case 0x400: filter = value & 3; return;
    case 0x404: match = value & 15; return;
    }
}

int main(void)
{
    struct trace_encoder encoder;
    int lost = 7;
    int error = trace_open(&encoder, 0x5000);
    printf("open %d: format %u, mode %u, features %x, stall %u, sync %u\n", error, encoder.format, encoder.mode, encoder.features,
           encoder.stall, encoder.sync_max);
    printf("modes %d\n", trace_modes(&encoder, 8));
    printf("start %d\n", trace_start(&encoder, 1, 12));
    error = trace_stop(&encoder, &lost);
    printf("stop %d, lost %d\n", error, lost);
    printf("start %d\n", trace_start(&encoder, 0, 0));
    error = trace_stop(&encoder, &lost);
    printf("stop %d, lost %d\n", error, lost);
    printf("short interval %d\n", trace_start(&encoder, 0, 5));
    return 0;
}
