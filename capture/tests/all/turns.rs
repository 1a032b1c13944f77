//! Turns of a serial schedule: threads that work at the same time alternate, wherever the host runs them

use crate::common::{compiled, guest, options, run};
use capture::expand::IgnoreAll;
use capture::run::Ended;

#[test]
fn threads_that_are_woken_take_turns_from_then_on() {
    let program = guest("turns");
    for quantum in [500, 5000] {
        let captured = run(&program, &options(&format!("serial:{quantum}"), &["steps"]));
        assert_eq!(captured.ended, Ended::Code(0));
        let expanded = captured.expand_to(16, &mut IgnoreAll, &mut |_| true).unwrap();
        assert_eq!((expanded.unexplained, captured.threads), (0, 5));
        // the four threads do all their work in turns; main does next to nothing
        let work: u64 = expanded.by_thread[1..].iter().sum();
        let turns = work / quantum;
        assert!(work > 4 * 20 * 60_000, "{expanded:?}");
        assert!((turns * 8 / 10..=turns).contains(&captured.switches), "{} of {turns} turns", captured.switches);
    }
}

#[test]
fn a_program_sees_the_processors_that_it_would_have() {
    let mut machines = vec!["riscv64-linux-gnu-gcc"];
    if std::env::consts::ARCH == "x86_64" {
        machines.push("gcc");
    }
    for compiler in machines {
        let captured = run(&compiled("turns", compiler), &options("serial:1000", &["places"]));
        assert_eq!(captured.ended, Ended::Code(0), "{compiler}");
        assert!(captured.switches > 1000, "{compiler}: {}", captured.switches);
    }
}
