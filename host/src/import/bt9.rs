//! Importer of BT9, the branch traces of the championship CBP-5 (2016)
//!
//! Text: a graph of branches, and the edges in the order in which they were passed.
//!
//! | line | meaning |
//! | --- | --- |
//! | `BT9_SPA_TRACE_FORMAT` | first line |
//! | `NODE id virtual physical opcode size class: JMP+DIR+CND ...` | a branch; node 0 is none, the begin of the trace |
//! | `EDGE id from to T target physical count ...` | branch `from` is taken (`N`: not) to `target`, and `count` instructions on, `to` included, is branch `to` |
//! | `12` | after `BT9_EDGE_SEQUENCE`: edge 12 is passed |
//! | `EOF` | last line |
//!
//! `#` begins a comment; other lines in front of the nodes are metadata. Numbers are decimal, addresses and opcodes hexadecimal.
//!
//! # Missing information
//! A conditional indirect branch is reported as an indirect jump, which goes to the next instruction if it is not taken; a conditional call
//! as a conditional branch. A direct branch with several targets is indirect. If a run leads to another branch
//! than another edge from its place, a trap leads to that. The outcome of the last branch is not in the trace.
//!
//! # Source
//! CBP-5 kit, `sim/bt9_reader.h` (`BT9ReaderNodeRecord`, `BT9ReaderEdgeRecord`).

use super::packed::Unpacked;
use super::survey::Survey;
use super::Sink;
use crate::HostError;
use retire::file::rbt1::Record;
use std::collections::{BTreeMap, HashMap, HashSet};

/// First line of a file.
pub(super) const MAGIC: &[u8] = b"BT9_SPA_TRACE_FORMAT";

#[derive(Clone, Copy, Debug, Default)]
struct Node {
    pc: u64,
    size: u8,
    /// `rbt1` kind; 1 for a conditional branch, 0 if there is no branch.
    kind: u8,
    /// Conditional and indirect, or returning.
    conditional_indirect: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    from: u32,
    to: u32,
    taken: bool,
    target: u64,
    count: u32,
}

/// The nodes and edges of a file.
#[derive(Default)]
struct Graph {
    nodes: HashMap<u32, Node>,
    /// In order, so that the first edge of a run is the same in each import.
    edges: BTreeMap<u32, Edge>,
}

fn hex(word: &str) -> Option<u64> {
    match word {
        "-" => Some(0),
        _ => u64::from_str_radix(word.strip_prefix("0x").unwrap_or(word), 16).ok(),
    }
}

impl Node {
    fn parse(words: &[&str]) -> Option<(u32, Self)> {
        let [id, pc, _, _, size, rest @ ..] = words else { return None };
        let class =
            rest.iter().position(|w| *w == "class:").and_then(|at| rest.get(at + 1)).copied().unwrap_or_default();
        let has = |part: &str| class.split('+').any(|p| p == part);
        let conditional = has("CND");
        let kind = match (has("CALL"), has("RET"), has("IND")) {
            _ if class.is_empty() => 0,
            (true, _, false) | (false, false, false) if conditional => 1,
            (_, true, _) if !conditional => 6,
            (true, _, true) if !conditional => 5,
            (true, _, false) => 3,
            (false, false, false) => 2,
            _ => 4,
        };
        let size = size.parse().ok()?;
        Some((id.parse().ok()?, Self { pc: hex(pc)?, size, kind, conditional_indirect: conditional && kind == 4 }))
    }

    fn next(&self) -> u64 {
        self.pc.wrapping_add(self.size.max(1).into())
    }
}

impl Edge {
    fn parse(words: &[&str]) -> Option<(u32, Self)> {
        let [id, from, to, taken, target, _, count, ..] = words else { return None };
        let taken = match *taken {
            "T" => true,
            "N" => false,
            _ => return None,
        };
        let number = |word: &str| word.parse().ok();
        Some((
            id.parse().ok()?,
            Self { from: number(from)?, to: number(to)?, taken, target: hex(target)?, count: number(count)? },
        ))
    }
}

impl Graph {
    /// Adds a line in front of the sequence; `true` if the sequence begins.
    fn line(&mut self, text: &str) -> Result<bool, String> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let added = match &words[..] {
            ["BT9_EDGE_SEQUENCE", ..] => return Ok(true),
            ["NODE", rest @ ..] => Node::parse(rest).map(|(id, node)| {
                self.nodes.insert(id, node);
            }),
            ["EDGE", rest @ ..] => Edge::parse(rest).map(|(id, edge)| {
                self.edges.insert(id, edge);
            }),
            _ => Some(()),
        };
        added.map(|()| false).ok_or_else(|| {
            "is no node or edge; expected `NODE id virtual physical opcode size class: CLASS` or `EDGE id from to T|N target physical \
             count`"
                .into()
        })
    }

    fn node(&self, id: u32) -> Result<&Node, String> {
        self.nodes.get(&id).ok_or_else(|| format!("there is no node {id}"))
    }

    /// Branches with several targets, and where runs lead.
    fn survey(&self) -> Result<Survey, String> {
        let mut survey = Survey::default();
        for edge in self.edges.values() {
            let (from, to) = (self.node(edge.from)?, self.node(edge.to)?);
            if from.kind != 0 {
                survey.branch(from.pc, from.kind, edge.goes_to(from));
            }
            if from.kind != 0 && to.kind != 0 {
                survey.run(edge.next(from), edge.count.max(1), to.pc);
            }
        }
        Ok(survey)
    }
}

impl Edge {
    /// Where the branch goes if it is taken, or falls through as an indirect one.
    fn goes_to(&self, from: &Node) -> Option<u64> {
        (self.taken || from.conditional_indirect).then(|| self.next(from))
    }

    /// The next address.
    fn next(&self, from: &Node) -> u64 {
        if self.taken {
            self.target
        } else {
            from.next()
        }
    }
}

/// Text of a line, without a comment.
fn content(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    text.split('#').next().unwrap_or_default().trim().to_string()
}

/// Passes the records of a trace to `sink`; returns notes.
pub(super) fn convert(mut input: Unpacked, sink: Sink<'_>) -> Result<Vec<String>, HostError> {
    let (mut graph, mut line) = (Graph::default(), Vec::new());
    loop {
        if !input.log_line(&mut line, !graph.nodes.is_empty(), "a node")? {
            return Err(input.wrong_line("the file ends without `BT9_EDGE_SEQUENCE`; it was cut"));
        }
        if graph.line(&content(&line)).map_err(|e| input.wrong_line(&e))? {
            break;
        }
    }
    let survey = graph.survey().map_err(|e| input.wrong_line(&e))?;
    let edges: HashMap<u32, Edge> = std::mem::take(&mut graph.edges).into_iter().collect();
    let mut put = |kind, len, count, pc, target| sink(&Record { kind, len, thread: 0, count, pc, target });
    // the node that the previous edge leads to, the start of its run, and its instructions
    let (mut last, mut at, mut count) = (None::<u32>, None, 0);
    let (mut traps, mut conditional, mut ended) = (0u64, 0u64, false);
    while !ended && input.line(&mut line)? {
        let text = content(&line);
        if text.is_empty() {
            continue;
        }
        if text == "EOF" {
            ended = true;
            continue;
        }
        let id: u32 = text.parse().map_err(|_| input.wrong_line(&format!("`{text}` is not the number of an edge")))?;
        let edge = *edges.get(&id).ok_or_else(|| input.wrong_line(&format!("there is no edge {id}")))?;
        let wrong = |e: String| input.wrong_line(&e);
        if let Some(last) = last.filter(|last| *last != edge.from) {
            let from = edge.from;
            return Err(wrong(format!("edge {id} begins at node {from}, but the edge before it ends at node {last}")));
        }
        let from = *graph.node(edge.from).map_err(wrong)?;
        last = Some(edge.to);
        if from.kind == 0 {
            continue;
        }
        let mut instructions = 1;
        match at {
            None => put(7, 0, 0, from.pc, from.pc),
            Some(at) => match survey.run_at(at).filter(|run| run.exit == from.pc) {
                Some(run) => instructions = run.count,
                None => {
                    traps += 1;
                    put(7, 1, 0, at, from.pc);
                }
            },
        }
        let (kind, len) = match (survey.many(from.pc), from.kind) {
            (true, 1 | 2) => (4, from.size),
            (true, 3) => (5, from.size),
            (_, 1) => (u8::from(edge.taken), from.size),
            (_, kind) => (kind, from.size),
        };
        conditional += u64::from(from.conditional_indirect);
        put(kind, len.clamp(1, 15), instructions, from.pc, edge.next(&from));
        (at, count) = (Some(edge.next(&from)), edge.count);
    }
    if !ended {
        return Err(input.wrong_line("the file ends without `EOF`; it was cut"));
    }
    let Some(at) = at else {
        return Err(input.wrong_line("the trace passes no branch"));
    };
    let to = graph.node(last.unwrap_or_default()).copied().unwrap_or_default();
    let direct: HashSet<u64> = graph.nodes.values().filter(|n| (1..4).contains(&n.kind)).map(|n| n.pc).collect();
    let mut notes = survey.notes(|pc| direct.contains(&pc));
    match survey.run_at(at).filter(|run| to.kind != 0 && run.exit == to.pc) {
        Some(run) => {
            put(7, 0, run.count - 1, to.pc, to.pc);
            notes.push(format!("1 {}", super::LEFT_OUT));
        }
        None => {
            put(7, 0, 0, at, at);
            notes.extend(
                (count > 0).then(|| {
                    format!("{count} instructions after the last branch, left out: where they are is unknown")
                }),
            );
        }
    }
    let mut counted = |n, what: &str| super::note(&mut notes, n, what);
    counted(conditional, "conditional indirect branches, imported as indirect jumps");
    counted(traps, "runs to another branch than before, imported as traps to it");
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::super::text::converted;
    use super::*;

    fn found(text: &str) -> Result<(Vec<Record>, Vec<String>), String> {
        converted(text, |_, input, sink| convert(input, sink))
    }

    /// A loop with a call in it, as the CBP kit prints a trace.
    const TEXT: &str = "BT9_SPA_TRACE_FORMAT\nbt9_minor_version: 0\ntotal_instruction_count: 30 # all\nBT9_NODES\n\
        #NODE    id      virtual_address    physical_address          opcode  size\n\
        NODE      0                    0                   -               0     0\n\
        NODE      1       0x000000001000                   -      0x0000eb01     4 class: CALL+DIR+UCD behavior: AT+DIR taken_cnt: 2\n\
        NODE      2       0x000000002008                   -      0x0000eb02     4 class:  RET+IND+UCD behavior: AT+IND\n\
        NODE      3       0x00000000100c                   -      0x0000eb03     2 class:  JMP+DIR+CND behavior: DYN+DIR\n\
        NODE      4       0x000000001020                   -      0x0000eb04     4 class:  JMP+IND+CND behavior: DYN+IND\n\
        BT9_EDGES\n\
        #EDGE    id  src_id   dest_id  taken      br_virt_target       br_phy_target      inst_cnt\n\
        EDGE      0       0         1      N                   0                   -             1  traverse_cnt: 1\n\
        EDGE      1       1         2      T          0x00002000                   -             3  traverse_cnt: 2\n\
        EDGE      2       2         3      T          0x00001004                   -             3  traverse_cnt: 2\n\
        EDGE      3       3         1      T          0x00000ff8                   -             3  traverse_cnt: 1\n\
        EDGE      4       3         4      N          0x0000100e                   -             5  traverse_cnt: 1\n\
        EDGE      5       4         1      N          0x00001024                   -             9  traverse_cnt: 1\n\
        BT9_EDGE_SEQUENCE\n0\n1\n2\n3\n1\n2\n4\n5\nEOF\n";

    #[test]
    fn edges_are_the_records_worked_by_hand() {
        let of = |kind, len, count, pc, target| Record { kind, len, thread: 0, count, pc, target };
        let want = [
            of(7, 0, 0, 0x1000, 0x1000),
            of(3, 4, 1, 0x1000, 0x2000),
            of(6, 4, 3, 0x2008, 0x1004),
            of(1, 2, 3, 0x100c, 0xff8),
            of(3, 4, 3, 0x1000, 0x2000),
            of(6, 4, 3, 0x2008, 0x1004),
            of(0, 2, 3, 0x100c, 0x100e),
            of(4, 4, 5, 0x1020, 0x1024),
            of(7, 0, 8, 0x1000, 0x1000),
        ];
        let (records, notes) = found(TEXT).unwrap();
        assert_eq!(records, want);
        assert_eq!(notes.len(), 2, "{notes:?}");
        // the trace ends with a branch of no node
        let (records, notes) =
            found(&TEXT.replace("EDGE      5       4         1", "EDGE      5       4         0")).unwrap();
        assert_eq!(records.last(), Some(&of(7, 0, 0, 0x1024, 0x1024)));
        assert!(notes.iter().any(|n| n.starts_with("9 instructions after the last branch")), "{notes:?}");
    }

    #[test]
    fn what_does_not_fit_is_refused_with_its_line() {
        let say = |from: &str, to: &str| found(&TEXT.replace(from, to)).unwrap_err();
        assert!(
            say("\n4\n5\n", "\n5\n")
                .contains("line 26: edge 5 begins at node 4, but the edge before it ends at node 3"),
            "{}",
            say("\n4\n5\n", "\n5\n")
        );
        assert!(say("\n4\n5\n", "\n44\n5\n").contains("there is no edge 44"));
        assert!(say("5\nEOF\n", "5\n").contains("ends without `EOF`"));
        assert!(say("EDGE      5       4", "EDGE      5       9").contains("there is no node 9"));
        assert!(say("EDGE      5       4", "EDGE      5       x").contains("line 18: is no node or edge"));
        assert!(found("BT9_SPA_TRACE_FORMAT\n").unwrap_err().contains("without `BT9_EDGE_SEQUENCE`"));
        assert!(say("NODE      4 ", "NODE 99999999999 ").contains("line 10: is no node or edge"));
    }
}
