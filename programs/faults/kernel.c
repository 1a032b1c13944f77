/* Tasks with the control blocks of ThreadX (-DTHREADX), Zephyr (-DZEPHYR) or FreeRTOS. All stacks lie in one array, as where they are
   allocated; each task measures how deep its own is */
#include "faults.h"

#define BYTES 1024

#if defined(THREADX)
typedef struct TX_THREAD_STRUCT {
    unsigned tx_thread_id;
    uintptr_t tx_thread_stack_ptr;
    void *tx_thread_stack_start, *tx_thread_stack_end;
    unsigned long tx_thread_stack_size;
    const char *tx_thread_name;
} block;
block *_tx_thread_current_ptr;
#define CURRENT _tx_thread_current_ptr
#define SAVED tx_thread_stack_ptr
#elif defined(ZEPHYR)
typedef struct k_thread {
    uintptr_t saved;
    struct _thread_stack_info {
        uintptr_t start, size, delta;
    } stack_info;
    char name[32];
} block;
struct _cpu {
    uint32_t nested;
    char *irq_stack;
    struct k_thread *current;
};
struct z_kernel {
    struct _cpu cpus[1];
} _kernel;
#define CURRENT _kernel.cpus[0].current
#define SAVED saved
#else
typedef struct tskTaskControlBlock {
    volatile uintptr_t pxTopOfStack;
    uint32_t uxPriority;
    uint32_t *pxStack;
    char pcTaskName[16];
} block;
block *volatile pxCurrentTCB;
#define CURRENT pxCurrentTCB
#define SAVED pxTopOfStack
#endif

static block blocks[2];
static char arena[4 * BYTES] __attribute__((aligned(16)));
volatile uintptr_t depth[2];
static int now, switches;

void trap_entry(void);
void task_start(uintptr_t sp) __attribute__((noreturn));

uintptr_t pick(uintptr_t sp)
{
    CURRENT->SAVED = sp;
    if (++switches > 20)
        *(volatile uint32_t *)0x100000 = 0x5555;
    now = !now;
    CURRENT = &blocks[now];
    return CURRENT->SAVED;
}

static char *bottom(int task)
{
    return arena + (task ? 0 : 2 * BYTES);
}

static NOINLINE int down(int task, int n)
{
    volatile int local[4];
    local[0] = n;
    if (n == 0) {
        uintptr_t sp;
        /* the handler pushes 128 bytes */
        __asm__ volatile("mv %0, sp\n ecall" : "=r"(sp)::"memory");
        depth[task] = (uintptr_t)bottom(task) + BYTES - sp + 128;
        return 0;
    }
    return down(task, n - 1) + local[0];
}

static void deep(void)
{
    for (;;)
        down(0, 12);
}

static void flat(void)
{
    for (;;)
        down(1, 2);
}

static void make(int task, const char *name, void (*entry)(void))
{
    block *b = &blocks[task];
    uintptr_t *frame = (uintptr_t *)(bottom(task) + BYTES - 128);
    frame[0] = (uintptr_t)entry;
    b->SAVED = (uintptr_t)frame;
#if defined(THREADX)
    b->tx_thread_stack_start = bottom(task);
    b->tx_thread_stack_end = bottom(task) + BYTES - 1;
    b->tx_thread_stack_size = BYTES;
    b->tx_thread_name = name;
#elif defined(ZEPHYR)
    b->stack_info.start = (uintptr_t)bottom(task);
    b->stack_info.size = BYTES;
    for (int i = 0; name[i]; i++)
        b->name[i] = name[i];
#else
    b->pxStack = (uint32_t *)bottom(task);
    for (int i = 0; name[i]; i++)
        b->pcTaskName[i] = name[i];
#endif
}

int main(int hart)
{
    if (hart)
        return 0;
    make(0, "deep", deep);
    make(1, "flat", flat);
    __asm__ volatile("csrw mtvec, %0" ::"r"(trap_entry));
    CURRENT = &blocks[0];
    task_start(CURRENT->SAVED);
}
