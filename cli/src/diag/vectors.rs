//! Test vectors of a diagnosis chip, and the bench that plays them
//!
//! The vectors identify every client, read a register that it lacks, and configure it. Then cores retire instructions
//! that match the triggers, bus masters store, counters count some of the events, and all nodes are flushed. Each step completes before
//! the next, so that the bytes do not depend on the latency of the ring. The expected bytes come from the golden models
//! of interface, generator, counters and frames.

use crate::testbench::BEATS;
use crate::Failure;
use ::diag::link::FrameWriter;
use ::diag::load;
use hdl::diag::chip::DiagParams;
use hdl::verilog::Style;
use retire::MasterStore;
use sim::diag::chip::FIRST_NODE;
use sim::diag::generator::{Generator, ObservedInsn};
use sim::diag::interface::{Interface, Request};
use sim::diag::master::observed;
use sim::diag::node::{count, Node, NodeKind, Outbox, Target};
use sim::diag::packet::{Op, Packet, HOST};
use sim::diag::registers;
use sim::diag::trigger::{Capture, GeneratorParams, Slot, Trigger};
use std::fmt::Write;

/// File name of the bench.
pub const FILE: &str = "goshawk_diag_tb.v";

/// Pseudo-core in `beats.txt`: the line allows this many bytes of the host to be sent.
const FROM_HOST: u8 = 16;
/// Pseudo-core of the first bus master; its address, data and byte mask are the fields `pc`, `next_pc` and `rd`.
const FROM_MASTER: u8 = 17;
/// The variable that the generators of bus masters watch.
const WATCHED: u64 = 0x800;
/// Cycles between two steps.
const GAP: u64 = 320;
/// Cycles that a node needs to clear its tables.
const CLEARS: u64 = 1200;
/// Events of the vectors: one is sent to the host, one is counted.
const EVENTS: [u8; 2] = [1, 2];
/// Trigger addresses of the generators.
const PLACES: [u64; 2] = [0x400, 0x404];
/// Upper half of all addresses and values of a chip for 64 bits.
const UPPER: u64 = 0xffff_ffc1 << 32;
/// Register number of `a0`.
const A0: u8 = 10;

/// Inputs and expected outputs.
pub struct Vectors {
    /// Bytes of the host's frames.
    pub host: Vec<u8>,
    /// Lines of `beats.txt`.
    pub beats: String,
    /// Expected bytes.
    pub bytes: Vec<u8>,
    /// Number of frames in these.
    pub packets: usize,
    /// Cycle after the last input.
    pub stop: u64,
    /// Width of addresses and registers, bits.
    xlen: u8,
    frames: FrameWriter,
    line: FrameWriter,
}

impl Vectors {
    /// Makes the vectors of a chip.
    pub fn make(params: &DiagParams) -> Result<Self, Failure> {
        let beats = String::from(
            "// hex but for the decimal cycle and core; the first clock without reset is 0; core 16 is the host, and so many of its bytes\n\
             // may leave; from core 17 on, bus masters store (address, data, -, mask): cycle core pc next_pc insn rd value\n",
        );
        let (host, bytes, frames, line) = (Vec::new(), Vec::new(), FrameWriter::default(), FrameWriter::default());
        let mut v = Self { host, beats, bytes, packets: 0, stop: GAP, xlen: params.generator.xlen, frames, line };
        v.play(params)?;
        Ok(v)
    }

    /// Expects a packet.
    fn expect(&mut self, packet: &Packet) {
        self.bytes.extend(self.frames.frame(packet));
        self.packets += 1;
    }

    /// Sends a packet.
    fn send(&mut self, packet: &Packet) {
        let frame = self.line.frame(packet);
        let n = frame.len();
        let _ = writeln!(self.beats, "{} {FROM_HOST} {n:08x} 00000000 00000000 00 00000000", self.stop);
        self.host.extend(frame);
        self.stop += GAP;
    }

    /// Sends a packet, and expects the response.
    fn ask(&mut self, client: &mut Interface, packet: &Packet) {
        if let Some(Request::Answer(answer) | Request::Write(.., answer) | Request::Flush(answer)) =
            client.take(&packet.to_words())
        {
            self.expect(&answer);
        }
        self.send(packet);
    }

    /// An address or a value with the upper half of the chip.
    fn whole(&self, low: u64) -> u64 {
        if self.xlen == 64 {
            UPPER | low
        } else {
            low
        }
    }

    /// Retires an instruction.
    fn retire(&mut self, core: u8, pc: u64, rd: u8, value: u64) -> ObservedInsn {
        let (insn, next_pc) = (0x13 | u32::from(rd) << 7 | (value as u32) << 20, pc + 4);
        let _ = writeln!(self.beats, "{} {core} {pc:08x} {next_pc:08x} {insn:08x} {rd:02x} {value:08x}", self.stop);
        let rd = (rd != 0).then_some((rd, value));
        let seen = ObservedInsn { cycle: self.stop, pc, next_pc, insn, len: 4, rd, ..ObservedInsn::default() };
        self.stop += GAP;
        seen
    }

    /// A bus master stores.
    fn store(&mut self, master: u8, addr: u64, mask: u8, value: u32) -> ObservedInsn {
        let (at, core) = (self.stop, FROM_MASTER + master);
        let _ = writeln!(self.beats, "{at} {core} {addr:08x} {value:08x} 00000000 {mask:02x} 00000000");
        self.stop += GAP;
        observed(&MasterStore { addr, value, mask, cycle: at }, self.xlen)
    }

    fn play(&mut self, params: &DiagParams) -> Result<(), Failure> {
        let nodes = || {
            params
                .nodes
                .iter()
                .enumerate()
                .map(|(n, kind)| (FIRST_NODE + n as u8, kind.registers(), kind.takes_events()))
        };
        let slots = |c| if c < params.cores { params.generator.slots } else { GeneratorParams::MASTER.slots };
        let generators = (0..params.producers()).map(|c| (c, [1, slots(c).into()], false));
        let mut clients: Vec<Interface> = Vec::new();
        for (address, registers, node) in generators.chain(nodes()) {
            let mut client = Interface::new(address, registers, node);
            for (at, n) in [(0, 2), (9, 1)] {
                self.ask(&mut client, &Packet::control(HOST, address, Op::Read, at, &[n]));
            }
            clients.push(client);
        }
        // a read of an unused address has no response
        self.send(&Packet::control(HOST, FIRST_NODE + 43, Op::Read, 0, &[2]));

        let counters = params.nodes.iter().position(|k| matches!(k, NodeKind::Count(_)));
        let counters_at = counters.map(|n| FIRST_NODE + n as u8);
        let to = Target { dest: HOST, id: 128 };
        let rule = count::Rule { event: EVENTS[1], first: 1, by_core: false, threshold: 0, to };
        let (xlen, places, watched) = (self.xlen, PLACES.map(|p| self.whole(p)), self.whole(WATCHED));
        let slot = |n: usize, dest, stamped, captures| Slot {
            trigger: Trigger::Pc(places[n]),
            event: EVENTS[n],
            dest,
            captures,
            stamped,
            yields: false,
        };
        let lite = params.generator.lite;
        // of 64 bits, the upper halves too
        let words = |all: Vec<Capture>| -> Vec<Capture> {
            let upper = all.iter().filter_map(|c| c.number()).filter(|_| xlen == 64).map(Capture::Upper);
            all.iter().copied().chain(upper).collect()
        };
        let captures = if lite { Vec::new() } else { words(vec![Capture::Pc, Capture::Register(A0)]) };
        let slots = vec![slot(0, HOST, true, captures), slot(1, counters_at.unwrap_or(HOST), false, Vec::new())];
        let mut settings = Vec::new();
        settings.extend(counters_at.map(|at| (at, registers::count(&[rule]))));
        let of_generator = if lite { registers::lite(&slots, xlen) } else { registers::full(&slots, xlen) };
        settings.extend((0..params.cores).map(|c| (c, of_generator.clone())));
        let (first, last) = (watched, watched + 3);
        let trigger = Trigger::Data { first, last, loads: false, stores: true, value: None };
        let captures = words(vec![Capture::Address, Capture::Value]);
        let watching = vec![Slot { trigger, event: EVENTS[0], dest: HOST, captures, stamped: true, yields: false }];
        let masters = params.cores..params.producers();
        settings.extend(masters.clone().map(|m| (m, registers::full(&watching, xlen))));
        for (address, writes) in &settings {
            let at = if *address < FIRST_NODE { *address } else { params.producers() + *address - FIRST_NODE };
            for packet in load::write(*address, writes) {
                self.ask(&mut clients[usize::from(at)], &packet);
            }
        }
        self.stop += CLEARS;

        let mut counted = counters.map(|n| params.nodes[n].build());
        if let Some(Node::Count(node)) = &mut counted {
            node.add(rule).map_err(|e| Failure::Other(e.to_string()))?;
        }
        let mut out = Outbox::new();
        for round in 0..2u32 {
            for core in 0..params.cores {
                let mut generator = Generator::new(params.generator, core);
                generator.set(slots.clone()).map_err(|e| Failure::Other(e.to_string()))?;
                let value = self.whole(u64::from(0x100 * round + u32::from(core)));
                let before = self.whole(0x3fc);
                for (pc, rd) in [(before, A0), (places[0], 0), (places[1], 0), (before + 0x104, 0)] {
                    // the bench has one clock for all, with which a crossing does not change times
                    let seen = self.retire(core, pc, rd, if rd == 0 { 0 } else { value });
                    generator.observe(&seen);
                    while !generator.is_idle() {
                        generator.clock(None);
                        let Some((dest, event)) = generator.pop() else { continue };
                        match (&mut counted, dest) {
                            (Some(node), d) if d != HOST => node.take(&event, &mut out),
                            _ => self.expect(&Packet::event(core, dest, event)),
                        }
                    }
                }
            }
            for m in masters.clone() {
                let mut generator = Generator::new(GeneratorParams { xlen, ..GeneratorParams::MASTER }, m);
                generator.set(watching.clone()).map_err(|e| Failure::Other(e.to_string()))?;
                let value = 0x4433_2211 + round;
                for (addr, mask) in [(watched - 4, 15), (watched, 15), (watched, 4), (watched + 4, 12)] {
                    generator.observe(&self.store(m - params.cores, addr, mask, value));
                    while !generator.is_idle() {
                        generator.clock(None);
                        if let Some((dest, event)) = generator.pop() {
                            self.expect(&Packet::event(m, dest, event));
                        }
                    }
                }
            }
        }
        for (address, ..) in nodes() {
            let at = params.producers() + address - FIRST_NODE;
            if Some(address) == counters_at {
                counted.iter_mut().for_each(|node| node.flush(&mut out));
                for (dest, event) in std::mem::take(&mut out) {
                    self.expect(&Packet::event(address, dest, event));
                }
            }
            self.ask(&mut clients[usize::from(at)], &Packet::control(HOST, address, Op::Flush, 0, &[7]));
            self.stop += CLEARS;
        }
        Ok(())
    }

    /// The host's bytes, one per line.
    pub fn host_text(&self) -> String {
        self.host.iter().map(|b| format!("{b:02x}\n")).collect()
    }

    /// The expected bytes, one per line.
    pub fn bytes_text(&self) -> String {
        self.bytes.iter().map(|b| format!("{b:02x}\n")).collect()
    }
}

/// The text of the bench.
pub fn bench(params: &DiagParams, style: &Style, v: &Vectors) -> String {
    let each = |line: &dyn Fn(u8) -> String| (0..params.cores).map(line).collect::<String>();
    let each_master = |line: &dyn Fn(u8) -> String| (0..params.masters).map(line).collect::<String>();
    let xlen = params.generator.xlen;
    let (bytes, top) = (xlen / 8, xlen - 1);
    let (word, mask) = (format!("{xlen}'d0"), format!("{bytes}'d0"));
    let quiet = [
        ("trap", "1'b0"),
        ("intr", "1'b0"),
        ("mem_addr", &word),
        ("mem_rmask", &mask),
        ("mem_wmask", &mask),
        ("mem_rdata", &word),
        ("mem_wdata", &word),
    ];
    let played = ["valid", "insn", "pc_rdata", "pc_wdata", "rd_addr", "rd_wdata"];
    let connected = |i: u8| {
        let quiet = quiet.map(|(p, value)| format!("        .rvfi_{p}_{i}({value}),\n")).concat();
        let played = played.map(|p| format!("        .rvfi_{p}_{i}({p}_{i}),\n")).concat();
        let clocks = format!("        .core_clock_{i}(clock),\n        .core_reset_{i}(reset),\n");
        format!("{played}{quiet}        .cause_{i}(8'd0),\n{}", if i < params.clocked { &clocks } else { "" })
    };
    let connected_master = |i: u8| {
        ["valid", "addr", "mask", "data"].map(|p| format!("        .master_{p}_{i}(master_{p}_{i}),\n")).concat()
    };
    TEXT.replace(
        "@SIGNALS",
        &(each(&|i| {
            format!(
                "    reg valid_{i} = 1'b0;\n    reg [31:0] insn_{i} = 0{} pc_rdata_{i} = 0, pc_wdata_{i} = 0, rd_wdata_{i} = 0;\n    \
                 reg [4:0] rd_addr_{i} = 0;\n",
                if xlen == 32 { "," } else { ";\n    reg [63:0]" }
            )
        }) + &each_master(&|i| {
            format!(
                "    reg master_valid_{i} = 1'b0;\n    reg [{top}:0] master_addr_{i} = 0, master_data_{i} = 0;\n    \
                 reg [{}:0] master_mask_{i} = 0;\n",
                bytes - 1

            )
        })),
    )
    .replace("@PORTS", &(each(&connected) + &each_master(&connected_master)))
    .replace(
        "@QUIET",
        &(each(&|i| format!("            valid_{i} = 1'b0;\n"))
            + &each_master(&|i| format!("            master_valid_{i} = 1'b0;\n"))),
    )
    .replace(
        "@SAYS",
        &(each(&|i| {
            format!(
                "            if (core == {i}) begin\n                valid_{i} = 1'b1;\n                pc_rdata_{i} = pc;\n                \
                 pc_wdata_{i} = next_pc;\n                insn_{i} = insn;\n                rd_addr_{i} = rd;\n                \
                 rd_wdata_{i} = value;\n            end\n"
            )
        }) + &each_master(&|i| {
            format!(
                "            if (core == {}) begin\n                master_valid_{i} = 1'b1;\n                \
                 master_addr_{i} = pc;\n                master_data_{i} = next_pc;\n                \
                 master_mask_{i} = rd[3:0];\n            end\n",
                FROM_MASTER + i
            )
        })),
    )
    .replace("@TOP", &top.to_string())
    .replace("@BEATS", BEATS)
    .replace("@NAME", &style.name)
    .replace("@SENDS", &v.host.len().to_string())
    .replace("@BYTES", &v.bytes.len().to_string())
    .replace("@STOP", &v.stop.to_string())
}

const TEXT: &str = r#"// Test bench of the diagnosis chip in goshawk_diag.v: plays beats.txt and host.hex, and compares with bytes.hex
//
//     iverilog -o tb goshawk_diag_tb.v goshawk_diag.v && vvp tb
//
// It says PASS, or FAIL with the first wrong byte. An unknown bit counts as wrong.

module @NAME_tb;
    localparam SENDS = @SENDS;
    localparam BYTES = @BYTES;
    localparam STOP = @STOP;
    // clocks in which more than is right would come
    localparam QUIET = 4000;

    reg clock = 1'b0, reset = 1'b1, ready = 1'b0;
    reg host_valid = 1'b0;
    reg [7:0] host_octet = 8'd0;
    wire host_ready, valid;
    wire [7:0] octet;
@SIGNALS
    @NAME dut (
@PORTS        .clock(clock),
        .reset(reset),
        .host_valid(host_valid),
        .host_octet(host_octet),
        .host_ready(host_ready),
        .valid(valid),
        .octet(octet),
        .ready(ready)
    );

    reg [7:0] sends [0:SENDS-1];
    reg [7:0] bytes [0:BYTES-1];
    integer came = 0, failed = 0, sent = 0, allowed = 0, now;
    integer beats, fields = 0, cycle, core, skipped;
    reg [@TOP:0] pc, next_pc, insn, value;
    reg [4:0] rd;
    reg [8*256-1:0] comment;

    // one clock: what stands at the outputs before the edge counts
    task tick;
        begin
            #5;
            if (!reset && ready && valid !== 1'b0 && failed == 0) begin
                if (came >= BYTES) begin
                    $display("FAIL: byte %0d is %h, there should be %0d bytes", came, octet, BYTES);
                    failed = 1;
                end else if (valid !== 1'b1 || octet !== bytes[came]) begin
                    $display("FAIL: byte %0d is %h, %h is right", came, octet, bytes[came]);
                    failed = 1;
                end
                came = came + 1;
            end
            if (!reset && host_valid && host_ready === 1'b1) sent = sent + 1;
            clock = 1'b1;
            #5;
            clock = 1'b0;
        end
    endtask

    task next_beat;
        fields = $fscanf(beats, "%d %d %h %h %h %h %h", cycle, core, pc, next_pc, insn, rd, value);
    endtask

    task says;
        begin
            if (core == 16) allowed = allowed + pc;
@SAYS        end
    endtask

    initial begin
        $readmemh("host.hex", sends);
        $readmemh("bytes.hex", bytes);
@BEATS        if (failed == 0) next_beat;
        for (now = 0; now < STOP + QUIET && failed == 0; now = now + 1) begin
@QUIET            while (fields == 7 && cycle == now) begin
                says;
                next_beat;
            end
            host_valid = sent < allowed;
            host_octet = host_valid ? sends[sent] : 8'hxx;
            ready = now % 4 != 3;
            tick;
        end
        if (failed == 0 && came != BYTES) begin
            $display("FAIL: %0d bytes came, %0d are right", came, BYTES);
            failed = 1;
        end
        if (failed == 0) $display("PASS: %0d bytes", came);
        $finish;
    end
endmodule
"#;
