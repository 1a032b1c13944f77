//! Runs of over 100 million instructions: every straight run of every thread is compared with the ELF

use crate::common::{built, options, run};
use capture::expand::{Origin, Sink};
use capture::run::Ended;
use retire::elf::Program;
use retire::image::{ExitKind, Image};
use retire::{DataEvent, FlowEvent, FlowKind};

/// Follows each hart through the program.
struct Walk {
    image: Image,
    /// Address of each hart; `None` before its start.
    at: Vec<Option<u64>>,
    runs: u64,
    instructions: u64,
}

impl Sink for Walk {
    fn event(&mut self, of: &Origin<'_>, e: &FlowEvent) {
        let thread = of.thread;
        let at = &mut self.at[usize::from(e.hart)];
        self.instructions += u64::from(e.count);
        let Some(pc) = *at else {
            assert_eq!((e.kind, e.count), (FlowKind::Start, 0), "thread {thread}: {e:?}");
            *at = Some(e.target);
            return;
        };
        if e.kind == FlowKind::Stop {
            assert_eq!(self.image.skip(pc, e.count), Some(e.pc), "thread {thread}: {e:?}");
            return;
        }
        let (count, exit) = self.image.run(pc).unwrap_or_else(|| panic!("thread {thread}, no code at 0x{pc:x}: {e:?}"));
        let link = exit.pc + u64::from(exit.len);
        let (kind, target) = match (exit.kind, e.kind) {
            (ExitKind::Conditional, FlowKind::Conditional { taken }) => {
                (e.kind, if taken { exit.target } else { link })
            }
            (ExitKind::Jump, _) => (FlowKind::Jump, exit.target),
            (ExitKind::Call, _) => (FlowKind::Call, exit.target),
            (ExitKind::Indirect(_, kind), _) => (kind, e.target),
            (other, _) => panic!("thread {thread}: {other:?} at 0x{:x}, but {e:?}", exit.pc),
        };
        let same = (e.count, e.pc, e.len, e.kind, e.target) == (count, exit.pc, exit.len, kind, target);
        assert!(same, "thread {thread}, from 0x{pc:x} {count} instructions to {exit:?}, but {e:?}");
        self.runs += 1;
        *at = Some(target);
    }

    fn data(&mut self, _: &Origin<'_>, _: &DataEvent) {}
}

#[test]
#[ignore = "long: captures 750 million instructions"]
fn every_run_of_over_100_million_instructions_is_one_of_the_program() {
    let place = built("riscv64-linux-gnu-gcc");
    for (name, size) in [("radix", "800000"), ("nbody", "1300")] {
        let program = place.path().join(name);
        for threads in ["1", "4", "8"] {
            let captured = run(&program, &options("serial:50000", &[threads, size]));
            assert_eq!(captured.ended, Ended::Code(0), "{name} {threads}");
            let harts = captured.harts(16);
            let image = Image::new(&Program::read(&program).unwrap());
            let mut walk = Walk { image, at: vec![None; harts.into()], runs: 0, instructions: 0 };
            let expanded = captured.expand_to(harts, &mut walk, &mut |_| true).unwrap();
            assert_eq!((walk.instructions, expanded.unexplained), (expanded.instructions, 0), "{name} {threads}");
            assert!(walk.instructions > 100_000_000 && walk.at.iter().all(Option::is_some), "{name} {threads}");
            println!("{name} {threads}: {} instructions in {} runs", walk.instructions, walk.runs);
        }
    }
}
