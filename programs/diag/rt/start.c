// Start: takes events one after the other and calls their handlers
#include "diag.h"

extern diag_handler *const diag_handlers[], *const diag_handlers_end[];

__attribute__((weak)) void diag_end(const struct diag_event *e) { (void)e; }

__attribute__((noreturn, used)) static void diag_run(void)
{
    const uint32_t handlers = (uint32_t)(diag_handlers_end - diag_handlers);
    for (;;) {
        const struct diag_event *e = DIAG_NEXT;
        if (e->flags & 0x80)
            diag_end(e);
        else if (e->id < handlers)
            diag_handlers[e->id](e);
    }
}

// at address 0; after a handler is aborted, the core restarts here, with its data unchanged
__attribute__((naked, noreturn, used, section(".text.init"))) void _start(void)
{
    __asm__ volatile("lui sp, 1\n\tj diag_run");
}
