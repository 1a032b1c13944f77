//! Addresses of source lines

use super::debug_info::Row;
use super::names::{glob, Query};
use super::Symbols;

/// The text for code of no function or source line.
const UNKNOWN: &str = "?";

impl Symbols {
    /// Starts of functions, and of what is of none, with their names.
    pub fn function_starts(&self) -> Vec<(u64, String)> {
        let mut starts = vec![(0, UNKNOWN.to_string())];
        let mut end = 0;
        for s in self.all.iter().filter(|s| s.is_code) {
            if s.at > end {
                starts.push((end, UNKNOWN.to_string()));
            }
            // of several symbols at one address the first has the greatest size
            if s.at >= end {
                starts.push((s.at, s.printed.clone()));
                end = self.end(s.at, s.size);
            }
        }
        starts.push((end, UNKNOWN.to_string()));
        starts
    }

    /// Starts of the code of source lines, and of what is of none, as `FILE:LINE`.
    pub fn lines(&self) -> Vec<(u64, String)> {
        let mut starts = vec![(0, UNKNOWN.to_string())];
        let mut end = 0_u64;
        let Some(lines) = &self.lines else { return starts };
        for (at, bytes) in &self.code.sections {
            let (low, high) = (*at, at.saturating_add(bytes.len() as u64));
            for (start, size, place) in lines.find_location_range(low, high).into_iter().flatten() {
                if start > end {
                    starts.push((end, UNKNOWN.to_string()));
                }
                let file = place.file.map_or(UNKNOWN, |f| f.rsplit('/').next().unwrap_or(f));
                starts.push((start, format!("{file}:{}", place.line.unwrap_or(0))));
                end = start + size;
            }
        }
        starts.push((end, UNKNOWN.to_string()));
        starts.sort_by_key(|s| s.0);
        starts
    }

    /// The function, or the inlined copy in it, that contains an address.
    fn block(&self, addr: u64) -> (u64, u64) {
        let function = self.containing(addr).map_or(addr, |s| s.at);
        let copies = self.debug.iter().flat_map(|d| &d.inlined);
        let around = copies.filter(|c| c.ranges.iter().any(|r| (r.0..r.1).contains(&addr)));
        let size = |c: &&super::debug_info::Inlined| c.ranges.iter().map(|r| r.1 - r.0).sum::<u64>();
        (function, around.min_by_key(size).map_or(0, |c| c.entry))
    }

    /// Addresses at which a source line starts, `FILE:LINE`: one for each function, and for each inlined copy.
    ///
    /// # Errors
    /// No code is on that line.
    pub fn line_starts(&self, place: &str) -> Result<Vec<u64>, String> {
        let wrong = || format!("`{place}` is not a source line; expected FILE:LINE");
        let (file, line) = place.rsplit_once(':').ok_or_else(wrong)?;
        let line: u32 = line.parse().map_err(|_| wrong())?;
        let debug = self.debug.as_ref().filter(|d| !d.rows.is_empty());
        let debug = debug.ok_or("the program has no line numbers; -g adds them")?;
        let pattern = format!("{file}:");
        let query = Query::new(&pattern);
        let files: Vec<u32> =
            (0..debug.files.len() as u32).filter(|n| query.is_in(Some(&debug.files[*n as usize]))).collect();
        if files.is_empty() {
            let names = debug.files.iter().map(|f| f.rsplit('/').next().unwrap_or(f));
            let mut names: Vec<&str> = names.filter(|f| !f.is_empty() && !glob("*.h", f)).collect();
            names.sort_unstable();
            names.dedup();
            names.truncate(8);
            return Err(format!("the program has no source file `{file}`; it has {}", names.join(", ")));
        }
        let in_file = |r: &&Row| files.contains(&r.file);
        let mut blocks: Vec<((u64, u64), u64)> = Vec::new();
        for row in debug.rows.iter().filter(in_file).filter(|r| r.line == line) {
            let block = self.block(row.at);
            if !blocks.iter().any(|b| b.0 == block) {
                blocks.push((block, row.at));
            }
        }
        if blocks.is_empty() {
            let lines = || debug.rows.iter().filter(in_file).map(|r| r.line);
            let near = [lines().filter(|l| *l < line).max(), lines().filter(|l| *l > line).min()];
            let near: Vec<String> = near.iter().flatten().map(u32::to_string).collect();
            return Err(format!("line {line} of {file} has no code; line {} has", near.join(" and line ")));
        }
        Ok(blocks.into_iter().map(|b| b.1).collect())
    }
}
