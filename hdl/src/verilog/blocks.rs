//! Module names and descriptions, by the name of the field

/// Fields of one block, the first of which gives the module its name; and the comment above the module.
const BLOCKS: [(&[&str], &str); 97] = [
    // a system
    (&["core"], "front ends behind their ingress"),
    (&["spine"], "all of it, joined"),
    // from a core's port to beats
    (&["ingress"], "a core's port to retire beats"),
    (&["rvfi", "lane"], "RISC-V formal interface, with the instruction decoder"),
    (&["flow"], "RISC-V formal interface, with the instruction decoder"),
    (&["memory"], "memory, CSR and register ports of RVFI, to data beats"),
    (&["values"], "memory, CSR and register ports of RVFI, to data beats"),
    (&["compress"], "several instructions a clock, as beats of one event"),
    (&["gate"], GATE),
    (&["begin_gate"], GATE),
    (&["end_gate"], GATE),
    (&["held"], "one of the blocks of a clock, until it is told"),
    (&["narrow"], "an address of which fewer bits differ"),
    (&["shown"], "what is shown of a block in a clock"),
    (&["block"], "what is shown of a block in a clock"),
    (&["turn"], "in which context an instruction is"),
    (&["veil"], "which instructions must not be told"),
    // from event entries to words
    (&["cycles"], "cycles since the last message, where several instructions retire a cycle"),
    (&["event_fifo", "fifo"], "entries of one core until the encoder takes them"),
    (&["landing"], "where resyncs went"),
    (&["life"], "when a core's trace runs, what an instruction is due to, loss"),
    (&["merger"], "which core's entry is next"),
    (&["packer"], "bits to words"),
    (&["packer_broad", "broad"], "the same of broad pieces, without a clock between words"),
    (&["registers"], "control and status"),
    (&["resync"], "when the cores are told of anew"),
    (&["room"], "places of a FIFO that are held or promised"),
    (&["session"], "a trace from its header to its last word"),
    (&["settle"], "instructions after a resync in which nothing is predicted"),
    (&["stamp"], "a short time before the field behind it"),
    (&["delay", "more", "step", "flags", "pcs", "targets", "misses", "hits", "turns"], DELAY),
    (&["fallen"], DELAY),
    (&["mores"], DELAY),
    (&["olds"], DELAY),
    (&["steps"], DELAY),
    // schemes: front ends and encoders of all, T-raptor, stream caches
    (&["front"], "retired instructions to event entries"),
    (&["encoder"], "event entries to bits"),
    (&["fields"], "event entries to fields"),
    (&["coder"], "fields to bits"),
    (&["messages"], "what is sent, and when"),
    (&["bimodal"], "counters by address"),
    (&["gshare"], "counters by history and address"),
    (&["ibtb"], "targets by path and address, part of a predictor"),
    (&["last"], "the last target by address"),
    (&["ras"], "return addresses, part of a predictor"),
    (&["ras_ibtb"], "both"),
    (&["chunked"], "chunks with connect bits"),
    (&["golomb"], "exponential Golomb codes"),
    (&["digits"], "chunks with connect bits for one core, digits out of the event FIFO, two bits a clock"),
    (&["stream_cache"], "stream descriptors to indices"),
    (&["detector"], "retired instructions to stream descriptors"),
    (&["lsp"], "whether the stream that came last time came again"),
    (&["records"], "what is sent, and when"),
    // load values and inputs
    (&["queue"], "accesses of a core until the filters take them"),
    (&["episodes"], "reads and writes of an episode"),
    (&["kept"], "state of a core, kept to be told where a recording begins in the middle of a run"),
    (&["level"], "how full an event FIFO is"),
    (&["masters"], "stores of bus masters that are no cores"),
    (&["signature"], "check of the retired state"),
    (&["snoop"], "references of all cores where memory orders them"),
    (&["start"], "the start of a recording in the middle of a run"),
    (&["unknown"], "what the host does not know behind a start in the middle of a run"),
    // diagnosis
    (&["framer"], "packets for the host to frames of bytes"),
    (&["line"], "frames of bytes to packets of the host, and requests for those that were lost"),
    (&["port", "packets"], "network interface: packets to events and register accesses, and back"),
    (&["router", "outer", "generator_router", "node_router"], "a node's part of the ring"),
    (&["lite_generator"], SEAT),
    (&["full_generator"], SEAT),
    (&["machine_node"], SEAT),
    (&["aggregate_node"], SEAT),
    (&["count_node"], SEAT),
    (&["filter_node"], SEAT),
    (&["histogram_node"], SEAT),
    (&["pair_node"], SEAT),
    (&["log_node"], SEAT),
    (&["tick_node"], SEAT),
    (&["lite"], "event generator that waits for addresses of instructions"),
    (&["full"], "event generator that waits for addresses, returns, data and traps, and captures words"),
    (&["observer"], "what a generator sees, of a core's RVFI port"),
    (&["window"], "which instructions a trace must not tell, between triggers"),
    (&["slots"], "trigger slots, and which of them what retires hits"),
    (&["stack"], "copy of words of the stack"),
    (&["calls"], "open calls, with what was captured at their entry"),
    (&["word"], "a captured word: of registers, stack, an open call or the instruction"),
    (&["control"], "what is done for the oldest instruction, step by step"),
    (&["outbox"], "events that wait for the ring, and how many were lost"),
    (&["processor"], "a node whose work is a program"),
    (&["dma"], "packets of the ring to slots, and what the core sends to packets"),
    (&["rules"], "the records of a node, found by event"),
    (&["aggregate"], "count, sum, least and greatest by key"),
    (&["count"], "counters of events"),
    (&["filter"], "lets events pass whose arguments fit"),
    (&["histogram"], "numbers of values by size and key"),
    (&["log"], "the last events before an event"),
    (&["machine"], "state machine in a table"),
    (&["pair"], "clocks between two events with the same key"),
    (&["tick"], "an event and flushes a period"),
];

const DELAY: &str = "delay line, its length chosen at run time";

const GATE: &str = "which instructions are outside the addresses and the address space that are told";

/// The comment above the module of each ring port.
const SEAT: &str = "a generator or a node with its network interface";

/// The module name for a field, without an index at the end.
pub(super) fn name(field: &str) -> &str {
    let field = match field.rsplit_once('$') {
        Some((name, index)) if index.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => field,
    };
    BLOCKS.iter().find(|(fields, _)| fields.contains(&field)).map_or(field, |(fields, _)| fields[0])
}

/// The comment above a module.
pub(super) fn line(name: &str) -> Option<&'static str> {
    BLOCKS.iter().find(|(fields, _)| fields[0] == name).map(|(_, line)| *line)
}
