// For benches: handlers of every kind, some of which never end or cause a fault
#include "diag.h"

static uint32_t sum, table[8];

// sends its arguments, combined with those of earlier events and with losses, args[0] mod 4 times
DIAG_ON(echo, "", "")
{
    uint32_t words[6];
    sum += e->args[0] ^ e->args[5] ^ e->lost << 16;
    table[e->args[1] & 7] += e->args[2];
    for (int i = 0; i < 6; i++)
        words[i] = e->args[i] + (i == 3 ? sum : table[i]);
    for (uint32_t n = e->args[0] & 3; n--;)
        diag_send(e->args[4], e->args[3], e->flags, e->time, (e->args[2] + n) % 7, words);
}

// takes a time that depends on its first argument
DIAG_ON(busy, "", "")
{
    for (volatile uint32_t n = e->args[0] & 15; n; n--)
        sum += (sum << (n & 31)) ^ (uint32_t)((int32_t)sum >> (n & 7));
    diag_send(e->source, sum, 0, 0, 1, &sum);
}

DIAG_ON(hangs, "", "")
{
    table[7]++;
    diag_send(DIAG_HOST, 1, e->flags, e->time, 2, e->args);
    for (;;)
        table[6]++;
}

// a load from an invalid address, an illegal instruction, a jump to an invalid address, or a store to a slot
DIAG_ON(breaks, "", "")
{
    table[5] += 3;
    switch (e->args[0] & 3) {
    case 0: sum += *(volatile uint32_t *)(e->args[1] | 1); break;
    case 1: __asm__ volatile(".word 0"); break;
    case 2: ((void (*)(void))0x40000)(); break;
    default: *(volatile uint32_t *)e = 0;
    }
}

DIAG_END { diag_send(DIAG_HOST, 2, 0, 0, 6, table + 2); }
