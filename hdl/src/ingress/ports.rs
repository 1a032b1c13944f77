//! Ports of the ingress adapters towards a core, declared once for the front ends and the systems

/// Calls the macro `$then` with the ports of an ingress, `[name: [type], ...]`, and what follows.
macro_rules! with_ports {
    (rvfi, $then:ident, $($rest:tt)*) => {
        $then!(
            [
                rvfi_valid: [Bit],
                rvfi_insn: [Bits<32>],
                rvfi_trap: [Bit],
                rvfi_intr: [Bit],
                rvfi_pc_rdata: [Bits<W>],
                rvfi_pc_wdata: [Bits<W>],
            ]
            $($rest)*
        );
    };
    (rvfi_two, $then:ident, $($rest:tt)*) => {
        $then!(
            [
                rvfi0_valid: [Bit],
                rvfi0_insn: [Bits<32>],
                rvfi0_trap: [Bit],
                rvfi0_intr: [Bit],
                rvfi0_pc_rdata: [Bits<W>],
                rvfi0_pc_wdata: [Bits<W>],
                rvfi1_valid: [Bit],
                rvfi1_insn: [Bits<32>],
                rvfi1_trap: [Bit],
                rvfi1_intr: [Bit],
                rvfi1_pc_rdata: [Bits<W>],
                rvfi1_pc_wdata: [Bits<W>],
            ]
            $($rest)*
        );
    };
    (rvfi_four, $then:ident, $($rest:tt)*) => {
        $then!(
            [
                rvfi0_valid: [Bit],
                rvfi0_insn: [Bits<32>],
                rvfi0_trap: [Bit],
                rvfi0_intr: [Bit],
                rvfi0_pc_rdata: [Bits<W>],
                rvfi0_pc_wdata: [Bits<W>],
                rvfi1_valid: [Bit],
                rvfi1_insn: [Bits<32>],
                rvfi1_trap: [Bit],
                rvfi1_intr: [Bit],
                rvfi1_pc_rdata: [Bits<W>],
                rvfi1_pc_wdata: [Bits<W>],
                rvfi2_valid: [Bit],
                rvfi2_insn: [Bits<32>],
                rvfi2_trap: [Bit],
                rvfi2_intr: [Bit],
                rvfi2_pc_rdata: [Bits<W>],
                rvfi2_pc_wdata: [Bits<W>],
                rvfi3_valid: [Bit],
                rvfi3_insn: [Bits<32>],
                rvfi3_trap: [Bit],
                rvfi3_intr: [Bit],
                rvfi3_pc_rdata: [Bits<W>],
                rvfi3_pc_wdata: [Bits<W>],
            ]
            $($rest)*
        );
    };
    (chain, $then:ident, $($rest:tt)*) => {
        $then!(
            [
                retire_valid: [Bit],
                retire_insn: [Bits<32>],
                retire_pc: [Bits<W>],
            ]
            $($rest)*
        );
    };
    (blocks, $then:ident, $($rest:tt)*) => {
        $then!(
            [
                itype: [Bits<4>],
                iaddr: [Bits<W>],
                iretire: [Bits<4>],
                ilastsize: [Bit],
                icount: [Bits<4>],
                cause: [Bits<5>],
                tval: [Bits<W>],
                privilege: [Bits<2>],
                context_id: [Bits<32>],
                trigger: [Bits<4>],
                halted: [Bit],
                hart_reset: [Bit],
            ]
            $($rest)*
        );
    };
    (blocks_two, $then:ident, $($rest:tt)*) => {
        $then!(
            [
                block0_itype: [Bits<4>],
                block0_iaddr: [Bits<W>],
                block0_iretire: [Bits<4>],
                block0_ilastsize: [Bit],
                block0_icount: [Bits<4>],
                block1_itype: [Bits<4>],
                block1_iaddr: [Bits<W>],
                block1_iretire: [Bits<4>],
                block1_ilastsize: [Bit],
                block1_icount: [Bits<4>],
                cause: [Bits<5>],
                tval: [Bits<W>],
                privilege: [Bits<2>],
                context_id: [Bits<32>],
                trigger: [Bits<4>],
                halted: [Bit],
                hart_reset: [Bit],
            ]
            $($rest)*
        );
    };
    (etrace, $then:ident, $($rest:tt)*) => {
        $then!(
            [
                itype: [Bits<4>],
                iaddr: [Bits<W>],
                iretire: [Bits<2>],
                ilastsize: [Bit],
                cause: [Bits<5>],
                tval: [Bits<W>],
                privilege: [Bits<2>],
            ]
            $($rest)*
        );
    };
}
pub(crate) use with_ports;
