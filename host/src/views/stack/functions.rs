//! Functions of a program, by number

use crate::contexts::ContextProgram;
use crate::symbols::Symbols;
use retire::image::learned::Map;
use retire::image::Image;
use retire::Context;

/// A function: its number, and the addresses that are in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Function {
    /// Its number, see [`Functions::name`].
    pub number: u32,
    /// Its first address. Code without a symbol is one function for each address at which it is entered; its addresses are then
    /// all those around it that have no symbol.
    pub start: u64,
    /// The first address after it.
    pub end: u64,
    /// It has a symbol.
    pub named: bool,
    /// Number of the program that it is of.
    pub program: u32,
}

impl Function {
    /// Whether `pc` is in it.
    #[inline]
    pub fn holds(&self, pc: u64) -> bool {
        (self.start..self.end).contains(&pc)
    }

    /// Whether `pc` is its first instruction.
    pub fn begins(&self, pc: u64) -> bool {
        self.named && self.start == pc
    }
}

/// A program, and its functions that were met.
#[derive(Debug, Default)]
struct Program {
    symbols: Symbols,
    /// Where the view has no other.
    image: Option<Image>,
    known: Map<u64, Function>,
}

/// All functions that were met; names are kept once.
#[derive(Debug, Default)]
pub struct Functions {
    /// The first is that of contexts without their own.
    programs: Vec<Program>,
    /// Number of the program of each context that has its own.
    of: Vec<(Context, u32)>,
    /// Program of the current context.
    current: u32,
    /// Name and number of the program of each function.
    names: Vec<(String, u32)>,
}

impl Functions {
    /// Functions with the names of a program.
    pub fn new(symbols: Symbols) -> Self {
        Self { programs: vec![Program { symbols, ..Program::default() }], ..Self::default() }
    }

    /// Adds the programs of contexts.
    #[must_use]
    pub fn with_contexts(mut self, programs: Vec<ContextProgram>) -> Self {
        for ContextProgram { context, symbols, image } in programs {
            self.of.push((context, self.programs.len() as u32));
            self.programs.push(Program { symbols, image: Some(image), known: Map::default() });
        }
        self
    }

    /// The code that follows is of `context`.
    #[inline]
    pub fn enter(&mut self, context: Context) {
        if !self.of.is_empty() {
            self.current = self.program_in(context);
        }
    }

    /// Number of the program of a context.
    #[inline]
    pub fn program_in(&self, context: Context) -> u32 {
        self.of.iter().find(|(of, _)| *of == context).map_or(0, |(_, program)| *program)
    }

    /// Number of the program of the current context.
    pub fn program(&self) -> u32 {
        self.current
    }

    /// Code of the current context, if it has its own.
    pub fn image(&self) -> Option<&Image> {
        self.programs.get(self.current as usize)?.image.as_ref()
    }

    /// The function that `pc` is in.
    pub fn at(&mut self, pc: u64) -> Function {
        if self.programs.is_empty() {
            self.programs.push(Program::default());
        }
        let current = self.current;
        let program = &mut self.programs[current as usize];
        // most calls go where a call went before
        if let Some(function) = program.known.get(&pc) {
            return *function;
        }
        let (range, name) = program.symbols.around(pc);
        let key = if name.is_some() { range.start } else { pc };
        let function = match program.known.get(&key) {
            Some(function) => *function,
            None => {
                let named = name.is_some();
                let number = self.names.len() as u32;
                self.names.push((name.map_or_else(|| format!("0x{pc:08x}"), str::to_string), current));
                let function = Function { number, start: range.start, end: range.end, named, program: current };
                program.known.insert(key, function);
                function
            }
        };
        program.known.insert(pc, function);
        function
    }

    /// Name of a function by its number.
    pub fn name(&self, function: u32) -> &str {
        &self.names[function as usize].0
    }

    /// All names, by number.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(|(name, _)| name.as_str())
    }

    /// Number of the program of a function: 0 the common one, then those of contexts in their order.
    pub fn program_of(&self, function: u32) -> u32 {
        self.names[function as usize].1
    }
}
