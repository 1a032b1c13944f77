/* Tasks in all states, with the control blocks and lists of FreeRTOS, ThreadX (-DTHREADX) or Zephyr (-DZEPHYR). Each task runs once and
   does what its name says; `fresh` never runs. At the end, `main` resumes `parked` and runs a last round */
#include "faults.h"

enum { MAIN, WAITS, SLEEPS, PARKED, GONE, NOTIFY, FRESH, TASKS };
enum state { READY, OBJECT, TIME, SUSPENDED, ENDED, NOTIFICATION };

static const char *const names[TASKS] = {"main", "waits", "sleeps", "parked", "gone", "notify", "fresh"};

#if defined(THREADX)
typedef struct TX_THREAD_STRUCT {
    unsigned tx_thread_id;
    uintptr_t tx_thread_stack_ptr;
    const char *tx_thread_name;
    unsigned tx_thread_state;
    struct TX_THREAD_STRUCT *tx_thread_created_next;
} block;
block *_tx_thread_current_ptr, *_tx_thread_created_ptr;
#define CURRENT _tx_thread_current_ptr
#define SAVED tx_thread_stack_ptr
#elif defined(ZEPHYR)
typedef struct _dnode {
    union {
        struct _dnode *head, *next;
    };
    union {
        struct _dnode *tail, *prev;
    };
} sys_dnode_t;
struct _timeout {
    sys_dnode_t node;
    int32_t dticks;
};
struct _thread_base {
    sys_dnode_t qnode_dlist;
    uint8_t user_options, thread_state;
    struct _timeout timeout;
};
typedef struct k_thread {
    struct _thread_base base;
    uintptr_t saved;
    struct k_thread *next_thread;
    char name[32];
} block;
struct _cpu {
    uint32_t nested;
    struct k_thread *current;
};
struct z_kernel {
    struct _cpu cpus[1];
    struct k_thread *threads;
} _kernel;
#define CURRENT _kernel.cpus[0].current
#define SAVED saved
#else
typedef struct xLIST_ITEM {
    uint32_t xItemValue;
    struct xLIST_ITEM *pxNext, *pxPrevious;
    void *pvOwner;
    struct xLIST *pxContainer;
} ListItem_t;
/* as with configUSE_MINI_LIST_ITEM 0 */
typedef ListItem_t MiniListItem_t;
typedef struct xLIST {
    uint32_t uxNumberOfItems;
    ListItem_t *pxIndex;
    MiniListItem_t xListEnd;
} List_t;
typedef struct tskTaskControlBlock {
    volatile uintptr_t pxTopOfStack;
    ListItem_t xStateListItem, xEventListItem;
    uint32_t uxPriority;
    uint32_t *pxStack;
    char pcTaskName[16];
    volatile uint8_t ucNotifyState[3];
} block;
block *volatile pxCurrentTCB;
List_t pxReadyTasksLists[3], xDelayedTaskList1, xDelayedTaskList2, xPendingReadyList, xSuspendedTaskList, xTasksWaitingTermination;
static List_t queue;
#define CURRENT pxCurrentTCB
#define SAVED pxTopOfStack

static void init(List_t *list)
{
    list->xListEnd.pxNext = list->xListEnd.pxPrevious = &list->xListEnd;
}

static void leave(ListItem_t *item)
{
    if (!item->pxContainer)
        return;
    item->pxNext->pxPrevious = item->pxPrevious;
    item->pxPrevious->pxNext = item->pxNext;
    item->pxContainer->uxNumberOfItems--;
    item->pxContainer = 0;
}

static void enter(ListItem_t *item, List_t *list)
{
    ListItem_t *end = &list->xListEnd;
    leave(item);
    item->pxNext = end;
    item->pxPrevious = end->pxPrevious;
    end->pxPrevious->pxNext = item;
    end->pxPrevious = item;
    item->pxContainer = list;
    list->uxNumberOfItems++;
}
#endif

static block blocks[TASKS];
static char stacks[TASKS][512] __attribute__((aligned(16)));
static int now;

void trap_entry(void);
void task_start(uintptr_t sp) __attribute__((noreturn));

/* Puts a task into a state as its kernel does. The words of the test's answers are those of `state` */
static NOINLINE void set(int task, enum state state)
{
    block *b = &blocks[task];
#if defined(THREADX)
    static const uint8_t numbers[] = {0, 5, 4, 3, 1, 13};
    b->tx_thread_state = numbers[state];
#elif defined(ZEPHYR)
    static const uint8_t bits[] = {0x80, 0x02, 0x10, 0x10, 0x08, 0x02};
    b->base.thread_state = bits[state];
    b->base.timeout.node.next = state == TIME ? &b->base.timeout.node : 0;
#else
    static List_t *const lists[] = {&pxReadyTasksLists[1], &xSuspendedTaskList, &xDelayedTaskList2, &xSuspendedTaskList,
        &xTasksWaitingTermination, &xSuspendedTaskList};
    enter(&b->xStateListItem, lists[state]);
    leave(&b->xEventListItem);
    if (state == OBJECT)
        enter(&b->xEventListItem, &queue);
    b->ucNotifyState[2] = state == NOTIFICATION;
#endif
}

NOINLINE void checkpoint(void)
{
    __asm__ volatile("" ::: "memory");
}

uintptr_t pick(uintptr_t sp)
{
    static const uint8_t to[TASKS] = {READY, OBJECT, TIME, SUSPENDED, ENDED, NOTIFICATION};
    CURRENT->SAVED = sp;
    if (to[now] != READY)
        set(now, to[now]);
    now = now + 1 < FRESH ? now + 1 : MAIN;
    CURRENT = &blocks[now];
    return CURRENT->SAVED;
}

static void yield(void)
{
    for (;;)
        __asm__ volatile("ecall" ::: "memory");
}

static void first(void)
{
    __asm__ volatile("ecall" ::: "memory");
    checkpoint();
    set(PARKED, READY);
    checkpoint();
    *(volatile uint32_t *)0x100000 = 0x5555;
}

static void make(int task)
{
    block *b = &blocks[task];
    uintptr_t *frame = (uintptr_t *)(stacks[task] + sizeof stacks[task] - 128);
    frame[0] = (uintptr_t)(task == MAIN ? first : yield);
    b->SAVED = (uintptr_t)frame;
#if defined(THREADX)
    b->tx_thread_id = 0x54485244;
    b->tx_thread_name = names[task];
    b->tx_thread_created_next = &blocks[(task + 1) % TASKS];
    _tx_thread_created_ptr = &blocks[0];
#elif defined(ZEPHYR)
    for (int i = 0; names[task][i]; i++)
        b->name[i] = names[task][i];
    b->next_thread = _kernel.threads;
    _kernel.threads = b;
#else
    for (int i = 0; names[task][i]; i++)
        b->pcTaskName[i] = names[task][i];
    b->xStateListItem.pvOwner = b->xEventListItem.pvOwner = b;
#endif
    set(task, READY);
}

int main(int hart)
{
    if (hart)
        return 0;
#if !defined(THREADX) && !defined(ZEPHYR)
    List_t *const all[] = {&pxReadyTasksLists[0], &pxReadyTasksLists[1], &pxReadyTasksLists[2], &xDelayedTaskList1, &xDelayedTaskList2,
        &xPendingReadyList, &xSuspendedTaskList, &xTasksWaitingTermination, &queue};
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
        init(all[i]);
#endif
    for (int task = 0; task < TASKS; task++)
        make(task);
    __asm__ volatile("csrw mtvec, %0" ::"r"(trap_entry));
    CURRENT = &blocks[MAIN];
    task_start(CURRENT->SAVED);
}
