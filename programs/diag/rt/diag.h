// Handlers of events on the diagnosis processor; memory map and timing: docs/how-to/diagnosis.md
#ifndef DIAG_H
#define DIAG_H

#include <stdint.h>

// An event in its slot. Valid until its handler returns.
struct diag_event {
    uint16_t source : 6; // address of the node or generator that sent it: of a generator, the number of its core
    uint16_t lost : 10;  // events lost by the source until this one left it, since the one before; 1023 for more
    uint8_t id;      // event identifier; for a handler of this program its number
    uint8_t flags;   // 3:0 core, 6: has a time, 7: is a flush
    uint32_t time;   // clock cycle, or 0
    uint32_t args[6];
};

#define DIAG_NEXT (*(const struct diag_event *volatile const *)0x30000)
#define DIAG_SEND (*(volatile uint32_t *)0x30000)
#define DIAG_TIME (*(const volatile uint32_t *)0x30004)
#define DIAG_OUT ((volatile uint32_t *)0x20000)
#define DIAG_HOST 63u

typedef void diag_handler(const struct diag_event *e);

static inline uint32_t diag_core(const struct diag_event *e) { return e->flags & 15; }

// DIAG_ON(name, "call:f", "arg0, time") { ... }: a handler for the events of a probe, as in scripts. The event's arguments
// are the named fields, each once, except `core` and `time`, which have fields in every event.
#define DIAG_ON(name, at, fields)                                                                                      \
    static diag_handler name;                                                                                          \
    __attribute__((section(".handlers"), used)) static diag_handler *const diag_handler_##name = name;                 \
    __attribute__((section(".diag.probes"), used, aligned(4))) static const struct {                                   \
        diag_handler *handler;                                                                                         \
        char probe[60], captured[64];                                                                                  \
    } diag_probe_##name = {name, at, fields};                                                                          \
    static void name(__attribute__((unused)) const struct diag_event *e)

// DIAG_END { ... }: runs at a flush, which requests the tables: at the end of a run.
#define DIAG_END void diag_end(__attribute__((unused)) const struct diag_event *e)
diag_handler diag_end;

// DIAG_MESSAGE(name, "lock %s: %d"): a line that the host prints; DIAG_SAY(e, name, values...) sends it, up to 6 values, with
// core and time of the event.
#define DIAG_MESSAGE(name, text)                                                                                       \
    __attribute__((section(".diag.messages"), used, aligned(64))) static const char name[64] = text

#define DIAG_COUNT(_0, _1, _2, _3, _4, _5, _6, n, ...) n
#define DIAG_SAY(e, ...)                                                                                               \
    diag_values((e), DIAG_COUNT(__VA_ARGS__, 6, 5, 4, 3, 2, 1, 0), (const uint32_t[]){DIAG_WORDS(__VA_ARGS__)})
#define DIAG_WORDS(name, ...) (uint32_t)(name) / 64, ##__VA_ARGS__

// Sends an event: destination, identifier, core and whether it has a time (as in `flags`), time, arguments.
static inline void diag_send(uint32_t dest, uint32_t id, uint32_t flags, uint32_t time, uint32_t n, const uint32_t *args)
{
    DIAG_OUT[0] = (flags & 0x4f) << 24 | (id & 255) << 16 | (dest & 63) << 6;
    DIAG_OUT[1] = time;
    for (uint32_t i = 0; i < n; i++)
        DIAG_OUT[2 + i] = args[i];
    DIAG_SEND = n;
}

static inline void diag_values(const struct diag_event *e, uint32_t n, const uint32_t *words)
{
    diag_send(DIAG_HOST, words[0], e->flags, e->time, n, words + 1);
}

#endif
