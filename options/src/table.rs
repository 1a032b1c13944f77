//! The table of options: values, rules and help of each

use crate::rule::Cond::{Is, Scheme};
use crate::rule::{Cond, Property, Rule};
use crate::Group::{Chip, Circuit, StreamCache, Trace};
use crate::ValueKind::{One, Range, Switch, Text};
use crate::{Group, Opt, ValueKind};
use sim::addresses::Addresses;
use sim::params::{FlowScheme, Platform, NAMED_SETS};
use sim::scheme::any::AnyScheme;
use sim::scheme::tr::outcome::OutcomeParams;
use sim::scheme::tr::target::TargetParams;

const fn switch(name: &'static str, group: Group, help: &'static str) -> Opt {
    value(name, "", Switch, "", group, help)
}

const fn value(
    name: &'static str,
    unit: &'static str,
    takes: ValueKind,
    default: &'static str,
    group: Group,
    help: &'static str,
) -> Opt {
    Opt { name, unit, takes, default, group, implies: &[], rules: &[], circuit: &[], help, list: String::new }
}

impl Opt {
    const fn rules(self, rules: &'static [Rule]) -> Self {
        Self { rules, ..self }
    }

    const fn circuit(self, circuit: &'static [Rule]) -> Self {
        Self { circuit, ..self }
    }

    const fn list(self, list: fn() -> String) -> Self {
        Self { list, ..self }
    }

    const fn implies(self, implies: &'static [&'static str]) -> Self {
        Self { implies, ..self }
    }
}

/// Whether a scheme is a standard protocol, whose circuits have no options of their own yet.
fn is_standard(scheme: &AnyScheme) -> bool {
    matches!(scheme, AnyScheme::Etrace(_) | AnyScheme::Ntrace(_))
}

const CONTROL: Cond =
    Scheme(Property { text: "a scheme that traces the control flow", holds: |s| s.flow().is_some() || is_standard(s) });
const DATA: Cond =
    Scheme(Property { text: "a scheme that records data", holds: |s| s.flow().is_none() && !is_standard(s) });
const ETRACE: Cond = Scheme(Property { text: "scheme etrace", holds: |s| matches!(s, AnyScheme::Etrace(_)) });
const STANDARD: Cond = Scheme(Property { text: "scheme etrace or ntrace", holds: is_standard });
const PREDICTS: Cond =
    Scheme(Property { text: "an encoding of T-raptor", holds: |s| s.flow().is_some_and(FlowScheme::predicts) });
const CONTEXTS: Cond = Scheme(Property {
    text: "a scheme that reports contexts",
    holds: |s| {
        let reports = |f: &FlowScheme| f.check(&Platform { context: Some(0), ..Platform::RV32 }).is_ok();
        s.flow().map_or(is_standard(s), reports)
    },
});
const FEW_TYPES: Cond = Scheme(Property {
    text: "a scheme that predicts no targets",
    holds: |s| s.flow().is_some_and(|f| !f.needs_call_types()),
});

const INFERS: Cond =
    Scheme(Property { text: "a scheme with +inferable", holds: |s| s.flow().is_some_and(FlowScheme::infers) });
const NOT_INFERRED: Rule = Rule::never(&[INFERS], "an inferable jump is found in the instruction before it");

const FLOW: Rule = Rule::only(&[CONTROL], "the scheme sends no control flow");
const NOT_ETRACE: Rule = Rule::never(&[ETRACE], "the circuit of E-Trace has no such function");
const NOT_STANDARD: Rule = Rule::never(&[STANDARD], "the circuits of E-Trace and N-Trace have no such function");
const PUT_TOGETHER: Rule = Rule::only(&[Is("scheme", &["tr"])], "other schemes are given by their full name");
const PREDICTOR: Rule = Rule::only(&[PREDICTS], "the scheme has no predictors");
const CACHE: &[Rule] = &[Rule::only(&[Is("scheme", &["sc-lsp"])], "other schemes are given by their full name")];

const RVFI: &[&str] = &["rvfi"];
const BLOCKS: Cond = Is("ingress", &["etrace-blocks"]);
const DEEP: &str = "a stalled core still retires what is in flight, and nothing may be lost";

/// All options, in the order of the help.
#[rustfmt::skip]
pub const OPTIONS: &[Opt] = &[
    value("cores", "N", Range(1, 8), "1", Circuit, "Number of traced cores"),
    value("xlen", "BITS", One(&["32", "64"]), "32", Circuit, "Address width of the cores")
        .circuit(&[Rule::only(&[CONTROL], "the scheme has a circuit for 32-bit cores").of(&["64"])]),
    value("ingress", "KIND", One(&["rvfi", "etrace", "etrace-blocks", "pc-chain"]), "rvfi", Circuit,
        "Interface between core and trace system")
        .rules(&[
            FLOW.of(&["etrace", "etrace-blocks", "pc-chain"]),
            NOT_STANDARD.of(&["etrace-blocks", "pc-chain"]),
            NOT_INFERRED.of(&["etrace", "etrace-blocks"]),
        ]),
    value("retire", "N", One(&["1", "2", "4"]), "1", Circuit,
        "Maximum number of instructions that a core retires per cycle; with `--ingress etrace-blocks`, of blocks. The trace \
         stream is identical to that of a single-retire port")
        .rules(&[
            FLOW.of(&["2", "4"]),
            NOT_STANDARD.of(&["2", "4"]),
            NOT_INFERRED.of(&["2", "4"]),
            Rule::only(&[Is("ingress", &["rvfi", "etrace-blocks"])], "other ingresses have one channel").of(&["2"]),
            Rule::only(&[Is("ingress", RVFI)], "blocks come one or two a cycle, other ingresses have one channel").of(&["4"]),
        ]),
    value("retire-queue", "N", One(&["4", "8", "16"]), "8", Circuit, "Depth of the retire queue, in entries")
        .rules(&[
            Rule::only(&[Is("retire", &["2", "4"]), BLOCKS], "a core that retires one instruction a cycle has no queue"),
            Rule::only(&[Is("retire", &["1"])], "its counter of instructions has ten bits").of(&["16"]).when(&[BLOCKS]),
        ]),
    value("itype", "BITS", One(&["3", "4"]), "4", Circuit,
        "Width of `itype`. A 3-bit `itype` cannot distinguish calls, returns and jumps")
        .rules(&[
            Rule::only(&[BLOCKS], "other ingresses have no 3-bit `itype`").of(&["3"]),
            Rule::only(&[FEW_TYPES], "its target predictor needs calls and returns; sets s0, m0, b0 and nx_b do not").of(&["3"]),
        ]),
    value("fifo", "N", One(&["8", "16", "32", "64", "128", "256"]), "16", Circuit,
        "Depth of each core's event FIFO, in entries, of which two stay free")
        .rules(&[Rule::only(&[CONTROL], "cores retire some more instructions after they are stalled").of(&["8"])]),
    switch("sync", Circuit, "Periodic synchronisation, and synchronisation on request (registers `sync` and `request`)")
        .rules(&[FLOW, NOT_STANDARD]),
    switch("check", Circuit,
        "Discontinuity check: an instruction that does not follow from the previous one is reported as an exception, and in \
         register `discontinuity`")
        .rules(&[FLOW, Rule::only(&[Is("ingress", RVFI)], "E-Trace does not report where an instruction went, a PC chain is always checked")]),
    switch("zcm", Circuit,
        "Decoding of Zcmp and Zcmt, for cores that have them. With the D extension the same encodings are c.fsdsp")
        .rules(&[
            FLOW,
            Rule::only(&[Is("ingress", &["rvfi", "pc-chain"])], "E-Trace reports the class of each instruction"),
            Rule::never(&[Is("align", &["0", "2"])], "without the C extension there are no instructions of 2 bytes"),
        ]),
    switch("stall", Circuit, "Stall output for each core, asserted before its FIFO is full, so that nothing is lost")
        .rules(&[
            FLOW,
            Rule::least("fifo", 16, "entries", DEEP),
            Rule::least("fifo", 32, "entries", DEEP).when(&[Is("retire", &["2"])]),
            Rule::least("fifo", 64, "entries", DEEP).when(&[Is("retire", &["4"])]),
            Rule::least("fifo", 32, "entries", DEEP).when(&[BLOCKS]),
            Rule::least("fifo", 64, "entries", DEEP).when(&[BLOCKS, Is("retire", &["2"])]),
            Rule::least("retire-queue", 8, "entries", DEEP),
        ]),
    switch("filter", Circuit,
        "Trace filter: software (`control.modes`) and the inputs `allow_modes` select the traced privilege modes, and an \
         input for each core excludes the instructions of a cycle")
        .rules(&[FLOW]),
    switch("filter-range", Circuit, "Trace filter with address ranges: as `--filter`, and two inputs for each core select the traced range")
        .implies(&["filter"])
        .rules(&[FLOW]),
    switch("filter-space", Circuit, "Trace filter with address spaces: as `--filter`, and inputs for each core select the traced spaces, by number and mask")
        .implies(&["filter"])
        .rules(&[FLOW]),
    switch("registered-ports", Circuit,
        "Core ports that come directly from registers of the cores, so that the ingress has no input registers. The trace stream is identical, the circuit smaller")
        .rules(&[
            FLOW,
            Rule::only(&[Is("ingress", RVFI)], "other ingresses need their registers"),
            Rule::never(&[Is("filter", &[]), Is("context", &[])], "it needs the ingress' registers"),
            Rule::only(&[Is("retire", &["1"])], "several instructions a cycle need the ingress' registers"),
        ]),
    switch("count-lost", Circuit, "Counter of lost instructions, field `lost` of register `status`").rules(&[FLOW]),
    value("address-bits", "BITS[@BASE]",
        Text { check: |t| t.parse::<Addresses>().map(|_| ()), such: &["24", "24@0x80000000"] }, "", Circuit,
        "Number of address bits that the cores use. With `--xlen 32`: 16 to 31, and an optional base address. With `--xlen 64`: 22 to \
         63; all higher bits are copies of the highest of them. The trace stream is identical, the circuit smaller")
        .rules(&[FLOW, NOT_STANDARD]),
    value("ram", "BASE+BYTES", Text { check: |t| ram(t).map(|_| ()), such: &["0x80000000+0x10000"] },
        "0x80000000+0x1000000", Circuit, "Address range of the cores' RAM; loads from elsewhere are recorded")
        .rules(&[Rule::only(&[DATA], "the scheme records no loads")]),

    value("scheme", "NAME", Text { check: text, such: &["nx_b", "sc-lsp", "tr_e:m4", "inputs", "cfiat"] }, "tr", Trace,
        "Trace scheme, by its full name; or tr, defined by `--set` and `--encoding`; or sc-lsp, defined by the options of the \
         stream cache")
        .list(|| AnyScheme::forms().join(", ")),
    value("set", "NAME|OUTCOME/TARGET", Text { check: text, such: &["medium", "s0", "bimodal512/last32"] }, "small", Trace,
        "Predictor set, by name or as OUTCOME/TARGET")
        .list(sets)
        .rules(&[PUT_TOGETHER, PREDICTOR]),
    value("encoding", "ENCODING", Text { check: text, such: &["tr_b", "golomb", "nx_b"] }, "tr_e", Trace,
        "Encoding of the messages; omitted fields are those of tr_e, for nx_b those of tr_b")
        .list(encodings)
        .rules(&[PUT_TOGETHER]),
    switch("timestamps", Trace, "Time stamps: each message carries the cycles since the previous one; with etrace, each synchronization its time")
        .rules(&[FLOW]),
    value("pc-shift", "BITS", Range(0, 4), "1", Trace, "Right shift of the PC in table indices")
        .rules(&[PUT_TOGETHER, PREDICTOR]),
    value("upper-bits", "BITS", One(&["0", "12"]), "0", Trace, "Upper target bits in a last-value register")
        .rules(&[PUT_TOGETHER, PREDICTOR]),
    value("align", "BITS", Range(0, 2), "", Trace,
        "Number of low address bits that are always 0: 1 with the C extension, 2 without it, 0 for imported traces with instructions \
         at odd addresses. By default that of the input, or 1")
        .rules(&[FLOW, NOT_ETRACE])
        .circuit(&[Rule::only(&[], "instructions of RISC-V are at even addresses").of(&["0"])]),
    value("count-bits", "BITS", Range(16, 24), "20", Trace, "Width of the instruction and branch counters")
        .rules(&[FLOW, NOT_STANDARD]),
    value("cc-bits", "BITS", Range(16, 32), "32", Trace, "Width of the cycle counter")
        .rules(&[
            FLOW,
            NOT_STANDARD,
            Rule::only(&[Is("timestamps", &[])], "a trace without time stamps has no cycle counter"),
        ]),
    value("context", "BITS", Range(0, 16), "", Trace,
        "Reports of contexts: the privilege mode, and an address space number of this width. By default, contexts are not reported")
        .rules(&[Rule::only(&[CONTEXTS], "its messages have no field for a context")]),
    value("signature", "BITS", One(&["0", "8", "16"]), "0", Trace,
        "Width of the control flow signature that some messages carry, with which a decoder verifies its listing; 0 for none")
        .rules(&[FLOW, NOT_STANDARD]),

    value("variant", "VARIANT", One(&["base", "ebase", "rbase"]), "rbase", StreamCache, "Variant of the stream cache, as its paper names them").rules(CACHE),
    value("sets", "N", One(&["4", "8", "16", "32", "64", "128", "256", "512", "1024"]), "32", StreamCache,
        "Number of sets; sets times ways must be 32 to 1024")
        .rules(CACHE),
    value("ways", "N", One(&["1", "2", "4", "8"]), "4", StreamCache, "Number of ways").rules(CACHE),
    value("hash", "rightN|leftN", Text { check: hash, such: &["right3", "left2"] }, "right4", StreamCache,
        "Shift of the start address in the set index: right or left, by 0 to 8 bits")
        .rules(CACHE),

    value("module-name", "NAME", Text { check: crate::verilog_name::check, such: &["acme"] }, "goshawk", Chip,
        "Name of the top module, and prefix of all others"),
    switch("no-initial", Chip, "Omit the power-up values of registers, so that only reset initialises them"),
    value("bus", "BUS", One(&["native", "apb", "axi-lite", "wishbone", "jtag"]), "native", Chip, "Bus of the registers"),
    value("control", "MAP", One(&["native", "tci"]), "native", Chip,
        "Control registers: `native`, those of Goshawk; `tci`, those of a trace encoder in the RISC-V Trace Control Interface 1.0")
        .rules(&[
            Rule::only(&[CONTROL], "the interface has no encoder for the data of a core").of(&["tci"]),
            Rule::never(&[Is("bus", &["jtag"])], "that bus has addresses for 128 registers").of(&["tci"]),
            Rule::never(&[Is("lock", &[])], "the lock guards the native registers").of(&["tci"]),
        ]),
    switch("funnel", Chip, "An encoder with registers for each core, and a trace funnel that joins their messages")
        .rules(&[
            Rule::only(&[STANDARD], "the messages of the scheme do not say which core they are of"),
            Rule::only(&[Is("control", &["tci"])], "the funnel has registers of that interface"),
            Rule::least("cores", 2, "cores", "a funnel joins the messages of several encoders"),
            Rule::never(&[Is("port", &["axi-stream"])], "a trace of several encoders has no last word to be marked"),
        ]),
    value("writes", "WHOSE", One(&["any", "privileged", "secure", "privileged-secure"]), "any", Chip,
        "Register writes that are accepted, by the privilege in PPROT or AWPROT")
        .rules(&[Rule::only(&[Is("bus", &["apb", "axi-lite"])], "other buses do not carry the privilege of a write")
            .of(&["privileged", "secure", "privileged-secure"])]),
    value("port", "PORT", One(&["native", "axi-stream", "atb", "bytes", "axi4-memory", "jtag", "sram", "pib"]), "native", Chip,
        "Port of the trace words; `sram`: an on-chip memory that is read through the registers; `pib`: pins for a trace probe")
        .rules(&[
            Rule::only(&[Is("control", &["tci"])], "the pins are set through registers of that interface").of(&["pib"]),
            Rule::only(&[Is("control", &["tci"])], "the memory is read through registers of that interface").of(&["sram"]),
            Rule::only(&[Is("bus", &["jtag"])], "the words leave by the test access port of that bus").of(&["jtag"])]),
    value("sram-size", "BYTES", One(&["256", "512", "1024", "2048", "4096", "8192", "16384", "32768", "65536"]), "4096", Chip,
        "Size of the memory for trace words")
        .rules(&[Rule::only(&[Is("port", &["sram"])], "other ports have no such memory")]),
    switch("port-clock", Chip, "Separate clock for the trace words: ports `port_clock` and `port_reset`")
        .rules(&[Rule::only(&[Is("port", &["native", "axi-stream", "atb", "bytes"])], "the port uses the clock of its registers")]),
    switch("lock", Chip, "Trace lock: the system traces only while the input `allow` is 1")
        .rules(&[Rule::only(&[CONTROL], "gate the bus of a system that records data in the chip")]),
];

/// Names of the sets, and the predictors that they consist of, each with its smallest and its largest size.
fn sets() -> String {
    let names = |examples: &[&[&str]]| {
        let ends = |e: &&[&str]| format!("{} to {}", e.first().unwrap_or(&""), e.last().unwrap_or(&""));
        examples.iter().map(ends).collect::<Vec<_>>().join(" or ")
    };
    let named: Vec<&str> = NAMED_SETS.iter().map(|s| s.name).collect();
    let (outcome, target) = (names(OutcomeParams::EXAMPLES), names(TargetParams::EXAMPLES));
    format!(
        "{}; OUTCOME is {outcome} (a number alone is gshare), TARGET {target} (two numbers are RAS/iBTB)",
        named.join(", ")
    )
}

/// Schemes, without the part of their names after the colon.
fn encodings() -> String {
    let forms = FlowScheme::forms();
    let set = |form: &&str| form.ends_with(":SET") || !form.contains(':');
    let names: Vec<&str> = forms.iter().filter(|f| set(f)).map(|f| f.trim_end_matches(":SET")).collect();
    names.join(", ")
}

/// Accepts any text: its reader checks it.
fn text(_: &str) -> Result<(), String> {
    Ok(())
}

/// A direction and a number of bits.
fn hash(text: &str) -> Result<(), String> {
    let bits = ["right", "left"].into_iter().find_map(|direction| text.strip_prefix(direction)?.parse::<u8>().ok());
    bits.filter(|n| *n <= 8).map(|_| ()).ok_or_else(|| "expected right0 to right8 or left0 to left8".into())
}

/// First byte and number of bytes.
pub fn ram(text: &str) -> Result<(u32, u32), String> {
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let both = text.split_once('+').and_then(|(base, bytes)| Some((number(base)?, number(bytes)?)));
    both.ok_or_else(|| "expected BASE+BYTES, as 0x80000000+0x1000000".into())
}
