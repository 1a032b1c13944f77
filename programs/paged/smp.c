// A kernel for four harts of rocket: Sv39 without ASIDs, six processes with the same virtual addresses, of which each hart takes any that
// no other one runs; preemption by a timer; system calls. Its devices are those of `goshawk soc tile`.
typedef unsigned long u64;

enum { PAGE = 4096, PROCESSES = 6, CODE_PAGES = 4, STACK_PAGES = 1, USER_CODE = 0x10000, USER_STACK = 0x20000 };
enum { V = 1, R = 2, W = 4, X = 8, U = 16, A = 64, D = 128 };
enum { CAUSE_ECALL_U = 8, CAUSE_TIMER_S = 5 };
enum { CALL_PUT = 1, CALL_YIELD = 2, CALL_EXIT = 3, CALL_TURNS = 4 };
enum state { READY, RUNS, ENDED };

struct process {
    u64 frame[33]; // pc, x1 to x31, hart
    u64 satp;
    u64 turns, result;
    enum state state;
};

// devices are mapped to the gigabyte after that of RAM
#define UART ((volatile unsigned char *)0xd0000000)
#define FINISHER ((volatile unsigned int *)0xd0100000)

extern const unsigned char image_a[], image_a_end[], image_b[], image_b_end[];
void enter(u64 *frame) __attribute__((noreturn));
void next_tick(void);
u64 hart_of_this(void);

static struct process process[PROCESSES];
static int lock, loaded;
// The roots are at a fixed address, so that the numbers of the address spaces are known: 256 for process 0, and so on.
static u64 (*const root)[512] = (u64(*)[512])0x80100000;
static u64 middle[PROCESSES][512] __attribute__((aligned(PAGE)));
static u64 leaf[PROCESSES][512] __attribute__((aligned(PAGE)));
static unsigned char memory[PROCESSES][CODE_PAGES + STACK_PAGES][PAGE] __attribute__((aligned(PAGE)));

static void acquire(void) {
    while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) {}
}

static void release(void) { __atomic_store_n(&lock, 0, __ATOMIC_RELEASE); }

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
    p->satp = 8ul << 60 | (u64)root[i] >> 12;
}

// All processes of a program have one result.
static void end(void) {
    int right = 1;
    for (int i = 2; i < PROCESSES; i++) right &= process[i].result == process[i % 2].result;
    print("\nsmp: result ");
    for (int i = 0; i < 2; i++) print_hex(process[i].result, 8);
    print(right ? " ok\n" : " differs\n");
    *FINISHER = right ? 0x5555 : 0x3333 | 1 << 16;
    for (;;) {}
}

// The next process after `last` that no hart runs; waits for one. The lock is held before and after.
static struct process *next_after(int last) {
    for (;;) {
        int ended = 0;
        for (int n = 1; n <= PROCESSES; n++) {
            struct process *p = &process[(last + n) % PROCESSES];
            ended += p->state == ENDED;
            if (p->state == READY) {
                p->state = RUNS;
                p->turns++;
                p->frame[32] = hart_of_this();
                __asm__ volatile("csrw satp, %0\n\tsfence.vma" ::"r"(p->satp) : "memory");
                return p;
            }
        }
        if (ended == PROCESSES) end();
        release();
        for (volatile int wait = 0; wait < 100; wait++) {}
        acquire();
    }
}

u64 *kernel_trap(u64 *frame, u64 cause) {
    struct process *p = (struct process *)frame;
    int turns = 0;
    acquire();
    if (cause == (1ul << 63 | CAUSE_TIMER_S)) {
        next_tick();
        turns = 1;
    } else if (cause == CAUSE_ECALL_U) {
        frame[0] += 4;
        switch (frame[17]) {
        case CALL_PUT: put((char)frame[10]); break;
        case CALL_YIELD: turns = 1; break;
        case CALL_TURNS: frame[10] = p->turns; break;
        case CALL_EXIT:
            p->result = frame[10];
            p->state = ENDED;
            turns = 1;
            break;
        default: frame[10] = -1ul;
        }
    } else {
        print("\nsmp: unexpected trap ");
        print_hex(cause, 16);
        *FINISHER = 0x3333 | 1 << 16;
        for (;;) {}
    }
    if (turns) {
        if (p->state == RUNS) p->state = READY;
        p = next_after((int)(p - process));
    }
    release();
    return p->frame;
}

void kernel_main(void) {
    if (hart_of_this() == 0) {
        for (int i = 0; i < PROCESSES; i++) load(i, i % 2 ? image_b : image_a, i % 2 ? image_b_end : image_a_end);
        __atomic_store_n(&loaded, 1, __ATOMIC_RELEASE);
    }
    while (!__atomic_load_n(&loaded, __ATOMIC_ACQUIRE)) {}
    __asm__ volatile("csrw sie, %0" ::"r"(1ul << CAUSE_TIMER_S));
    next_tick();
    acquire();
    struct process *p = next_after(PROCESSES - 1);
    release();
    enter(p->frame);
}
