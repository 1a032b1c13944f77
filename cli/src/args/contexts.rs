//! Arguments for processes: `--space 1=a.elf`, `--process a.elf`, `--mode u`

use super::Execution;
use crate::error::Failure;
use crate::files::keyed_input;
use clap::Args;
use host::contexts::ContextProgram;
use host::contexts::{names, Selection};
use host::input::Named;
use host::symbols::Symbols;
use host::views::source::Replayed;
use retire::Context;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Programs of processes, in addition to that of all else.
#[derive(Args, Clone, Debug, Default)]
pub struct ContextArgs {
    /// Program of address space ID in the modes MODES (letters u, s and m; default u), of a trace with contexts
    /// (`encode --context`). NAME: a process in --process-names. All other code is that of --elf. May be repeated
    #[arg(help_heading = "Processes (of a trace with contexts)", long = "space", alias = "context", value_name = "[MODES:]ID|NAME=ELF", value_parser = keyed_input(parse))]
    spaces: Vec<Argument>,
    /// Names of processes: a text file with a line `ID NAME`, or `ID NAME ELF` with a program as in --space, for each address space.
    /// Two address spaces can have one name. Text after # is a comment
    #[arg(help_heading = "Processes (of a trace with contexts)", long, value_name = "FILE")]
    process_names: Option<PathBuf>,
}

/// Which contexts are selected.
#[derive(Args, Clone, Debug, Default)]
pub struct SelectionArgs {
    /// Process whose instructions are selected, by the number of its address space, its name in --process-names, or the file name of
    /// its program in --space. Only for a trace with contexts. May be repeated [default: all]
    #[arg(help_heading = "Processes (of a trace with contexts)", long, value_name = "ID|NAME")]
    process: Vec<String>,
    /// Privilege modes whose instructions are selected: letters u, s and m. Only for a trace with contexts [default: all]
    #[arg(help_heading = "Processes (of a trace with contexts)", long, value_name = "MODES", value_parser = privileges)]
    mode: Option<Modes>,
}

/// Processes, and which of them are selected: the same in all views.
#[derive(Args, Clone, Debug, Default)]
pub struct ProcessArgs {
    #[command(flatten)]
    contexts: ContextArgs,
    #[command(flatten)]
    selection: SelectionArgs,
}

/// Privilege modes.
#[derive(Clone, Debug)]
pub struct Modes(Vec<u8>);

impl Modes {
    /// Bit m for mode m.
    #[cfg(feature = "hardware")]
    pub fn mask(&self) -> u8 {
        self.0.iter().fold(0, |mask, mode| mask | 1 << mode)
    }
}

/// Parses privilege modes: letters u, s and m.
pub fn privileges(modes: &str) -> Result<Modes, String> {
    Ok(Modes(modes_of(modes)?))
}

/// The processes that arguments describe.
#[derive(Clone, Debug, Default)]
pub struct Processes {
    /// The program of each context that has its own.
    pub programs: Vec<(Context, String)>,
    /// Names of address spaces.
    names: Vec<(u32, String)>,
    /// Selected contexts.
    pub selection: Selection,
}

impl Processes {
    /// Name of the process of an address space.
    pub fn name(&self, space: u32) -> Option<&str> {
        self.names.iter().find(|(id, _)| *id == space).map(|(_, name)| name.as_str())
    }

    /// Program of the user mode of an address space.
    pub fn program(&self, space: u32) -> Option<&str> {
        let own = self.programs.iter().find(|(context, _)| *context == Context::new(0, space));
        own.map(|(_, elf)| elf.as_str())
    }

    /// Adds names that were found; those that are known stay.
    pub fn add_names(&mut self, found: &BTreeMap<u32, String>) {
        let new = found.iter().filter(|(space, _)| self.names.iter().all(|(known, _)| known != *space));
        let new: Vec<(u32, String)> = new.map(|(space, name)| (*space, name.clone())).collect();
        self.names.extend(new);
    }

    /// The text of a file for `--process-names`.
    pub fn names_file(&self) -> String {
        let mut all: Vec<&(u32, String)> = self.names.iter().collect();
        all.sort();
        let mut text = String::from("# ID NAME ELF\n");
        for (space, name) in all {
            text += &names::line(*space, name, self.program(*space));
        }
        text
    }

    /// What an address space is called: its process, or else its program.
    pub fn label(&self, space: u32) -> Option<&str> {
        self.name(space).or_else(|| self.program(space))
    }

    /// An address space by label and number.
    pub fn title(&self, space: u32) -> String {
        self.label(space).map_or_else(|| format!("space {space}"), |label| format!("{label}, space {space}"))
    }

    /// The different programs, and the number of that of each context, from 1 on.
    pub fn numbered(&self) -> (Vec<&str>, Vec<(Context, usize)>) {
        let (mut elfs, mut of) = (Vec::new(), Vec::new());
        for (context, elf) in &self.programs {
            let at = elfs.iter().position(|known| known == elf).unwrap_or_else(|| {
                elfs.push(elf.as_str());
                elfs.len() - 1
            });
            of.push((*context, at + 1));
        }
        (elfs, of)
    }

    /// Whether a selected context has the program of `--elf`, and each of the `programs` of [`Processes::numbered`].
    pub fn selected(&self, programs: usize) -> Vec<bool> {
        let Selection { spaces, modes } = &self.selection;
        let modes: &[u8] = if modes.is_empty() { &[0, 1, 3] } else { modes };
        let (_, of) = self.numbered();
        let own = |context: Context| of.iter().find(|(known, _)| *known == context).map(|(_, number)| *number);
        let mut selected = vec![false; 1 + programs];
        // there may be further address spaces
        selected[0] = spaces.is_empty();
        for space in spaces.iter().copied().chain(of.iter().map(|(context, _)| context.id())) {
            for context in modes.iter().map(|mode| Context::new(*mode, space)) {
                if self.selection.has(context) {
                    selected[own(context).unwrap_or(0)] = true;
                }
            }
        }
        selected
    }

    /// Refuses a selection, where contexts are not reported.
    ///
    /// # Errors
    /// Something is selected.
    pub fn check(&self, path: &Path, have_contexts: bool) -> Result<(), Failure> {
        match self.selection.is_all() || have_contexts {
            true => Ok(()),
            false => Err(no_contexts(path, "`--process` and `--mode` need")),
        }
    }

    /// Programs of contexts, as views take them.
    ///
    /// # Errors
    /// A program cannot be read.
    pub fn open(&self, replayed: &Replayed) -> Result<Vec<ContextProgram>, Failure> {
        Ok(host::contexts::programs(&self.programs, replayed.context_images())?)
    }

    /// Symbols of the programs of contexts.
    ///
    /// # Errors
    /// A program cannot be read.
    pub fn symbols(&self) -> Result<Vec<(Context, Symbols)>, Failure> {
        let of = |(context, elf): &(Context, String)| Ok((*context, Symbols::open(elf)?));
        self.programs.iter().map(of).collect()
    }
}

/// The refusal of a trace without contexts.
pub fn no_contexts(path: &Path, needed: &str) -> Failure {
    Failure::Other(format!(
        "{}: reports no contexts, which {needed}; `--context` of encode and gen makes traces that do",
        path.display()
    ))
}

impl SelectionArgs {
    /// The selection among `processes`.
    ///
    /// # Errors
    /// A process is neither a number nor a name.
    fn selection(&self, processes: &Processes) -> Result<Selection, Failure> {
        let mut spaces = Vec::new();
        for process in &self.process {
            let file = |elf: &str| Path::new(elf).file_name().is_some_and(|name| name == process.as_str());
            let before = spaces.len();
            spaces.extend(processes.names.iter().filter(|(_, name)| name == process).map(|(id, _)| *id));
            if spaces.len() == before {
                let programs = processes.programs.iter().filter(|(_, elf)| elf == process || file(elf));
                spaces.extend(programs.map(|(context, _)| context.id()));
            }
            match process.parse() {
                Ok(id) if spaces.len() == before => spaces.push(id),
                Err(_) if spaces.len() == before => {
                    return Err(Failure::Other(format!(
                        "`--process {process}`: expected the number of an address space, a name in `--process-names`, or the file name \
                         of a program in `--space`"
                    )));
                }
                _ => {}
            }
        }
        Ok(Selection { spaces, modes: self.mode.as_ref().map(|modes| modes.0.clone()).unwrap_or_default() })
    }
}

/// One argument.
#[derive(Clone, Debug)]
struct Argument {
    /// Privilege modes.
    modes: Vec<u8>,
    /// Number or name of the address space.
    space: String,
    elf: String,
}

impl ContextArgs {
    /// All processes; the last program of a context counts.
    ///
    /// # Errors
    /// The file of names cannot be read, or a name is not in it.
    pub fn processes(&self) -> Result<Processes, Failure> {
        let mut all = Processes::default();
        for process in self.process_names.as_deref().map_or_else(|| Ok(Vec::new()), names::read)? {
            if let Some(elf) = process.program {
                all.programs.push((Context::new(0, process.space), elf));
            }
            all.names.push((process.space, process.name));
        }
        for Argument { modes, space, elf } in &self.spaces {
            let spaces = match number(space) {
                Ok(id) => vec![id],
                Err(wrong) => {
                    let named = all.names.iter().filter(|(_, name)| name == space).map(|(id, _)| *id);
                    let named: Vec<u32> = named.collect();
                    if named.is_empty() {
                        let found = format!("`--space {space}={elf}`: {wrong}, nor a name in `--process-names`");
                        return Err(Failure::Other(found));
                    }
                    named
                }
            };
            for id in spaces {
                for mode in modes {
                    let context = Context::new(*mode, id);
                    all.programs.retain(|(of, _)| *of != context);
                    all.programs.push((context, elf.clone()));
                }
            }
        }
        Ok(all)
    }
}

impl ProcessArgs {
    /// Whether any of the options is given.
    pub fn are_given(&self) -> bool {
        self.given().is_some()
    }

    /// The first of the options that is given.
    pub fn given(&self) -> Option<&'static str> {
        let all = [
            ("--space", !self.contexts.spaces.is_empty()),
            ("--process-names", self.contexts.process_names.is_some()),
            ("--process", !self.selection.process.is_empty()),
            ("--mode", self.selection.mode.is_some()),
        ];
        all.into_iter().find(|(_, given)| *given).map(|(option, _)| option)
    }

    /// The selection, as it was typed; `None` if everything is selected.
    pub fn text(&self) -> Option<String> {
        let SelectionArgs { process, mode } = &self.selection;
        let process = process.iter().map(|process| format!("--process {process}"));
        let letters = |modes: &Modes| {
            modes.0.iter().map(|mode| Context::new(*mode, 0).to_string()[..1].to_string()).collect::<String>()
        };
        let mode = mode.as_ref().map(|modes| format!("--mode {}", letters(modes)));
        Some(process.chain(mode).collect::<Vec<_>>().join(" ")).filter(|text| !text.is_empty())
    }

    /// All processes, and the selection.
    ///
    /// # Errors
    /// As [`ContextArgs::processes`], or a selected process is not known.
    pub fn processes(&self) -> Result<Processes, Failure> {
        let all = self.contexts.processes()?;
        Ok(Processes { selection: self.selection.selection(&all)?, ..all })
    }

    /// Opens an execution with its processes.
    ///
    /// # Errors
    /// A file cannot be read, or there are no contexts to select from.
    pub fn open(&self, execution: &Execution) -> Result<(Replayed, Named, Processes), Failure> {
        let processes = self.processes()?;
        let (replayed, named) = execution.open_with(&processes.programs)?;
        processes.check(&execution.trace, replayed.may_have_contexts())?;
        Ok((replayed, named, processes))
    }
}

fn parse(text: &str) -> Result<Argument, String> {
    let wrong = || "expected [MODES:]ID=ELF, as 1=a.elf or us:1=a.elf".to_string();
    let (of, elf) = text.split_once('=').filter(|(_, elf)| !elf.is_empty()).ok_or_else(wrong)?;
    let (modes, space) = of.split_once(':').unwrap_or(("u", of));
    let modes = modes_of(modes).map_err(|e| format!("{e}; {}", wrong()))?;
    if space.is_empty() || space.starts_with(|c: char| c.is_ascii_digit()) {
        number(space).map_err(|e| format!("{e}; {}", wrong()))?;
    }
    Ok(Argument { modes, space: space.to_string(), elf: elf.to_string() })
}

/// The number of an address space.
fn number(id: &str) -> Result<u32, String> {
    names::number(id).ok_or_else(|| format!("`{id}` is not an address space of at most 16 bits"))
}

fn modes_of(modes: &str) -> Result<Vec<u8>, String> {
    let mode = |letter| match letter {
        'u' => Ok(0),
        's' => Ok(1),
        'm' => Ok(3),
        _ => Err("expected letters u, s and m, such as us".to_string()),
    };
    match modes.chars().map(mode).collect::<Result<Vec<_>, _>>()? {
        all if all.is_empty() => Err("no mode is given".into()),
        all => Ok(all),
    }
}

/// The contexts of `[MODES:]ID`.
pub(super) fn spaces(of: &str) -> Result<Vec<Context>, String> {
    let (modes, id) = of.split_once(':').unwrap_or(("u", of));
    let id = number(id)?;
    Ok(modes_of(modes)?.into_iter().map(|mode| Context::new(mode, id)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(args: &[&str], process: &str) -> Result<Processes, Failure> {
        let contexts =
            ContextArgs { spaces: args.iter().map(|text| parse(text).unwrap()).collect(), process_names: None };
        let selection = SelectionArgs { process: vec![process.into()], mode: Some(privileges("sm").unwrap()) };
        ProcessArgs { contexts, selection }.processes()
    }

    #[test]
    fn a_process_is_a_number_or_a_program() {
        let of = |process| of(&["us:3=x/a.elf"], process).map(|p| (p.selection.spaces, p.selection.modes));
        assert_eq!(of("a.elf").unwrap(), (vec![3, 3], vec![1, 3]));
        assert_eq!(of("7").unwrap().0, [7]);
        assert!(of("b.elf").is_err() && privileges("x").is_err());
    }

    #[test]
    fn modes_stand_before_the_number() {
        let of = |text| of(&[text], "1").map(|all| all.programs).map_err(|_| ());
        assert_eq!(of("1=a.elf"), Ok(vec![(Context::new(0, 1), "a.elf".into())]));
        let both = [1, 3].map(|mode| (Context::new(mode, 16), "a=b".to_string()));
        assert_eq!(of("sm:0x10=a=b"), Ok(both.to_vec()));
        assert!(of("sh=a").is_err(), "a name that no file has");
        for bad in ["1", "1=", "h:1=a", ":1=a", "65536=a", "1x=a", "u:=a"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn programs_are_selected_with_their_contexts() {
        let of = |process: &[&str], mode: Option<&str>| {
            let contexts = ContextArgs {
                spaces: ["1=a", "us:2=b"].map(|text| parse(text).unwrap()).to_vec(),
                process_names: None,
            };
            let process = process.iter().map(|p| p.to_string()).collect();
            let selection = SelectionArgs { process, mode: mode.map(|mode| privileges(mode).unwrap()) };
            ProcessArgs { contexts, selection }.processes().unwrap().selected(2)
        };
        assert_eq!(of(&[], None), [true, true, true]);
        assert_eq!(of(&["1"], Some("u")), [false, true, false]);
        assert_eq!(of(&["1"], None), [true, true, false]);
        assert_eq!(of(&["2"], Some("us")), [false, false, true]);
        assert_eq!(of(&[], Some("s")), [true, false, true]);
    }

    #[test]
    fn each_program_has_one_number() {
        let all = of(&["us:1=a", "2=b", "3=a", "3=b"], "1").unwrap();
        let (elfs, numbers) = all.numbered();
        let right = [((0, 1), 1), ((1, 1), 1), ((0, 2), 2), ((0, 3), 2)];
        assert_eq!(numbers, right.map(|((mode, id), n)| (Context::new(mode, id), n)));
        assert_eq!(elfs, ["a", "b"]);
    }
}
