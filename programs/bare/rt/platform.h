// Where the devices are: QEMU's `virt` board, or with -DSOC the project's own SoC (docs/how-to/soc.md), which has
// the same devices with the top address bit set, where VexRiscv's data cache leaves them alone. With -DTILE an RV64 core
// with its memory.
#ifndef PLATFORM_H
#define PLATFORM_H

#ifdef SOC
#define CLINT_BASE 0xf2000000
#define UART_BASE 0xf0000000
#define FINISHER_BASE 0xf0100000
#define DMA_BASE 0xf3000000
// Of the SoC only: the number of the hart that reads, and locks, whose read gives 0 once and then 1.
#define SYSTEM_HART 0xf1000000
#define SYSTEM_LOCKS 0xf1000040
#define SYSTEM_LOCK_COUNT 16
#else
#define CLINT_BASE 0x02000000
#define UART_BASE 0x10000000
// rocket has nothing at the address of QEMU's board
#ifdef TILE
#define FINISHER_BASE 0x10100000
#else
#define FINISHER_BASE 0x00100000
#endif
// of the built-in simulator; QEMU has none
#define DMA_BASE 0x10010000
#endif

#endif
