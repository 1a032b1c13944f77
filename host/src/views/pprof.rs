//! Profiles in `pprof`'s format: gzipped protocol buffers
//!
//! A sample is a stack; its value is a number of instructions. A location is a source line with the functions that were inlined there.
//!
//! # Source
//! `profile.proto` of github.com/google/pprof, message `perftools.profiles.Profile`.

use super::lines::SourceLocation;
use flate2::{write::GzEncoder, Compression};
use prost::Message;
use std::collections::HashMap;
use std::io::{self, Write};

#[derive(Clone, PartialEq, Message)]
pub(super) struct ValueType {
    #[prost(int64, tag = "1")]
    r#type: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    pub location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    pub value: Vec<i64>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Mapping {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    memory_start: u64,
    #[prost(uint64, tag = "3")]
    memory_limit: u64,
    #[prost(int64, tag = "5")]
    filename: i64,
    #[prost(bool, tag = "7")]
    has_functions: bool,
    #[prost(bool, tag = "8")]
    has_filenames: bool,
    #[prost(bool, tag = "9")]
    has_line_numbers: bool,
    #[prost(bool, tag = "10")]
    has_inline_frames: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Line {
    #[prost(uint64, tag = "1")]
    pub function_id: u64,
    #[prost(int64, tag = "2")]
    pub line: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Location {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(uint64, tag = "2")]
    mapping_id: u64,
    #[prost(uint64, tag = "3")]
    pub address: u64,
    #[prost(message, repeated, tag = "4")]
    pub line: Vec<Line>,
}

#[derive(Clone, PartialEq, Message)]
pub(super) struct Function {
    #[prost(uint64, tag = "1")]
    pub id: u64,
    #[prost(int64, tag = "2")]
    pub name: i64,
    #[prost(int64, tag = "3")]
    system_name: i64,
    #[prost(int64, tag = "4")]
    pub filename: i64,
}

/// The fields in use. Written in concatenated parts, which a reader merges.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    pub sample: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    pub location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    pub function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    pub string_table: Vec<String>,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
}

/// The first entries of the string table; others follow where they are first used.
const TEXTS: [&str; 3] = ["", "instructions", "count"];

/// Writes stacks of locations, each from the innermost, with their instruction counts.
pub struct Pprof<W: Write> {
    out: GzEncoder<W>,
    texts: HashMap<String, i64>,
    functions: HashMap<(i64, i64), u64>,
    locations: HashMap<(u64, Vec<SourceLocation>), u64>,
    /// Numbers of mappings by the name of the program.
    mappings: HashMap<i64, u64>,
}

impl<W: Write> Pprof<W> {
    /// Starts the file.
    ///
    /// # Errors
    /// `out` failed.
    pub fn new(out: W) -> io::Result<Self> {
        let texts = TEXTS.into_iter().map(String::from).zip(0..).collect();
        let out = GzEncoder::new(out, Compression::default());
        let (functions, locations, mappings) = (HashMap::new(), HashMap::new(), HashMap::new());
        let mut file = Self { out, texts, functions, locations, mappings };
        let instructions = ValueType { r#type: 1, unit: 2 };
        file.put(&Profile {
            sample_type: vec![instructions.clone()],
            period_type: Some(instructions),
            period: 1,
            string_table: TEXTS.map(String::from).to_vec(),
            ..Profile::default()
        })?;
        Ok(file)
    }

    /// Number of the mapping of a program. `lines`: its locations have source lines.
    ///
    /// # Errors
    /// The output failed.
    pub fn mapping(&mut self, program: &str, lines: bool) -> io::Result<u64> {
        let filename = self.text(program)?;
        if let Some(id) = self.mappings.get(&filename) {
            return Ok(*id);
        }
        let id = self.mappings.len() as u64 + 1;
        self.mappings.insert(filename, id);
        // programs of different address spaces are at the same addresses
        let mapping = Mapping {
            id,
            memory_start: 0,
            memory_limit: u64::MAX,
            filename,
            has_functions: true,
            has_filenames: lines,
            has_line_numbers: lines,
            has_inline_frames: lines,
        };
        self.put(&Profile { mapping: vec![mapping], ..Profile::default() })?;
        Ok(id)
    }

    fn put(&mut self, part: &Profile) -> io::Result<()> {
        self.out.write_all(&part.encode_to_vec())
    }

    fn text(&mut self, text: &str) -> io::Result<i64> {
        if let Some(at) = self.texts.get(text) {
            return Ok(*at);
        }
        let at = self.texts.len() as i64;
        self.texts.insert(text.to_string(), at);
        self.put(&Profile { string_table: vec![text.to_string()], ..Profile::default() })?;
        Ok(at)
    }

    fn function(&mut self, name: &str, file: &str) -> io::Result<u64> {
        let key = (self.text(name)?, self.text(file)?);
        if let Some(id) = self.functions.get(&key) {
            return Ok(*id);
        }
        let id = self.functions.len() as u64 + 1;
        self.functions.insert(key, id);
        let function = Function { id, name: key.0, system_name: key.0, filename: key.1 };
        self.put(&Profile { function: vec![function], ..Profile::default() })?;
        Ok(id)
    }

    /// Number of the location in `mapping` with these functions, the innermost inlined one first; `address` is one of its instructions.
    ///
    /// # Errors
    /// The output failed.
    pub fn location(&mut self, mapping: u64, address: u64, frames: Vec<SourceLocation>) -> io::Result<u64> {
        let key = (mapping, frames);
        if let Some(id) = self.locations.get(&key) {
            return Ok(*id);
        }
        let mut line = Vec::with_capacity(key.1.len());
        for frame in &key.1 {
            line.push(Line { function_id: self.function(&frame.function, &frame.file)?, line: frame.line.into() });
        }
        let id = self.locations.len() as u64 + 1;
        self.locations.insert(key, id);
        let location = Location { id, mapping_id: mapping, address, line };
        self.put(&Profile { location: vec![location], ..Profile::default() })?;
        Ok(id)
    }

    /// Writes a stack of locations by number, innermost first.
    ///
    /// # Errors
    /// The output failed.
    pub fn sample(&mut self, location_id: Vec<u64>, instructions: u64) -> io::Result<()> {
        let value = vec![i64::try_from(instructions).unwrap_or(i64::MAX)];
        self.put(&Profile { sample: vec![Sample { location_id, value }], ..Profile::default() })
    }

    /// Completes the file.
    ///
    /// # Errors
    /// The output failed.
    pub fn finish(self) -> io::Result<()> {
        self.out.finish().map(|_| ())
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
