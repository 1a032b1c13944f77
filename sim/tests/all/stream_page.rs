//! The tables of messages and chunk sizes in `docs/reference/stream.md` are those of the code that writes messages
//!
//! A [`Code`] that writes down the names of the fields instead of their bits takes one message of each kind from the
//! [`Writer`] that all these schemes share. `tools/reference` writes the tables; the test compares them.

use retire::Context;
use sim::bits::{BitReader, BitWriter};
use sim::message::{Body, CodingError, Escape, Message};
use sim::params::Platform;
use sim::scheme::fields::{Code, Field, Writer};
use sim::scheme::taken::TakenParams;
use sim::scheme::tr::coder::chunked::Coding;
use sim::scheme::tr::coder::golomb::Orders;
use sim::scheme::Encode;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

/// Writes down each field with its value.
#[derive(Clone, Default)]
struct Names(Rc<RefCell<Vec<(Field, u64)>>>);

impl Code for Names {
    fn number(&mut self, field: Field, value: u64, _: &mut BitWriter) {
        self.0.borrow_mut().push((field, value));
    }
    fn bits(&mut self, field: Field, value: u64, _: u32, _: &mut BitWriter) {
        self.0.borrow_mut().push((field, value));
    }
    fn flush(&mut self, _: &mut BitWriter) {}
    fn read_number<I: Iterator<Item = u32>>(
        &mut self,
        _: Field,
        _: u32,
        _: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        unreachable!("nothing is read")
    }
    fn read_bits<I: Iterator<Item = u32>>(
        &mut self,
        _: Field,
        _: u32,
        _: &mut BitReader<I>,
    ) -> Result<u64, CodingError> {
        unreachable!("nothing is read")
    }
    fn read_flush<I: Iterator<Item = u32>>(&mut self, _: &mut BitReader<I>) -> Result<(), CodingError> {
        unreachable!("nothing is read")
    }
}

/// A message, its name in the table, the name of its count and of its address, and a condition.
struct Row {
    name: &'static str,
    count: &'static str,
    address: &'static str,
    only: &'static str,
    body: Body,
}

/// The fields of a message, in their order, in a time-stamped stream of several cores with signatures.
fn fields(row: &Row, context: Option<u8>) -> String {
    let names = Names::default();
    let platform = Platform { cores: 4, timestamps: true, signature: 16, context, ..Platform::RV32 };
    let message = Message { core: 1, diff_cc: 7, body: row.body };
    Encode::<Body>::encode(&mut Writer::new(&platform, names.clone()), &message, &mut BitWriter::default());
    let fields = names.0.take();
    let text = |(field, value): &(Field, u64)| match (field, value) {
        (Field::DiffCc, _) => "[diffCC]".into(),
        (Field::Count, 0) => "chunked(0; b_cnt)".into(),
        (Field::Count, _) => row.count.into(),
        (Field::Kind, 0) | (Field::Taken, 0) => "0".into(),
        // in the order in which they are sent
        (Field::Kind, kind) => format!("1 {}{}{}", kind >> 1 & 1, kind >> 2 & 1, kind >> 3),
        (Field::Taken, _) => "1".into(),
        (Field::DiffTa, _) => format!("addr({})", row.address),
        // part of `addr`
        (Field::Sign, _) => String::new(),
        (Field::Lost, 0) => "chunked(0; i_cnt)".into(),
        (Field::Context, _) => "ctx".into(),
        (Field::Signature, _) => "[signature]".into(),
        (Field::Core | Field::ICnt | Field::Lost, _) => field.name().into(),
    };
    let words: Vec<String> = fields.iter().map(text).filter(|word| !word.is_empty()).collect();
    format!("| {} | `{}`{} |\n", row.name, words.join(" "), row.only)
}

fn table(rows: &[Row], context: Option<u8>) -> String {
    let rows: String = rows.iter().map(|row| fields(row, context)).collect();
    format!("| message | fields in order |\n| --- | --- |\n{rows}")
}

/// A branch message; the name of its count is that of the scheme.
fn branch(name: &'static str, count: &'static str, body: Body) -> Row {
    Row { name, count, address: "TA", only: "", body }
}

fn escape(name: &'static str, address: &'static str, escape: Escape) -> Row {
    Row { name, count: "", address, only: "", body: Body::Escape(escape) }
}

/// The tables, each with the mark that surrounds it on the page.
fn tables() -> Vec<(&'static str, String)> {
    let (i_cnt, target, signature) = (5, 0x8000_0010, Some(1));
    let exception = |context| escape("exception or interrupt", "ETA", Escape::Exception { i_cnt, target, context });
    let sync = |context| escape("sync", "PC", Escape::Sync { i_cnt, pc: target, context });
    let tr = [
        branch("outcome mispredicted", "bCnt", Body::Outcome { count: 3 }),
        branch("target mispredicted", "bCnt", Body::Target { count: 3, target }),
        branch("conditional indirect, not taken", "bCnt", Body::NotTaken { count: 3 }),
        branch("conditional indirect, taken, target mispredicted", "bCnt", Body::Taken { count: 3, target }),
        exception(None),
        sync(None),
        escape("resync", "", Escape::Resync { i_cnt, signature }),
        Row { only: ", `lost` not 0", ..escape("overflow", "", Escape::Overflow { i_cnt, lost: 9 }) },
        escape("stop", "", Escape::Stop { i_cnt, signature }),
        escape("progress", "", Escape::Progress { i_cnt, signature }),
    ];
    let context = Context(1);
    let contexts =
        [escape("context", "", Escape::Context { i_cnt, context }), exception(Some(context)), sync(Some(context))];
    let streams = |count, conditional, indirect| {
        [
            branch(conditional, count, Body::Stream { length: 3, target: None }),
            branch(indirect, count, Body::Stream { length: 3, target: Some(target) }),
        ]
    };
    let nexus = streams("SL", "taken direct conditional", "indirect branch");
    let taken = streams("iCnt", "taken direct conditional, direct jump or call", "indirect branch");
    vec![
        ("messages tr", table(&tr, None)),
        ("messages context", table(&contexts, Some(8))),
        ("messages nx_b", table(&nexus, None)),
        ("messages taken", table(&taken, None)),
        ("encodings", encodings()),
    ]
}

/// The sizes of the variable fields of each encoding.
fn encodings() -> String {
    let chunks = |name: &str, c: Coding| {
        format!(
            "| {name} | {}, {} | {}, {} | {}, {} | {}, {} |\n",
            c.b_cnt.first,
            c.b_cnt.next,
            c.diff_ta.first,
            c.diff_ta.next,
            c.diff_cc.first,
            c.diff_cc.next,
            c.i_cnt.first,
            c.i_cnt.next
        )
    };
    let Orders { b_cnt, diff_ta, diff_cc, i_cnt } = Orders::DEFAULT;
    [
        "| encoding | `bCnt` or SL: `b_cnt` | addresses: `diff_ta` | `diffCC`: `diff_cc` | `iCnt`, `lost`: `i_cnt` |\n"
            .into(),
        "| --- | ---: | ---: | ---: | ---: |\n".into(),
        chunks("`tr_e`", Coding::tr_e(true)),
        chunks("`tr_e` of the sets without a target predictor: `s0`, `m0`, `b0`", Coding::tr_e(false)),
        chunks("`tr_b`, `nx_b`", Coding::TR_B),
        chunks("`taken`", TakenParams::CODING),
        format!("| `golomb`: orders | {b_cnt} | {diff_ta} | {diff_cc} | {i_cnt} |\n"),
    ]
    .concat()
}

#[test]
fn the_page_has_the_tables_of_the_code() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference/stream.md");
    let kept = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut page = kept.clone();
    for (mark, table) in tables() {
        let mark = format!("<!-- {mark} -->");
        let parts: Vec<&str> = page.split(&mark).collect();
        let [before, _, after] = parts[..] else { panic!("stream.md has not two marks {mark}") };
        page = format!("{before}{mark}\n\n{table}\n{mark}{after}");
    }
    if std::env::var("GOSHAWK_REFERENCE").is_ok_and(|v| v == "write") {
        std::fs::write(&path, page).unwrap();
        return;
    }
    let differs = page.lines().zip(kept.lines()).find(|(made, kept)| made != kept);
    assert!(page == kept, "docs/reference/stream.md: tools/reference makes it again; first: {differs:?}");
}
