//! Files: recordings of both kinds, and executables

use retire::elf::Program;
use retire::file::rbt1::{Rbt1Info, Rbt1Reader, Rbt1Writer};
use retire::file::retire::{RetireInfo, RetireReader, RetireWriter};
use retire::image::Image;
use retire::{FlowEvent, NullSink, RetireSink};
use sim::stimulus::program::{Model, Shape};
use sim::stimulus::run::{record, Config};
use std::path::Path;

/// Calls `f` with a file of those bytes.
fn with_file(data: &[u8], f: impl FnOnce(&Path)) {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), data).expect("a temporary file");
    f(file.path());
}

/// The bytes of a file that `f` writes.
fn written(f: impl FnOnce(&Path)) -> Vec<u8> {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let path = dir.path().join("file");
    f(&path);
    std::fs::read(path).expect("it was written")
}

fn events() -> Vec<FlowEvent> {
    record(&Model::new(&Shape::rv32(5)), &Config::new(2, 1), 2_000).events
}

/// Reads a retire file to its end.
pub(crate) fn retire(data: &[u8]) {
    with_file(data, |path| {
        if let Ok(mut reader) = RetireReader::open(path) {
            let _ = reader.read_rest(&mut NullSink);
        }
    });
}

/// A file of a random walk.
pub(crate) fn retire_seeds() -> Vec<Vec<u8>> {
    let write = |path: &Path| {
        let info = RetireInfo { harts: 2, xlen: 32, ..RetireInfo::default() };
        let mut writer = RetireWriter::create(path, &info).expect("it can be written");
        events().iter().for_each(|e| writer.event(e));
        writer.finish().expect("it can be written");
    };
    vec![written(write)]
}

/// Looks through an rbt1 file and reads it to its end.
pub(crate) fn rbt1(data: &[u8]) {
    with_file(data, |path| {
        let _ = Rbt1Info::scan(path);
        if let Ok(mut reader) = Rbt1Reader::open(path) {
            let _ = reader.read_rest(&mut NullSink);
        }
    });
}

/// The same as rbt1, compressed and not.
pub(crate) fn rbt1_seeds() -> Vec<Vec<u8>> {
    let write = |compressed: bool| {
        written(|path| {
            let mut writer = Rbt1Writer::create(path, compressed, &[]).expect("it can be written");
            events().iter().for_each(|e| writer.event(e));
            writer.finish().expect("it can be written");
        })
    };
    vec![write(false), write(true)]
}

/// Reads an executable, its code and its symbols.
pub(crate) fn elf(data: &[u8]) {
    if let Ok(program) = Program::parse(data) {
        let image = Image::new(&program);
        let _ = image.run(program.entry);
    }
    if let Ok(symbols) = diag::symbols::Symbols::parse(data) {
        let _ =
            (symbols.find("main"), symbols.line(0x8000_0000), symbols.functions("*"), symbols.variables("main.a[1].b"));
        let _ = (
            symbols.line_starts("main.c:1"),
            symbols.function_starts(),
            symbols.lines(),
            symbols.parameters(0x8000_0000),
        );
    }
}

/// Executables that come with the repository, of 32 and 64 bits.
pub(crate) fn elf_seeds() -> Vec<Vec<u8>> {
    ["bank", "irq"].iter().filter_map(|name| Some(programs::find(name)?.elf.to_vec())).collect()
}
