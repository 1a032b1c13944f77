//! Delay of events at a single-instruction E-Trace port: reported with the next report, or as `hdl::ingress::etrace`
//! does
//!
//! Every program on cores of the built-in simulator: cycles from an event's instruction to the report of the event, and
//! events that are reported after one of another core that retired later.
//!
//! `cargo run --release -p testbenches --example reports -- [CORES]`

use programs::PROGRAMS;
use sim::beats::blocks::itype;
use sim::beats::{Expander, Retired};
use testbenches::check::run;

/// Statistics of one way to report events.
#[derive(Default)]
struct ReportStats {
    events: u64,
    clocks: u64,
    most: u64,
    late: u64,
}

impl ReportStats {
    /// Adds a run: commit cycle, core and report cycle of each event, in commit order.
    fn add(&mut self, events: &[(u64, u8, u64)]) {
        let mut earliest = (u64::MAX, u8::MAX);
        for &(at, core, told) in events.iter().rev() {
            self.events += 1;
            self.clocks += told - at;
            self.most = self.most.max(told - at);
            self.late += u64::from(earliest < (told, core));
            earliest = earliest.min((told, core));
        }
    }

    fn line(&self, way: &str) -> String {
        let share = |n: u64| n as f64 / self.events as f64;
        format!(
            "{way}: {:.2} clocks from an instruction to its event, {} at most; {} of {} events out of commit order, {:.2} %",
            share(self.clocks),
            self.most,
            self.late,
            self.events,
            100.0 * share(self.late)
        )
    }
}

fn main() {
    let cores: u8 = std::env::args().nth(1).map_or(4, |n| n.parse().expect("a number of cores"));
    let (mut before, mut now) = (ReportStats::default(), ReportStats::default());
    for info in PROGRAMS {
        let program = info.load().expect("a program");
        let (events, _) = run(&program, cores, 200_000);
        let (mut x, mut retired): (_, Vec<Retired>) = (Expander::new(&program, cores), Vec::new());
        events.iter().for_each(|e| x.event(e, &mut |r| retired.push(*r)).expect("its code"));
        x.finish(&mut |r| retired.push(*r)).expect("its code");
        retired.sort_by_key(|r| (r.cycle, r.hart));
        // cycle of the next report of each core
        let mut next = vec![u64::MAX; cores.into()];
        let (mut held, mut told) = (Vec::new(), Vec::new());
        for r in retired.iter().rev() {
            let comes = std::mem::replace(&mut next[usize::from(r.hart)], r.cycle);
            let kind = itype(r, 32);
            if comes == u64::MAX || (kind == 0 && !r.trapped) {
                continue;
            }
            let open = matches!(kind, 3 | 8 | 10 | 12 | 13);
            held.push((r.cycle, r.hart, comes));
            told.push((r.cycle, r.hart, if open { comes } else { r.cycle + 1 }));
        }
        held.reverse();
        told.reverse();
        before.add(&held);
        now.add(&told);
    }
    println!("{}\n{}", before.line("with the next report"), now.line("as it is"));
}
