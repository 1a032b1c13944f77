//! Test that each option has the same value name and help text in all commands
//!
//! Long names with several meanings, or with a special meaning in one command, are listed with the reason.

use crate::Cli;
use clap::{Command, CommandFactory};
use std::collections::{BTreeMap, BTreeSet};

/// Long names with different meanings, and why.
const MULTIPLE_MEANINGS: &[(&str, &str)] = &[
    ("ascii", "descriptors of a trace, and of a capture with their disassembly"),
    ("buffer", "its depth in a SoC that is built, and that there is one in a SoC that is read"),
    ("by", "what `profile` counts, and what has a track in `timeline`"),
    ("bytes", "of a store that is looked for, and of a value that is explained, which has fewer"),
    ("check", "`replay` compares with a run, `gen` builds the discontinuity check in"),
    ("clock", "the rate of a chip, and a signal of a log"),
    ("core", "a traced core of a listing, and the softcore of a SoC"),
    ("cores", "cores of a system, of a SoC and of a chip of diagnosis have ranges of their own"),
    ("data", "a scheme of load values, and that a run is recorded with its data"),
    ("compare", "an earlier result, and a SoC without trace modules"),
    ("elf", "the program of a trace, programs of a sweep, and what a SoC executes"),
    ("encoding", "a sweep takes several, and those in software only"),
    ("exit-code", "that of the program, and 1 where a command finds what it looks for"),
    ("format", "what is read, and how a result is written"),
    ("from", "a cycle of a trace, a time of a dump of signals, and an address of a run"),
    ("harts", "of a program that is run, of a recording that is captured and of a chip"),
    ("ingress", "the interface that is built, and the one in a log"),
    ("input", "of a simulated program, and of the serial port of a captured machine"),
    ("json", "in `results` and `papers` a file beside the page"),
    ("limit", "each command says what it lists"),
    ("log", "a file to write and one to read"),
    ("max-cycles", "of a run, and of the cores of a SoC"),
    ("max-instructions", "of a run, of each run of a plan, and of what is captured"),
    ("output", "each command says what it writes"),
    ("parameters", "of a stream, and of the encoder of a chip"),
    ("port", "a port of the network, of a serial line and of a circuit"),
    ("processor", "a chip that has one, and the program that it executes"),
    ("program", "a program to measure, and one of those that are built for a SoC"),
    ("repeat", "the shortest of several times, and runs with other seeds"),
    ("scheme", "of a trace, and of the statistics of a capture"),
    ("seed", "of the harts' starts, and of a placement"),
    ("seeds", "a search for an end of a run, and runs that are all measured"),
    ("set", "of predictors, of several in a sweep, and a value of a register"),
    ("skip", "instructions before a recording, and lines of a listing"),
    ("stall", "what a circuit has, and what generators of a run do"),
    ("timestamps", "a sweep takes both"),
    ("to", "a cycle of a trace, a time of a dump of signals, and an address of a run"),
    ("trace", "a trace to measure, and that a chip traces its cores"),
    ("values", "a file to write and one to read"),
    ("vcd", "a file, and that there is one in the folder of a SoC"),
];

/// The first sentence of a help text.
fn sentence(text: &str) -> String {
    let end = [". ", ": ", "; ", " [default", "\n"].iter().filter_map(|mark| text.find(mark)).min();
    text[..end.unwrap_or(text.len())].to_string()
}

type Uses = BTreeMap<String, BTreeMap<(String, String), Vec<String>>>;

/// All options of a command and its subcommands.
fn collect(command: &Command, path: &str, uses: &mut Uses) {
    for arg in command.get_arguments().filter(|a| !a.is_hide_set()) {
        let Some(long) = arg.get_long() else { continue };
        let unit = match arg.get_action().takes_values() {
            true => arg.get_value_names().unwrap_or_default().join(" "),
            false => String::new(),
        };
        let help = sentence(&arg.get_help().map(ToString::to_string).unwrap_or_default());
        uses.entry(long.into()).or_default().entry((unit, help)).or_default().push(path.to_string());
    }
    for below in command.get_subcommands() {
        collect(below, &format!("{path} {}", below.get_name()), uses);
    }
}

#[test]
fn options_of_one_name_have_one_value_name_and_one_help_text() {
    let mut uses = Uses::new();
    collect(&Cli::command(), "goshawk", &mut uses);
    assert!(uses.len() > 100, "{}", uses.len());
    let listed: BTreeSet<&str> = MULTIPLE_MEANINGS.iter().map(|s| s.0).collect();
    let found: BTreeSet<&str> = uses.iter().filter(|u| u.1.len() > 1).map(|u| u.0.as_str()).collect();
    if let Some(name) = found.difference(&listed).next() {
        panic!("--{name} is not the same in all commands: {:#?}", uses[*name]);
    }
    assert_eq!(listed.difference(&found).collect::<Vec<_>>(), Vec::<&&str>::new(), "are the same everywhere by now");
}

#[test]
fn predictors_are_named_in_help() {
    let command = Cli::command();
    let gen = command.find_subcommand("gen").unwrap().clone().render_long_help().to_string();
    let text = gen.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in
        ["bimodal256 to bimodal4096", "last16 to last256", "golomb(", "inputs:SIZES", "Trace system:", "Stream cache"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
}
