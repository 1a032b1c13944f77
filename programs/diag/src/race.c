// Races (paper 004, 5.1): an account is opened or closed while another core has it open; builtin:race as a program
#include "diag.h"

DIAG_MESSAGE(race, "race: %d while %d owns");

// after a loss nothing is known until the account is opened again
static enum { CLOSED, OPEN, UNKNOWN } state;
static uint32_t owner;

DIAG_ON(opened, "call:get_balance", "arg0")
{
    uint32_t who = e->args[0];
    if (!e->lost && state == OPEN && owner != who)
        DIAG_SAY(e, race, who, owner);
    owner = who;
    state = OPEN;
}

DIAG_ON(closed, "ret:set_balance", "arg0")
{
    uint32_t who = e->args[0];
    if (e->lost)
        state = UNKNOWN;
    if (state == OPEN && owner == who)
        state = CLOSED;
    else if (state != UNKNOWN)
        DIAG_SAY(e, race, who, owner);
}
