//! What a module is called and what it is: the block behind a field, and its line in the list of its folder

/// Fields that are not called as the source of their block is: field, module, source.
const FIELDS: [(&str, &str, &str); 25] = [
    ("lane", "rvfi", "rvfi"),
    ("broad", "packer_broad", "packer_broad"),
    ("more", "delay", "delay"),
    ("step", "delay", "delay"),
    ("core", "core", "cores"),
    ("spine", "spine", "join"),
    ("fifo", "event_fifo", "event_fifo"),
    ("stream_cache", "stream_cache", "cache"),
    ("flags", "delay", "delay"),
    ("pcs", "delay", "delay"),
    ("targets", "delay", "delay"),
    ("misses", "delay", "delay"),
    ("hits", "delay", "delay"),
    ("turns", "delay", "delay"),
    ("packets", "port", "port"),
    ("outer", "router", "router"),
    ("generator_router", "router", "router"),
    ("node_router", "router", "router"),
    ("lite_generator", "lite_generator", "client"),
    ("machine_node", "machine_node", "client"),
    ("aggregate_node", "aggregate_node", "client"),
    ("count_node", "count_node", "client"),
    ("filter_node", "filter_node", "client"),
    ("histogram_node", "histogram_node", "client"),
    ("pair_node", "pair_node", "client"),
];

/// Lists of blocks, as they stand above the sources.
const LISTS: [&str; 14] = [
    include_str!("../lib.rs"),
    include_str!("../ingress/mod.rs"),
    include_str!("../diag/mod.rs"),
    include_str!("../diag/generator/mod.rs"),
    include_str!("../diag/node/mod.rs"),
    include_str!("../noc/mod.rs"),
    include_str!("../spine/mod.rs"),
    include_str!("../widget/mod.rs"),
    include_str!("../scheme/tr/mod.rs"),
    include_str!("../scheme/tr/outcome/mod.rs"),
    include_str!("../scheme/tr/target/mod.rs"),
    include_str!("../scheme/tr/coder/mod.rs"),
    include_str!("../scheme/sc_lsp/mod.rs"),
    include_str!("../verilog/mod.rs"),
];

/// What the module of a field is called; an index at the field's end does not count.
pub(super) fn name(field: &str) -> &str {
    let field = match field.rsplit_once('$') {
        Some((name, index)) if index.bytes().all(|b| b.is_ascii_digit()) => name,
        _ => field,
    };
    FIELDS.iter().find(|(f, ..)| *f == field).map_or(field, |(_, name, _)| name)
}

/// What a module is, if a list has its source.
pub(super) fn line(name: &str) -> Option<&'static str> {
    let source = FIELDS.iter().find(|(_, n, _)| *n == name).map_or(name, |(.., source)| source);
    let link = format!("//! | [`{source}`] | ");
    LISTS.iter().flat_map(|l| l.lines()).find_map(|l| l.strip_prefix(&link)?.strip_suffix(" |"))
}
