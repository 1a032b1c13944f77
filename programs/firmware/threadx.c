/* The interrupt controller of the board of ThreadX' demonstration, which the built-in simulator does not have and the program does not need */
int plic_init(void) { return 0; }
int plic_irq_intr(void) { return 0; }
void plic_irq_enable(int interrupt) { (void)interrupt; }
int plic_prio_set(int interrupt, int priority) { (void)interrupt, (void)priority; return 0; }
