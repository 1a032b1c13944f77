// A kernel with two processes: Sv39, one address space each, with the same virtual addresses; preemption by a timer; system
// calls.
typedef unsigned long u64;

enum { PAGE = 4096, PROCESSES = 2, CODE_PAGES = 4, STACK_PAGES = 1, USER_CODE = 0x10000, USER_STACK = 0x20000 };
enum { V = 1, R = 2, W = 4, X = 8, U = 16, A = 64, D = 128 };
enum { CAUSE_ECALL_U = 8, CAUSE_TIMER_S = 5 };
enum { CALL_PUT = 1, CALL_YIELD = 2, CALL_EXIT = 3, CALL_TURNS = 4 };

struct process {
    u64 frame[32]; // pc, then x1 to x31
    u64 satp;
    u64 turns, calls, result;
    int ended;
};

// devices are mapped to the gigabyte after that of RAM
#define UART ((volatile unsigned char *)0xd0000000)
#define FINISHER ((volatile unsigned int *)0xc0100000)

extern const unsigned char image_a[], image_a_end[], image_b[], image_b_end[];
void enter(u64 *frame) __attribute__((noreturn));
void next_tick(void);

static struct process process[PROCESSES];
static int current;
static u64 ticks;
static u64 root[PROCESSES][512] __attribute__((aligned(PAGE)));
static u64 middle[PROCESSES][512] __attribute__((aligned(PAGE)));
static u64 leaf[PROCESSES][512] __attribute__((aligned(PAGE)));
static unsigned char memory[PROCESSES][CODE_PAGES + STACK_PAGES][PAGE] __attribute__((aligned(PAGE)));

static void put(char c) { *UART = (unsigned char)c; }

static void print(const char *text) {
    while (*text) put(*text++);
}

static void print_hex(u64 v, int digits) {
    while (digits--) put("0123456789abcdef"[v >> (4 * digits) & 15]);
}

static u64 entry(const void *page, u64 flags) { return (u64)page >> 12 << 10 | flags | V; }

static void load(int i, const unsigned char *from, const unsigned char *end) {
    struct process *p = &process[i];
    for (u64 n = 0; from + n < end; n++) memory[i][n / PAGE][n % PAGE] = from[n];
    for (int k = 0; k < CODE_PAGES; k++) leaf[i][(USER_CODE >> 12) + k] = entry(memory[i][k], R | W | X | U | A | D);
    for (int k = 0; k < STACK_PAGES; k++)
        leaf[i][(USER_STACK >> 12) + k] = entry(memory[i][CODE_PAGES + k], R | W | U | A | D);
    middle[i][0] = entry(leaf[i], 0);
    root[i][0] = entry(middle[i], 0);
    root[i][2] = entry((void *)0x80000000, R | W | X | A | D); // the kernel, a gigabyte page
    root[i][3] = entry((void *)0, R | W | A | D);
    p->frame[0] = USER_CODE;
    p->frame[2] = USER_STACK + STACK_PAGES * PAGE;
    p->satp = 8ul << 60 | (u64)(i + 1) << 44 | (u64)root[i] >> 12;
}

static void space_of(struct process *p) { __asm__ volatile("csrw satp, %0\n\tsfence.vma" ::"r"(p->satp) : "memory"); }

static void end(void) {
    print("\npaged: result ");
    for (int i = 0; i < PROCESSES; i++) print_hex(process[i].result, 8);
    print(" ok\n");
    *FINISHER = 0x5555;
    for (;;) {}
}

// The next process that has not ended.
static void take_turns(void) {
    for (int n = 1; n <= PROCESSES; n++) {
        int next = (current + n) % PROCESSES;
        if (!process[next].ended) {
            if (next != current) {
                current = next;
                space_of(&process[current]);
            }
            process[current].turns++;
            return;
        }
    }
    end();
}

u64 *kernel_trap(u64 *frame, u64 cause) {
    struct process *p = &process[current];
    if (cause == (1ul << 63 | CAUSE_TIMER_S)) {
        ticks++;
        next_tick();
        take_turns();
    } else if (cause == CAUSE_ECALL_U) {
        frame[0] += 4;
        p->calls++;
        switch (frame[17]) {
        case CALL_PUT: put((char)frame[10]); break;
        case CALL_YIELD: take_turns(); break;
        case CALL_TURNS: frame[10] = p->turns; break;
        case CALL_EXIT:
            p->result = frame[10];
            p->ended = 1;
            take_turns();
            break;
        default: frame[10] = -1ul;
        }
    } else {
        print("\npaged: unexpected trap ");
        print_hex(cause, 16);
        *FINISHER = 0x3333 | 1 << 16;
        for (;;) {}
    }
    return process[current].frame;
}

void kernel_main(void) {
    load(0, image_a, image_a_end);
    load(1, image_b, image_b_end);
    space_of(&process[0]);
    __asm__ volatile("csrw sie, %0" ::"r"(1ul << CAUSE_TIMER_S));
    next_tick();
    enter(process[0].frame);
}
