// Records: a word  kind | core << 4 | cycles since the last one << 8  and its arguments. Kinds: src/records.rs.
#pragma once
#include "words.h"

static uint64_t cycle, told;

static void record(unsigned kind, unsigned core) {
    uint64_t delta = cycle - told;
    if (delta >= 1 << 24) {
        put(0);
        put(static_cast<uint32_t>(delta));
        delta = 0;
    }
    put(kind | core << 4 | static_cast<uint32_t>(delta) << 8);
    told = cycle;
}
