//! Functions of a program, by number

use crate::symbols::Symbols;
use retire::image::learned::Map;

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

/// All functions that were met; names are kept once.
#[derive(Debug, Default)]
pub struct Functions {
    symbols: Symbols,
    names: Vec<String>,
    known: Map<u64, Function>,
}

impl Functions {
    /// Functions with the names of a program.
    pub fn new(symbols: Symbols) -> Self {
        Self { symbols, ..Self::default() }
    }

    /// The function that `pc` is in.
    pub fn at(&mut self, pc: u64) -> Function {
        // most calls go where a call went before
        if let Some(function) = self.known.get(&pc) {
            return *function;
        }
        let (range, name) = self.symbols.around(pc);
        let key = if name.is_some() { range.start } else { pc };
        let function = match self.known.get(&key) {
            Some(function) => *function,
            None => {
                let number = self.names.len() as u32;
                self.names.push(name.map_or_else(|| format!("0x{pc:08x}"), str::to_string));
                let function = Function { number, start: range.start, end: range.end, named: name.is_some() };
                self.known.insert(key, function);
                function
            }
        };
        self.known.insert(pc, function);
        function
    }

    /// Name of a function by its number.
    pub fn name(&self, function: u32) -> &str {
        &self.names[function as usize]
    }

    /// All names, by number.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}
