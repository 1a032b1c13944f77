//! The fields of a message as they are written in a table, with the values of their names, as bits
//!
//! A word of a table is a literal (`0`, `001`), a name, `[name]` (may have no bits), `name=0` (a field of that width with value 0), `(expression)`,
//! `chunked(expression; c0, c1)`, `chunked(expression; sizes)`, or another code, `code(expression)`. Bits are a text of 0 and 1, in the order in which they
//! are sent. Written from `docs/reference/stream.md`, not from the encoders.

use sim::bits::{as_bits, BitWriter};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The low `bits` bits of a value, least significant bit first.
pub fn low(value: u64, bits: u32) -> String {
    (0..bits).map(|i| if value >> i & 1 == 1 { '1' } else { '0' }).collect()
}

/// `chunked(value; first, next)`.
pub fn chunked(value: u64, (first, next): (u32, u32)) -> String {
    let (mut text, mut rest, mut size) = (String::new(), value, first);
    loop {
        text += &low(rest, size);
        rest >>= size;
        if rest == 0 {
            return text + "0";
        }
        text += "1";
        size = next;
    }
}

/// `golomb(value; k)`.
pub fn golomb(value: u64, k: u32) -> String {
    let w = value + (1 << k);
    let n = w.ilog2();
    "1".repeat((n - k) as usize) + "0" + &low(w, n)
}

/// The number 2d for d >= 0, and -2d - 1 for d below 0; d is the difference modulo 2^`bits`, as a signed number.
pub fn zigzag(difference: u64, bits: u32) -> u64 {
    let mask = u64::MAX >> (64 - bits);
    let d = difference & mask;
    match d >> (bits - 1) {
        0 => 2 * d,
        _ => 2 * (d.wrapping_neg() & mask) - 1,
    }
}

/// `chunked(|to - from|; sizes)` and the sign of the difference, modulo 2^`bits`.
pub fn difference(from: u64, to: u64, bits: u32) -> (u64, String) {
    let mask = u64::MAX >> (64 - bits);
    let d = to.wrapping_sub(from) & mask;
    let negative = d >> (bits - 1) == 1;
    (if negative { d.wrapping_neg() & mask } else { d }, low(negative.into(), 1))
}

/// What the bits of a writer are that is used for one message.
pub fn written(mut out: BitWriter) -> String {
    let length = out.len() as usize;
    out.pad();
    as_bits(out.words())[..length].iter().map(|bit| if *bit { '1' } else { '0' }).collect()
}

/// A code of a table: bits of a number.
type Encoding = Box<dyn Fn(u64) -> String>;

/// Values of the names in a row.
#[derive(Default)]
pub struct Names {
    bits: BTreeMap<&'static str, String>,
    numbers: BTreeMap<&'static str, u64>,
    sizes: BTreeMap<&'static str, (u32, u32)>,
    codes: BTreeMap<&'static str, Encoding>,
}

impl Names {
    /// Defines the bits of a field.
    pub fn field(mut self, name: &'static str, bits: impl Into<String>) -> Self {
        self.bits.insert(name, bits.into());
        self
    }

    /// Defines the value of an expression.
    pub fn number(mut self, expression: &'static str, value: u64) -> Self {
        self.numbers.insert(expression, value);
        self
    }

    /// Defines chunk sizes.
    pub fn sizes(mut self, name: &'static str, first: u8, next: u8) -> Self {
        self.sizes.insert(name, (first.into(), next.into()));
        self
    }

    /// Defines a code.
    pub fn code(mut self, name: &'static str, code: impl Fn(u64) -> String + 'static) -> Self {
        self.codes.insert(name, Box::new(code));
        self
    }

    fn value(&self, expression: &str) -> u64 {
        let known = self.numbers.get(expression).copied();
        known.or_else(|| expression.parse().ok()).unwrap_or_else(|| panic!("no value of `{expression}`"))
    }

    fn named(&self, name: &str) -> &str {
        self.bits.get(name).unwrap_or_else(|| panic!("no field `{name}`"))
    }

    fn word(&self, word: &str) -> String {
        if word.bytes().all(|b| matches!(b, b'0' | b'1')) {
            return word.into();
        }
        if let Some(name) = word.strip_prefix('[').and_then(|w| w.strip_suffix(']')) {
            return self.named(name).into();
        }
        if let Some(name) = word.strip_suffix("=0") {
            return "0".repeat(self.named(name).len());
        }
        let Some((code, argument)) = word.strip_suffix(')').and_then(|w| w.split_once('(')) else {
            return self.named(word).into();
        };
        if code == "chunked" {
            let (expression, sizes) = argument.rsplit_once("; ").unwrap_or_else(|| panic!("no sizes in `{word}`"));
            let sizes = self.sizes.get(sizes).copied().unwrap_or_else(|| {
                let (first, next) = sizes.split_once(", ").unwrap_or_else(|| panic!("no sizes `{sizes}`"));
                (first.parse().unwrap(), next.parse().unwrap())
            });
            return chunked(self.value(expression), sizes);
        }
        if code.is_empty() {
            return self.named(argument).into();
        }
        self.codes.get(code).unwrap_or_else(|| panic!("no code `{code}`"))(self.value(argument))
    }

    /// The bits of the fields.
    pub fn read(&self, fields: &str) -> String {
        let (mut bits, mut word, mut depth) = (String::new(), String::new(), 0);
        for c in fields.chars().chain([' ']) {
            depth += i32::from(c == '(') - i32::from(c == ')');
            if c == ' ' && depth == 0 {
                bits += &self.word(&std::mem::take(&mut word));
            } else {
                word.push(c);
            }
        }
        bits
    }
}

/// The lines of the first table below a mark in a reference page, as cells, without titles.
pub fn rows(page: &str, mark: &str) -> Vec<Vec<String>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../docs/reference/{page}.md"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mark = format!("<!-- {mark} -->\n");
    let (_, below) = text.split_once(&mark).unwrap_or_else(|| panic!("{page}.md has no {mark}"));
    let lines = below.lines().skip_while(|l| !l.starts_with('|')).take_while(|l| l.starts_with('|')).skip(2);
    let cells = |line: &str| {
        let inner = line.trim_start_matches("| ").trim_end_matches(" |");
        inner.split(" | ").map(|cell| cell.replace("\\|", "|")).collect()
    };
    lines.map(cells).collect()
}

/// The fields of messages in one column of a table, and the rows that were compared.
pub struct Table {
    rows: BTreeMap<String, String>,
    compared: BTreeSet<String>,
}

impl Table {
    /// The table below a mark; `column` is 1 for the first one with fields. `only`: the rows whose fields contain this.
    pub fn of(page: &str, mark: &str, column: usize, only: &str) -> Self {
        let fields = |row: Vec<String>| {
            let text = row[column].split('`').nth(1).unwrap_or_else(|| panic!("{mark}: no fields in {row:?}"));
            text.contains(only).then(|| (row[0].clone(), text.to_string()))
        };
        let rows: BTreeMap<_, _> = rows(page, mark).into_iter().filter_map(fields).collect();
        assert!(!rows.is_empty(), "{page}.md, {mark}: no rows");
        Self { rows, compared: BTreeSet::new() }
    }

    fn fields(&mut self, row: &str) -> &str {
        self.compared.insert(row.into());
        self.rows.get(row).unwrap_or_else(|| panic!("no row `{row}` in {:?}", self.rows.keys()))
    }

    /// The fields of a row as bits.
    pub fn bits(&mut self, row: &str, names: &Names) -> String {
        names.read(self.fields(row))
    }

    /// Compares the bits of a row with those that an encoder wrote.
    pub fn compare(&mut self, row: &str, names: &Names, out: BitWriter) {
        self.compare_with(row, str::to_string, names, out);
    }

    /// As [`Table::compare`], with the fields changed by `change`.
    pub fn compare_with(&mut self, row: &str, change: impl Fn(&str) -> String, names: &Names, out: BitWriter) {
        let fields = change(self.fields(row));
        assert_eq!(names.read(&fields), written(out), "{row}: `{fields}`");
    }

    /// Checks that all rows were compared.
    pub fn end(&self) {
        let left: Vec<_> = self.rows.keys().filter(|row| !self.compared.contains(*row)).collect();
        assert!(left.is_empty(), "not compared: {left:?}");
    }
}

#[test]
fn fields_give_the_bits_worked_by_hand() {
    let names = Names::default()
        .field("SCI", low(5, 4))
        .field("SA", "")
        .number("n - 1", 2)
        .sizes("b_cnt", 2, 1)
        .code("rice", |n| "1".repeat(n as usize) + "0");
    // 5 from the low end; no SA; 2 is `01` and no further chunk; four zeros; 6 = 10 (low bits), 1, 1, 0; two ones and a zero
    assert_eq!(names.read("1 SCI [SA] chunked(n - 1; 2, 4)"), "1 1010 010".replace(' ', ""));
    assert_eq!(names.read("SCI=0 chunked(6; b_cnt) rice(2)"), "0000 01110 110".replace(' ', ""));
    assert_eq!((zigzag(3, 8), zigzag(0xfd, 8), zigzag(u64::MAX, 64)), (6, 5, 1));
    assert_eq!((golomb(0, 0), golomb(5, 2)), ("0".into(), "10100".into()));
    assert_eq!(difference(10, 7, 8), (3, "1".into()));
}
