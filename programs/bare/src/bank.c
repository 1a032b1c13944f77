// The bank account race: tellers request the balance from the bank task, wait, and write it back less one.
// Without a lock, transactions interleave and updates are lost; with a lock, none is lost.
//
// The scenario is that of the race-condition example of DiaSys (P. Wagner et al., section 5.1): hart 0
// runs the bank, which answers messages through get_balance(src) and set_balance(src, balance); the
// other harts run the tellers. With one hart the bank and the tellers take turns.
#include "rt.h"

#define TELLERS 6
#define TRANSACTIONS 500 // of each teller, with and without the lock
#define OPENING 1000000

enum kind { NONE, GET_BALANCE, SET_BALANCE, REPLY };

// One mailbox for each teller: the kind is written last.
static struct mailbox {
    volatile uint32_t kind;
    volatile uint32_t value;
} mailbox[TELLERS];

// ---- the bank ----

static uint32_t balance;
static uint32_t gets, sets, interleaved;
static int32_t owner; // teller of the open transaction, or -1

NOINLINE uint32_t get_balance(uint32_t src)
{
    gets++;
    if (owner >= 0 && owner != (int32_t)src)
        interleaved++;
    owner = (int32_t)src;
    return balance;
}

NOINLINE void set_balance(uint32_t src, uint32_t value)
{
    sets++;
    if (owner == (int32_t)src)
        owner = -1;
    balance = value;
}

static void bank_step(void)
{
    for (uint32_t src = 0; src < TELLERS; src++) {
        struct mailbox *m = &mailbox[src];
        switch ((enum kind)atomic_load(&m->kind)) {
        case GET_BALANCE:
            m->value = get_balance(src);
            atomic_store(&m->kind, REPLY);
            break;
        case SET_BALANCE:
            set_balance(src, m->value);
            atomic_store(&m->kind, REPLY);
            break;
        default: break;
        }
    }
}

// ---- the tellers, as state machines so that several fit on one hart ----

static struct teller {
    enum { RESTING, LOCKING, READING, THINKING, WRITING, FINISHED } state;
    uint32_t random, wait, seen, left;
} teller[TELLERS];
static bool locked; // whether this round takes the lock
static lock_t account;
static volatile uint32_t finished;

static void ask(uint32_t t, enum kind kind, uint32_t value)
{
    mailbox[t].value = value;
    atomic_store(&mailbox[t].kind, kind);
}

static NOINLINE void teller_step(uint32_t t)
{
    struct teller *me = &teller[t];
    switch (me->state) {
    case RESTING:
        if (me->wait && --me->wait)
            break;
        me->state = LOCKING;
        break;
    case LOCKING:
        if (locked && !try_lock(&account))
            break;
        ask(t, GET_BALANCE, 0);
        me->state = READING;
        break;
    case READING:
        if (atomic_load(&mailbox[t].kind) != REPLY)
            break;
        me->seen = mailbox[t].value;
        me->wait = rand_below(&me->random, 6);
        me->state = THINKING;
        break;
    case THINKING:
        if (me->wait && --me->wait)
            break;
        ask(t, SET_BALANCE, me->seen - 1);
        me->state = WRITING;
        break;
    case WRITING:
        if (atomic_load(&mailbox[t].kind) != REPLY)
            break;
        if (locked)
            unlock(&account);
        me->wait = rand_below(&me->random, 60);
        me->state = --me->left ? RESTING : FINISHED;
        if (me->state == FINISHED)
            atomic_add(&finished, 1);
        break;
    case FINISHED: break;
    }
}

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)arg;
    while (atomic_load(&finished) < TELLERS) {
        if (hart == 0)
            bank_step();
        if (harts == 1)
            for (uint32_t t = 0; t < TELLERS; t++)
                teller_step(t);
        else if (hart > 0)
            for (uint32_t t = hart - 1; t < TELLERS; t += harts - 1)
                teller_step(t);
    }
}

// Lets every teller do its transactions; returns the number of lost updates.
static uint32_t round(bool with_lock)
{
    locked = with_lock;
    balance = OPENING;
    gets = sets = interleaved = 0;
    owner = -1;
    finished = 0;
    for (uint32_t t = 0; t < TELLERS; t++) {
        mailbox[t].kind = NONE;
        teller[t] = (struct teller){RESTING, rand_seed(5000 + t), 1 + t, 0, TRANSACTIONS};
    }
    parallel(work, NULL);
    check(gets == TELLERS * TRANSACTIONS && sets == gets, "every transaction was done");
    return balance - (OPENING - TELLERS * TRANSACTIONS);
}

int main(void)
{
    uint32_t lost = round(false);
    check(lost > 0 && interleaved > 0, "transactions without a lock interleave");
    uart_puts("bank: ");
    uart_putdec(lost);
    uart_puts(" of ");
    uart_putdec(TELLERS * TRANSACTIONS);
    uart_puts(" updates lost without the lock\n");
    lost = round(true);
    check(lost == 0 && interleaved == 0, "transactions under the lock do not interleave");
    return report("bank", mix(mix(0, balance), sets), 0x11fcd366);
}
