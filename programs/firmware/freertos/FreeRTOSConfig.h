#pragma once
/* A tick every 500 cycles of the timer of the built-in simulator */
#define configMTIME_BASE_ADDRESS 0x200bff8UL
#define configMTIMECMP_BASE_ADDRESS 0x2004000UL
#define configUSE_PREEMPTION 1
#define configUSE_IDLE_HOOK 0
#define configUSE_TICK_HOOK 0
#define configCPU_CLOCK_HZ 10000000
#define configTICK_RATE_HZ 20000
#define configMAX_PRIORITIES 5
#define configMINIMAL_STACK_SIZE 256
#define configTOTAL_HEAP_SIZE 65536
#define configMAX_TASK_NAME_LEN 16
#define configTICK_TYPE_WIDTH_IN_BITS TICK_TYPE_WIDTH_32_BITS
#define configUSE_MUTEXES 1
#define configUSE_TIMERS 1
#define configTIMER_TASK_PRIORITY 4
#define configTIMER_QUEUE_LENGTH 8
#define configTIMER_TASK_STACK_DEPTH 256
#define configISR_STACK_SIZE_WORDS 512
#define INCLUDE_vTaskDelay 1
#define INCLUDE_vTaskDelete 1
#define INCLUDE_vTaskSuspend 1
#define INCLUDE_eTaskGetState 1
#define configASSERT(x) do { if (!(x)) __builtin_trap(); } while (0)
