/* Tasks with a queue, a mutex, notifications and a timer; one of them allocates a block that it never frees */
#include <FreeRTOS.h>
#include <queue.h>
#include <semphr.h>
#include <task.h>
#include <timers.h>

void _exit(int code);
void freertos_risc_v_trap_handler(void);

static QueueHandle_t queue;
static SemaphoreHandle_t mutex;
static volatile unsigned total, ticks;
static void *volatile leaked;
static TaskHandle_t tasks[4];
static volatile unsigned char seen[4];

/* Where `seen` has the states of the tasks, for tools/real-firmware */
__attribute__((noinline)) static void looked(void)
{
    __asm__ volatile("" ::: "memory");
}

static void look(void)
{
    taskENTER_CRITICAL();
    for (unsigned i = 0; i < 4; i++)
        seen[i] = eTaskGetState(tasks[i]);
    looked();
    taskEXIT_CRITICAL();
}

__attribute__((noinline)) static unsigned crunch(unsigned n)
{
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++)
        s = s * 31 + i;
    return s;
}

static void producer(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < 40; i++) {
        unsigned value = crunch(200 + i);
        xQueueSend(queue, &value, portMAX_DELAY);
        if (i % 8 == 0)
            vTaskDelay(1);
    }
    vTaskDelete(NULL);
}

static void consumer(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < 40; i++) {
        unsigned value;
        xQueueReceive(queue, &value, portMAX_DELAY);
        xSemaphoreTake(mutex, portMAX_DELAY);
        total += crunch(value & 255);
        look();
        xSemaphoreGive(mutex);
    }
    vTaskSuspend(tasks[2]);
    look();
    _exit(0);
}

static void worker(void *unused)
{
    (void)unused;
    for (;;) {
        xSemaphoreTake(mutex, portMAX_DELAY);
        total += crunch(100);
        look();
        xSemaphoreGive(mutex);
        vPortFree(pvPortMalloc(40));
        if (!leaked)
            leaked = pvPortMalloc(24);
        vTaskDelay(2);
    }
}

static void sleeper(void *unused)
{
    (void)unused;
    for (;;) {
        ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        vTaskDelay(3);
    }
}

static void tick(TimerHandle_t timer)
{
    (void)timer;
    if (++ticks % 2)
        xTaskNotifyGive(tasks[3]);
    look();
}

void freertos_risc_v_application_exception_handler(unsigned cause)
{
    (void)cause;
    _exit(3);
}

void freertos_risc_v_application_interrupt_handler(unsigned cause)
{
    (void)cause;
    _exit(4);
}

int main(void)
{
    queue = xQueueCreate(4, sizeof(unsigned));
    mutex = xSemaphoreCreateMutex();
    xTaskCreate(producer, "producer", 256, NULL, 2, &tasks[0]);
    xTaskCreate(consumer, "consumer", 256, NULL, 3, &tasks[1]);
    xTaskCreate(worker, "worker", 256, NULL, 1, &tasks[2]);
    xTaskCreate(sleeper, "sleeper", 256, NULL, 4, &tasks[3]);
    xTimerStart(xTimerCreate("tick", 3, pdTRUE, NULL, tick), 0);
    __asm__ volatile("csrw mtvec, %0" ::"r"(freertos_risc_v_trap_handler));
    vTaskStartScheduler();
    return 1;
}
