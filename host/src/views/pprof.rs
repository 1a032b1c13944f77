//! Profiles in `pprof`'s format: gzipped protocol buffers
//!
//! A sample is a stack; its value is a number of instructions. A location is a function: stacks consist of functions,
//! not of lines.
//!
//! # Source
//! `profile.proto` of github.com/google/pprof, message `perftools.profiles.Profile`.

use flate2::{write::GzEncoder, Compression};
use prost::Message;
use std::io::{self, Write};

#[derive(Clone, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    r#type: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    value: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function_id: u64,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(message, repeated, tag = "4")]
    line: Vec<Line>,
}

#[derive(Clone, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "3")]
    system_name: i64,
}

/// The fields in use. Written in concatenated parts, which a reader merges.
#[derive(Clone, PartialEq, Message)]
struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    sample: Vec<Sample>,
    #[prost(message, repeated, tag = "4")]
    location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    string_table: Vec<String>,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
}

/// The first entries of the string table; names of functions follow.
const TEXTS: [&str; 3] = ["", "instructions", "count"];

/// Writes stacks of functions, each from the innermost, with their instruction counts.
pub struct Pprof<W: Write>(GzEncoder<W>);

impl<W: Write> Pprof<W> {
    /// Starts the file, with the names of all functions by number.
    ///
    /// # Errors
    /// `out` failed.
    pub fn new<'a>(out: W, functions: impl Iterator<Item = &'a str>) -> io::Result<Self> {
        let mut file = Self(GzEncoder::new(out, Compression::default()));
        let instructions = ValueType { r#type: 1, unit: 2 };
        file.put(&Profile {
            sample_type: vec![instructions.clone()],
            period_type: Some(instructions),
            period: 1,
            string_table: TEXTS.map(String::from).to_vec(),
            ..Profile::default()
        })?;
        for ((id, text), name) in (1..).zip(TEXTS.len() as i64..).zip(functions) {
            file.put(&Profile {
                function: vec![Function { id, name: text, system_name: text }],
                location: vec![Location { id, line: vec![Line { function_id: id }] }],
                string_table: vec![name.into()],
                ..Profile::default()
            })?;
        }
        Ok(file)
    }

    fn put(&mut self, part: &Profile) -> io::Result<()> {
        self.0.write_all(&part.encode_to_vec())
    }

    /// Writes a stack of functions by number, innermost first.
    ///
    /// # Errors
    /// The output failed.
    pub fn sample(&mut self, stack: impl IntoIterator<Item = u32>, instructions: u64) -> io::Result<()> {
        let location_id = stack.into_iter().map(|f| u64::from(f) + 1).collect();
        let value = vec![i64::try_from(instructions).unwrap_or(i64::MAX)];
        self.put(&Profile { sample: vec![Sample { location_id, value }], ..Profile::default() })
    }

    /// Completes the file.
    ///
    /// # Errors
    /// The output failed.
    pub fn finish(self) -> io::Result<()> {
        self.0.finish().map(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes derived by hand from the wire format: field 2 as bytes is 12, its field 1 as packed numbers 0a, 300 is ac
    /// 02.
    #[test]
    fn messages_are_those_worked_by_hand() {
        let sample = Sample { location_id: vec![1, 300], value: vec![2] };
        let part = Profile { sample: vec![sample], period: 1, ..Profile::default() };
        assert_eq!(part.encode_to_vec(), [0x12, 8, 0x0a, 3, 1, 0xac, 0x02, 0x12, 1, 2, 0x60, 1]);
    }
}
