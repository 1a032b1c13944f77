// A byte-code interpreter, twice: dispatch by a switch (a jump table) and by function pointers. Its
// programs (sieve, recursive Fibonacci, Collatz, bubble sort) are tasks that the harts share.
#include "rt.h"

enum op {
    PUSH,  // operand
    LOAD,  // variable
    STORE, // variable
    ADD,
    SUB,
    MUL,
    DIV,
    REM,
    LT,
    EQ,
    DUP,
    SWAP,
    DROP,
    JMP,  // target
    JZ,   // target
    CALL, // target; the argument stays on the stack
    RET,
    GET, // array[top]
    PUT, // array[top] = next
    HALT,
    OPS
};

#define VARS 8
#define STACK 256
#define ARRAY 2048

struct vm {
    const int32_t *code;
    uint32_t pc;
    int32_t *sp; // next free slot
    uint32_t *rp;
    bool running;
    uint32_t steps;
    int32_t stack[STACK];
    uint32_t ret[STACK];
    int32_t var[VARS];
    int32_t array[ARRAY];
};

// ---- dispatch by switch ----

static NOINLINE void run_switch(struct vm *m)
{
    const int32_t *code = m->code;
    uint32_t pc = 0, steps = 0;
    int32_t *sp = m->stack;
    uint32_t *rp = m->ret;
    for (;;) {
        int32_t x;
        steps++;
        switch ((enum op)code[pc++]) {
        case PUSH: *sp++ = code[pc++]; break;
        case LOAD: *sp++ = m->var[code[pc++]]; break;
        case STORE: m->var[code[pc++]] = *--sp; break;
        case ADD: x = *--sp; sp[-1] += x; break;
        case SUB: x = *--sp; sp[-1] -= x; break;
        case MUL: x = *--sp; sp[-1] *= x; break;
        case DIV: x = *--sp; sp[-1] = x ? sp[-1] / x : 0; break;
        case REM: x = *--sp; sp[-1] = x ? sp[-1] % x : 0; break;
        case LT: x = *--sp; sp[-1] = sp[-1] < x; break;
        case EQ: x = *--sp; sp[-1] = sp[-1] == x; break;
        case DUP: *sp = sp[-1]; sp++; break;
        case SWAP: x = sp[-1]; sp[-1] = sp[-2]; sp[-2] = x; break;
        case DROP: sp--; break;
        case JMP: pc = (uint32_t)code[pc]; break;
        case JZ: pc = *--sp ? pc + 1 : (uint32_t)code[pc]; break;
        case CALL: *rp++ = pc + 1; pc = (uint32_t)code[pc]; break;
        case RET: pc = *--rp; break;
        case GET: sp[-1] = m->array[sp[-1] & (ARRAY - 1)]; break;
        case PUT: sp -= 2; m->array[sp[1] & (ARRAY - 1)] = sp[0]; break;
        case HALT: m->sp = sp; m->steps = steps; return;
        default: check(false, "the byte code is known");
        }
    }
}

// ---- dispatch by function pointers ----

typedef void op_fn(struct vm *m);

static int32_t operand(struct vm *m) { return m->code[m->pc++]; }
static void f_push(struct vm *m) { *m->sp++ = operand(m); }
static void f_load(struct vm *m) { *m->sp++ = m->var[operand(m)]; }
static void f_store(struct vm *m) { m->var[operand(m)] = *--m->sp; }
static void f_add(struct vm *m) { m->sp--; m->sp[-1] += *m->sp; }
static void f_sub(struct vm *m) { m->sp--; m->sp[-1] -= *m->sp; }
static void f_mul(struct vm *m) { m->sp--; m->sp[-1] *= *m->sp; }
static void f_div(struct vm *m) { m->sp--; m->sp[-1] = *m->sp ? m->sp[-1] / *m->sp : 0; }
static void f_rem(struct vm *m) { m->sp--; m->sp[-1] = *m->sp ? m->sp[-1] % *m->sp : 0; }
static void f_lt(struct vm *m) { m->sp--; m->sp[-1] = m->sp[-1] < *m->sp; }
static void f_eq(struct vm *m) { m->sp--; m->sp[-1] = m->sp[-1] == *m->sp; }
static void f_dup(struct vm *m) { *m->sp = m->sp[-1]; m->sp++; }
static void f_swap(struct vm *m)
{
    int32_t x = m->sp[-1];
    m->sp[-1] = m->sp[-2];
    m->sp[-2] = x;
}
static void f_drop(struct vm *m) { m->sp--; }
static void f_jmp(struct vm *m) { m->pc = (uint32_t)m->code[m->pc]; }
static void f_jz(struct vm *m)
{
    if (*--m->sp)
        m->pc++;
    else
        f_jmp(m);
}
static void f_call(struct vm *m) { *m->rp++ = m->pc + 1; f_jmp(m); }
static void f_ret(struct vm *m) { m->pc = *--m->rp; }
static void f_get(struct vm *m) { m->sp[-1] = m->array[m->sp[-1] & (ARRAY - 1)]; }
static void f_put(struct vm *m) { m->sp -= 2; m->array[m->sp[1] & (ARRAY - 1)] = m->sp[0]; }
static void f_halt(struct vm *m) { m->running = false; }

static op_fn *const table[OPS] = {f_push, f_load, f_store, f_add,  f_sub, f_mul, f_div,  f_rem, f_lt,  f_eq,
                                  f_dup,  f_swap, f_drop,  f_jmp,  f_jz,  f_call, f_ret, f_get, f_put, f_halt};

static NOINLINE void run_table(struct vm *m)
{
    while (m->running) {
        m->steps++;
        table[m->code[m->pc++]](m);
    }
}

// ---- the programs: jumps name labels, variable 0 is the argument, the top of the stack the result ----

#define LABEL OPS // pseudo instruction: its operand is the name of this place

// Number of primes below the argument.
static const int32_t sieve[] = {
    PUSH, 2, STORE, 1,
    LABEL, 0, LOAD, 1, LOAD, 0, LT, JZ, 9,
    LOAD, 1, GET, JZ, 1, JMP, 3,
    LABEL, 1, LOAD, 2, PUSH, 1, ADD, STORE, 2, LOAD, 1, DUP, ADD, STORE, 3,
    LABEL, 2, LOAD, 3, LOAD, 0, LT, JZ, 3,
    PUSH, 1, LOAD, 3, PUT, LOAD, 3, LOAD, 1, ADD, STORE, 3, JMP, 2,
    LABEL, 3, LOAD, 1, PUSH, 1, ADD, STORE, 1, JMP, 0,
    LABEL, 9, LOAD, 2, HALT,
};

// Fibonacci number, by two recursive calls.
static const int32_t fibonacci[] = {
    LOAD, 0, CALL, 0, HALT,
    LABEL, 0, DUP, PUSH, 2, LT, JZ, 1, RET,
    LABEL, 1, DUP, PUSH, 1, SUB, CALL, 0, SWAP, PUSH, 2, SUB, CALL, 0, ADD, RET,
};

// Sum of the Collatz lengths of 1..argument.
static const int32_t collatz[] = {
    PUSH, 1, STORE, 1,
    LABEL, 0, LOAD, 1, LOAD, 0, LT, JZ, 5, LOAD, 1,
    LABEL, 1, DUP, PUSH, 1, EQ, JZ, 2, DROP, LOAD, 1, PUSH, 1, ADD, STORE, 1, JMP, 0,
    LABEL, 2, LOAD, 2, PUSH, 1, ADD, STORE, 2, DUP, PUSH, 2, REM, JZ, 3,
    PUSH, 3, MUL, PUSH, 1, ADD, JMP, 1,
    LABEL, 3, PUSH, 2, DIV, JMP, 1,
    LABEL, 5, LOAD, 2, HALT,
};

// Bubble sort of random numbers; the result is a checksum of the sorted array.
static const int32_t bubble[] = {
    PUSH, 12345, STORE, 2, PUSH, 0, STORE, 1,
    LABEL, 0, LOAD, 1, LOAD, 0, LT, JZ, 1,   // array[i] = next random number
    LOAD, 2, PUSH, 75, MUL, PUSH, 74, ADD, PUSH, 65537, REM, DUP, STORE, 2, LOAD, 1, PUT,
    LOAD, 1, PUSH, 1, ADD, STORE, 1, JMP, 0,
    LABEL, 1, PUSH, 0, STORE, 3, PUSH, 1, STORE, 1, // one pass; variable 3: whether anything was swapped
    LABEL, 2, LOAD, 1, LOAD, 0, LT, JZ, 4,
    LOAD, 1, GET, LOAD, 1, PUSH, 1, SUB, GET, LT, JZ, 3,
    LOAD, 1, GET, LOAD, 1, PUSH, 1, SUB, GET, LOAD, 1, PUT, LOAD, 1, PUSH, 1, SUB, PUT, PUSH, 1, STORE, 3,
    LABEL, 3, LOAD, 1, PUSH, 1, ADD, STORE, 1, JMP, 2,
    LABEL, 4, LOAD, 3, JZ, 5, JMP, 1,
    LABEL, 5, PUSH, 0, STORE, 1, PUSH, 0,
    LABEL, 6, LOAD, 1, LOAD, 0, LT, JZ, 7,
    PUSH, 31, MUL, LOAD, 1, GET, ADD, LOAD, 1, PUSH, 1, ADD, STORE, 1, JMP, 6,
    LABEL, 7, HALT,
};

static bool has_operand(int32_t op)
{
    return op == PUSH || op == LOAD || op == STORE || op == JMP || op == JZ || op == CALL || op == LABEL;
}

#define CODE_MAX 256

// Resolves labels: a jump's operand becomes the index of its target.
static void assemble(const int32_t *from, uint32_t n, int32_t *to)
{
    int32_t label[16];
    int32_t at = 0;
    for (uint32_t i = 0; i < n; i += has_operand(from[i]) ? 2 : 1) {
        if (from[i] == LABEL)
            label[from[i + 1]] = at;
        else
            at += has_operand(from[i]) ? 2 : 1;
    }
    check(at <= CODE_MAX, "the byte code fits");
    at = 0;
    for (uint32_t i = 0; i < n; i += has_operand(from[i]) ? 2 : 1) {
        int32_t op = from[i];
        if (op == LABEL)
            continue;
        to[at++] = op;
        if (op == JMP || op == JZ || op == CALL)
            to[at++] = label[from[i + 1]];
        else if (has_operand(op))
            to[at++] = from[i + 1];
    }
}

static const struct {
    const int32_t *code;
    uint32_t n;
    int32_t argument;
} program[] = {
    {sieve, sizeof sieve / 4, 2048},
    {fibonacci, sizeof fibonacci / 4, 16},
    {collatz, sizeof collatz / 4, 300},
    {bubble, sizeof bubble / 4, 50},
    {fibonacci, sizeof fibonacci / 4, 15},
    {sieve, sizeof sieve / 4, 1500},
    {bubble, sizeof bubble / 4, 45},
    {collatz, sizeof collatz / 4, 250},
};
#define PROGRAMS (sizeof program / sizeof program[0])

static struct vm machine[MAX_HARTS];
static int32_t code[PROGRAMS][CODE_MAX];
static int32_t answer[PROGRAMS];
static uint32_t steps[PROGRAMS];
static volatile uint32_t next_task;

static void work(uint32_t hart, uint32_t harts, void *arg)
{
    (void)harts;
    (void)arg;
    struct vm *m = &machine[hart];
    uint32_t i;
    while ((i = atomic_add(&next_task, 1)) < PROGRAMS) {
        assemble(program[i].code, program[i].n, code[i]);
        int32_t result[2];
        uint32_t count[2];
        for (int way = 0; way < 2; way++) {
            memset(m->var, 0, sizeof m->var);
            memset(m->array, 0, sizeof m->array);
            m->code = code[i];
            m->pc = 0;
            m->sp = m->stack;
            m->rp = m->ret;
            m->steps = 0;
            m->running = true;
            m->var[0] = program[i].argument;
            if (way == 0)
                run_switch(m);
            else
                run_table(m);
            check(m->sp == m->stack + 1, "the stack holds the result alone");
            result[way] = m->sp[-1];
            count[way] = m->steps;
        }
        check(result[0] == result[1] && count[0] == count[1], "both dispatches agree");
        answer[i] = result[0];
        steps[i] = count[0];
    }
}

int main(void)
{
    parallel(work, NULL);
    check(answer[0] == 309 && answer[5] == 239, "primes below 2048 and 1500");
    check(answer[1] == 987 && answer[4] == 610, "Fibonacci numbers 16 and 15");
    uint32_t h = 0;
    for (uint32_t i = 0; i < PROGRAMS; i++) {
        h = mix(h, (uint32_t)answer[i]);
        h = mix(h, steps[i]);
    }
    return report("vm", h, 0x29fc2871);
}
