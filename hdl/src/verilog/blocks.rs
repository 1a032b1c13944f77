//! Module names and descriptions, by the name of the field

/// Fields of one block, the first of which gives the module its name; and the comment above the module.
const BLOCKS: [(&[&str], &str); 124] = [
    // a system
    (&["core"], "ingress adapters and front ends"),
    (&["spine"], "connects front ends, event FIFOs, encoder and registers"),
    // from a core's port to beats
    (&["ingress"], "a core's port to retire beats"),
    (&["rvfi", "retire_slot"], "RISC-V formal interface, with the instruction decoder"),
    (&["flow"], "RISC-V formal interface, with the instruction decoder"),
    (&["memory"], "memory, CSR and register ports of RVFI to data beats"),
    (&["values"], "memory, CSR and register ports of RVFI to data beats"),
    (&["compress"], "several instructions per cycle to beats with one event each"),
    (&["address_filter"], GATE),
    (&["begin_filter"], GATE),
    (&["end_filter"], GATE),
    (&["held"], "holds a block until it can be reported"),
    (&["narrow"], "reduces an address to the bits that differ"),
    (&["block_report"], "instruction of a block that is shown in a cycle"),
    (&["block"], "instruction of a block that is shown in a cycle"),
    (&["context_tracker"], "context tracker: reports changes of context"),
    (&["mode_filter"], "filter: which instructions are hidden"),
    // from event entries to words
    (&["cycles"], "cycles since the last message, for several instructions per cycle"),
    (&["event_fifo", "fifo"], "entries of one core until the encoder takes them"),
    (&["resync_pc"], "resync PC FIFO: addresses of resyncs"),
    (&["core_time"], "time of a core's messages"),
    (&["trace_fsm"], "trace state machine of a core: start, stop and loss"),
    (&["merger"], "which core's entry is next"),
    (&["packer"], "bits to words"),
    (&["packer_wide", "wide_packer"], "bits to words, for wide slices, without idle cycles between words"),
    (&["registers"], "control and status"),
    (&["resync"], "resync: when the cores are synchronised again"),
    (&["credits"], "credit counter: FIFO entries in use or reserved"),
    (&["trace_framer"], "framer: a trace from its header to its last word"),
    (&["warm_up"], "warm-up: instructions after a resync that are not predicted"),
    (&["stamp"], "sends a short time together with the field after it"),
    (&["delay", "more", "step", "flags", "pcs", "targets", "depths", "misses", "hits", "new_context"], DELAY),
    (&["lost_delay"], DELAY),
    (&["more_delay"], DELAY),
    (&["old_delay"], DELAY),
    (&["steps"], DELAY),
    // schemes: front ends and encoders of all, T-raptor, stream caches
    (&["front"], "retired instructions to event entries"),
    (&["encoder"], "event entries to bits"),
    (&["fields"], "event entries to fields"),
    (&["coder"], "fields to bits"),
    (&["messages"], "what is sent, and when"),
    (&["bimodal"], "counters by address"),
    (&["gshare"], "counters by history and address"),
    (&["ibtb"], "iBTB: targets by path and address"),
    (&["last"], "the last target by address"),
    (&["ras"], "return address stack"),
    (&["ras_ibtb"], "return address stack and iBTB"),
    (&["chunked"], "chunks with connect bits"),
    (&["golomb"], "exponential Golomb codes"),
    (&["digits"], "chunks with connect bits for one core, digits read from the event FIFO, two bits a clock"),
    (&["stream_cache"], "stream descriptors to indices"),
    (&["detector"], "retired instructions to stream descriptors"),
    (&["lsp"], "last stream predictor"),
    (&["time_unit"], "time stamp unit: the counter of all cores"),
    (&["records"], "what is sent, and when"),
    // follow
    (&["predictors"], "all predictors of one core"),
    (&["tables"], "bimodal and tagged tables"),
    (&["tagged"], "counters by address and history, with tags"),
    (&["folded", "index_history", "tag_history", "tag_history_5", "tag_history_6"], "history, folded"),
    (&["loops"], "loops with a constant number of iterations"),
    (&["past"], "outcomes after the last place where the path was the same"),
    (&["successor", "after_write", "after_from", "after_found"], "the position after another one"),
    (&["contexts"], "which predictor is believed"),
    (&["target_predictor"], "targets of indirect branches, with their dictionary"),
    (&["target_tables"], "targets by address, and by address and path"),
    (&["return_stack"], "return addresses, a ring without a depth"),
    // E-Trace
    (&["reports"], "branches since the last packet, and which packets are due"),
    (&["size"], "bytes of a packet"),
    (&["slice"], "bits of each step of a packet"),
    (&["periodic_only"], "whether the time of a synchronization is that of the instruction before"),
    (&["field"], "last field of a packet"),
    (&["returns"], "return stack of E-Trace, empty at each synchronization"),
    (&["context_value"], "context of the instruction that makes an entry"),
    (&["was_open"], "whether the trace was open one cycle earlier"),
    (&["head"], "fields of a packet before its map and last field"),
    (&["branch_predictors"], "branch predictors of E-Trace"),
    (&["target_cache"], "jump target cache of E-Trace"),
    (&["rows"], "rows of a table that each synchronization resets"),
    // load values and inputs
    (&["queue"], "accesses of a core until the filters take them"),
    (&["episodes"], "reads and writes of an episode"),
    (&["core_state"], "state of a core, reported when a recording begins in the middle of a run"),
    (&["level"], "fill level of an event FIFO"),
    (&["masters"], "stores of bus masters other than cores"),
    (&["signature"], "check of the retired state"),
    (&["snoop"], "memory references of all cores, in memory order"),
    (&["start"], "the start of a recording in the middle of a run"),
    (&["first_accesses"], "what the host does not know after a start in the middle of a run"),
    // diagnosis
    (&["framer"], "packets for the host to frames of bytes"),
    (&["line"], "frames of bytes to packets from the host, and requests for lost frames"),
    (&["port", "packets"], "network interface: packets to events and register accesses, and back"),
    (&["router", "outer", "generator_router", "master_router", "node_router"], "ring router of a node"),
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
    (&["lite"], "event generator triggered by instruction addresses"),
    (&["full"], "event generator triggered by addresses, returns, data and traps, with captured words"),
    (&["crossing"], "what a core with another clock retires, in the clock of the chip"),
    (&["observer"], "what an event generator sees at a core's RVFI port"),
    (&["master_observer"], "what an event generator sees of a bus master's stores"),
    (&["window"], "which instructions a trace must hide, between triggers"),
    (&["slots"], "trigger slots, and which of them an instruction hits"),
    (&["stack"], "copy of stack words"),
    (&["calls"], "open calls, with the words captured at their entry"),
    (&["word"], "selects a captured word: register, stack, open call or instruction"),
    (&["control"], "processes the oldest instruction, step by step"),
    (&["outbox"], "events that wait for the ring, and how many were lost"),
    (&["processor"], "programmable node"),
    (&["dma"], "packets from the ring to slots, and events of the core to packets"),
    (&["rules"], "records of a node, looked up by event"),
    (&["aggregate"], "count, sum, minimum and maximum by key"),
    (&["count"], "counters of events"),
    (&["filter"], "passes events whose arguments match"),
    (&["histogram"], "distribution of values by key"),
    (&["log"], "the last events before a trigger event"),
    (&["machine"], "state machine in a table"),
    (&["pair"], "cycles between two events with the same key"),
    (&["tick"], "periodic event and flushes"),
];

const DELAY: &str = "delay line";

const GATE: &str = "address filter: instructions outside the traced addresses or address space";

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
