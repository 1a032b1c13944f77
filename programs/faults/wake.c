/* A small real-time system with the lists of FreeRTOS. A software interrupt makes `sensor` ready, and the timer `logger`, which waits until `sensor`
   has nothing to do. Both measure how many instructions passed since the entry of the handler. */
#include "faults.h"

#define MSIP (*(volatile uint32_t *)0x2000000)
#define MTIMECMP ((volatile uint32_t *)0x2004000)
#define MTIME (*(volatile uint32_t *)0x200bff8)
#define ROUNDS 40

typedef struct xLIST {
    struct tskTaskControlBlock *pxTask;
} List_t;

typedef struct xLIST_ITEM {
    uint32_t xItemValue;
    List_t *pxContainer;
} ListItem_t;

typedef struct tskTaskControlBlock {
    uintptr_t pxTopOfStack;
    ListItem_t xStateListItem;
    uint32_t uxPriority, woken;
    char pcTaskName[16];
} TCB_t;

TCB_t *volatile pxCurrentTCB;
volatile uint32_t entered, measured_sensor[ROUNDS], measured_logger[ROUNDS];

static List_t pxReadyTasksLists[3], xSuspendedTaskList;
static TCB_t idle_block, logger_block, sensor_block;
static char stack_idle[2048] __attribute__((aligned(16))), stack_logger[2048] __attribute__((aligned(16))),
    stack_sensor[2048] __attribute__((aligned(16)));
static volatile uint32_t sum;
static int readings;

void trap_entry(void);
void task_start(uintptr_t sp) __attribute__((noreturn));

static void timer_in(uint32_t cycles)
{
    MTIMECMP[1] = 0xffffffff;
    MTIMECMP[0] = MTIME + cycles;
    MTIMECMP[1] = 0;
}

static NOINLINE void ready(TCB_t *block)
{
    if (block->xStateListItem.pxContainer != &xSuspendedTaskList)
        return;
    block->woken = entered;
    block->xStateListItem.pxContainer = &pxReadyTasksLists[block->uxPriority];
    pxReadyTasksLists[block->uxPriority].pxTask = block;
}

static NOINLINE void suspend(TCB_t *block)
{
    pxReadyTasksLists[block->uxPriority].pxTask = 0;
    block->xStateListItem.pxContainer = &xSuspendedTaskList;
}

uintptr_t schedule(uintptr_t sp, uint32_t cause)
{
    pxCurrentTCB->pxTopOfStack = sp;
    if (cause == 0x80000003) {
        MSIP = 0;
        ready(&sensor_block);
    } else if (cause == 0x80000007) {
        timer_in(400 + readings % 5 * 100);
        ready(&logger_block);
    } else {
        suspend(pxCurrentTCB);
    }
    int priority = 2;
    while (!pxReadyTasksLists[priority].pxTask)
        priority--;
    pxCurrentTCB = pxReadyTasksLists[priority].pxTask;
    return pxCurrentTCB->pxTopOfStack;
}

static NOINLINE void work(int n)
{
    for (int i = 0; i < n; i++)
        sum = sum * 31 + i;
}

/* Waits for an interrupt; the first instruction after it reads the number of instructions. */
static inline uint32_t wait(void)
{
    uint32_t now;
    __asm__ volatile("ecall\n csrr %0, minstret" : "=r"(now)::"memory");
    return now - pxCurrentTCB->woken;
}

static void sensor(void)
{
    for (; readings < ROUNDS; readings++) {
        measured_sensor[readings] = wait();
        work(readings % 7 * 20);
    }
    *(volatile uint32_t *)0x100000 = 0x5555;
}

static void logger(void)
{
    for (int n = 0;; n = (n + 1) % ROUNDS) {
        measured_logger[n] = wait();
        work(30);
    }
}

static void idle(void)
{
    for (int n = 0;; n++) {
        work(n % 9 * 10);
        MSIP = 1;
    }
}

static void make(TCB_t *block, uint32_t priority, const char *name, char *top, void (*entry)(void))
{
    uintptr_t *frame = (uintptr_t *)(top - 128);
    frame[0] = (uintptr_t)entry;
    block->pxTopOfStack = (uintptr_t)frame;
    block->uxPriority = priority;
    block->xStateListItem.pxContainer = &pxReadyTasksLists[priority];
    pxReadyTasksLists[priority].pxTask = block;
    for (int i = 0; name[i]; i++)
        block->pcTaskName[i] = name[i];
}

int main(int hart)
{
    if (hart)
        return 0;
    make(&idle_block, 0, "IDLE", stack_idle + sizeof stack_idle, idle);
    make(&logger_block, 1, "logger", stack_logger + sizeof stack_logger, logger);
    make(&sensor_block, 2, "sensor", stack_sensor + sizeof stack_sensor, sensor);
    __asm__ volatile("csrw mtvec, %0\n csrs mie, %1" ::"r"(trap_entry), "r"(0x88));
    pxCurrentTCB = &sensor_block;
    timer_in(500);
    task_start(sensor_block.pxTopOfStack);
}
