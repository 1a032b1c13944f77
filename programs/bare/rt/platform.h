// Addresses of devices: on QEMU's `virt` board, or with -DSOC on the project's own SoC (docs/how-to/soc.md), which has the
// same devices with the top address bit set, where VexRiscv's data cache does not cache them. With -DTILE an RV64 core
// with its memory.
#ifndef PLATFORM_H
#define PLATFORM_H

#ifdef SOC
#define CLINT_BASE 0xf2000000
#define UART_BASE 0xf0000000
#define FINISHER_BASE 0xf0100000
#define DMA_BASE 0xf3000000
// Only on the SoC: the number of the reading hart, and locks, which read as 0 once and then as 1.
#define SYSTEM_HART 0xf1000000
#define SYSTEM_LOCKS 0xf1000040
#define SYSTEM_LOCK_COUNT 16
#else
#define CLINT_BASE 0x02000000
#define UART_BASE 0x10000000
// rocket has no device at the address used on QEMU's board
#ifdef TILE
#define FINISHER_BASE 0x10100000
#else
#define FINISHER_BASE 0x00100000
#endif
// only in the built-in simulator; QEMU has none
#define DMA_BASE 0x10010000
#endif

#endif
