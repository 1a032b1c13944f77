//! Packets that configure a chip's circuits

use diag::layout::{layout, Cut};
use diag::load::{flush, set, set_masters, write};
use diag::parse::parse;
use diag::resolve::resolve;
use diag::symbols::Symbols;
use sim::diag::node::NodeKind;
use sim::diag::packet::{Body, Op, Packet, HOST, MAX_WORDS};
use sim::diag::registers::{control, Writes, CONTROL};

/// Destination, register and number of data words of each write.
fn places(packets: &[Packet]) -> Vec<(u8, u16, usize)> {
    let place = |p: &Packet| match &p.body {
        Body::Control { op: Op::Write, addr, data } => (p.dest, *addr, data.len()),
        other => panic!("{other:?}"),
    };
    packets.iter().map(place).collect()
}

#[test]
fn registers_beside_each_other_share_packets_of_fourteen() {
    let mut writes: Writes = (0..20).map(|n| (0x400 + n, 100 + n)).collect();
    writes.extend([(2, 1), (0x500, 7)]);
    let packets = write(17, &writes);
    assert_eq!(places(&packets), [(17, 0x400, 14), (17, 0x40e, 6), (17, 2, 1), (17, 0x500, 1)]);
    assert_eq!(packets[0].to_words().len(), MAX_WORDS);
}

/// Nodes that a script does not use are not written; generators come last, with their control register after their
/// slots.
#[test]
fn a_layout_is_set_on_the_nodes_that_it_uses() {
    let elf = programs::find("bank").unwrap().elf;
    let symbols = Symbols::parse(elf).unwrap();
    let text = "call:get_balance /arg0 == 3/ { @a[core] = count(); } call:set_balance { @b[arg0] = sum(arg1); }";
    let app = parse(text).and_then(|i| resolve(&i, &symbols, 50_000_000)).unwrap();
    let nodes = [NodeKind::Machine(16), NodeKind::Filter(8), NodeKind::Count(64), NodeKind::Aggregate(256)];
    let mut cut = Cut::host(&app);
    cut.filters[0] = true;
    cut.maps = vec![true; 2];
    let laid = layout(&app, &nodes, &cut).unwrap();
    let packets = set(&laid, 2, false);
    let mut last: Vec<(u8, &Vec<u16>)> = Vec::new();
    for p in &packets {
        assert_eq!(p.src, HOST);
        if let Body::Control { addr: CONTROL, data, .. } = &p.body {
            last.push((p.dest, data));
        }
    }
    // a term and its rule; a rule; a rule; two slots in each generator
    let word = |n| vec![control(n).1];
    assert_eq!(last, [(17, &word(2)), (18, &word(1)), (19, &word(1)), (0, &word(2)), (1, &word(2))]);
    let flushed: Vec<(u8, bool)> =
        flush(&laid).iter().map(|p| (p.dest, matches!(p.body, Body::Control { op: Op::Flush, .. }))).collect();
    assert_eq!(flushed, [(18, true), (19, true)]);
}

/// Generators of bus masters come after those of the cores, and have the slots that stores can hit.
#[test]
fn generators_of_bus_masters_have_the_slots_of_stores() {
    let symbols = Symbols::parse(programs::find("bank").unwrap().elf).unwrap();
    let text = "call:get_balance { @a = count(); } write:balance { @b[core] = count(); } \
                access:balance { @c = count(); } read:balance { @d = count(); }";
    let app = parse(text).and_then(|i| resolve(&i, &symbols, 50_000_000)).unwrap();
    let laid = layout(&app, &[], &Cut::host(&app)).unwrap();
    let packets = set_masters(&laid, 2, 3);
    let last = packets.iter().filter_map(|p| match &p.body {
        Body::Control { addr: CONTROL, data, .. } => Some((p.dest, data.clone())),
        _ => None,
    });
    let word = vec![control(2).1];
    assert_eq!(last.collect::<Vec<_>>(), [2, 3, 4].map(|m| (m, word.clone())));
}
