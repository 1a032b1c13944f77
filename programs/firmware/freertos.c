/* Four tasks with a queue, a mutex and a timer; one of them allocates a block that it never frees */
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
        xSemaphoreGive(mutex);
    }
    _exit(0);
}

static void worker(void *unused)
{
    (void)unused;
    for (;;) {
        xSemaphoreTake(mutex, portMAX_DELAY);
        total += crunch(100);
        xSemaphoreGive(mutex);
        vPortFree(pvPortMalloc(40));
        if (!leaked)
            leaked = pvPortMalloc(24);
        vTaskDelay(2);
    }
}

static void tick(TimerHandle_t timer)
{
    (void)timer;
    ticks++;
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
    xTaskCreate(producer, "producer", 256, NULL, 2, NULL);
    xTaskCreate(consumer, "consumer", 256, NULL, 3, NULL);
    xTaskCreate(worker, "worker", 256, NULL, 1, NULL);
    xTimerStart(xTimerCreate("tick", 3, pdTRUE, NULL, tick), 0);
    __asm__ volatile("csrw mtvec, %0" ::"r"(freertos_risc_v_trap_handler));
    vTaskStartScheduler();
    return 1;
}
