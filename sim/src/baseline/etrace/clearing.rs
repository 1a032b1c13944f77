//! Clearing of a table by a circuit, row by row
//!
//! A synchronization resets a table at once. In a circuit, rows have the number of an epoch of one bit, which a synchronization
//! changes: a row of the other epoch has its initial value. The epoch can change again only when all rows have the current one.
//! The rows are brought to it one by one, by each instruction that does not use the table. A synchronization that comes
//! before the last row begins a stretch in which the table is not used: outcomes and addresses are then sent as without
//! the mode, which a decoder follows whatever its own table has.
//!
//! The rule depends on the instructions only, not on cycles.

/// Which rows of a table are clear, of the table of one core.
#[derive(Clone, Copy, Debug, Default)]
pub struct Clearing {
    rows: u64,
    /// The synchronization from which on rows are cleared, by the number of its instruction; `None`: all rows are clear.
    since: Option<u64>,
    /// Instructions since then that cleared no row.
    others: u64,
    on: bool,
}

impl Clearing {
    /// A table of `rows` rows, all of which are clear.
    pub fn new(rows: u64) -> Self {
        Self { rows, ..Self::default() }
    }

    /// Instruction `number` begins with a synchronization.
    pub fn synchronize(&mut self, number: u64) {
        self.on = self.since.is_none_or(|since| number - since > self.rows + self.others);
        if self.on {
            (self.since, self.others) = (Some(number), 0);
        } else {
            self.others += 1;
        }
    }

    /// An instruction without a synchronization uses the table.
    pub fn used(&mut self) {
        self.others += 1;
    }

    /// Whether the table is used since the last synchronization.
    pub fn is_on(&self) -> bool {
        self.on
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_used_again_when_all_rows_are_clear() {
        let mut c = Clearing::new(4);
        let mut at = |number| {
            c.synchronize(number);
            c.is_on()
        };
        // instructions 2 to 5 clear the rows
        assert_eq!([at(1), at(6)], [true, true]);
        // 7 to 9 clear three; the synchronization at 10 none, and 11 the last one
        assert_eq!([at(10), at(12)], [false, true]);
        c.used();
        c.synchronize(17);
        assert!(!c.is_on(), "13 used the table, and 14 to 16 cleared three rows");
    }
}
