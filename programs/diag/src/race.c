// Races (paper 004, 5.1): an account is opened or closed while another core has it open; builtin:race as a program
#include "diag.h"

DIAG_MESSAGE(race, "race: %d while %d owns");

static uint32_t owner, open;

DIAG_ON(opened, "call:get_balance", "arg0")
{
    uint32_t who = e->args[0];
    if (open && owner != who)
        DIAG_SAY(e, race, who, owner);
    owner = who;
    open = 1;
}

DIAG_ON(closed, "ret:set_balance", "arg0")
{
    uint32_t who = e->args[0];
    if (open && owner == who)
        open = 0;
    else
        DIAG_SAY(e, race, who, owner);
}
