//! The parallel programs of `programs/parallel`: their results, and that each can be captured

use crate::common::{built, options, run};
use capture::run::Ended;
use std::process::Command;

/// Name, a smaller size than the default, and the line that it then prints.
const PROGRAMS: [(&str, &str, &str); 8] = [
    ("cg", "500", "cg: result d21a408c ok\n"),
    ("fft", "11", "fft: result 6ba33ccf ok\n"),
    ("lu", "48", "lu: result 7e4fc1c7 ok\n"),
    ("nbody", "120", "nbody: result efc4ed99 ok\n"),
    ("queue", "8", "queue: result 0000005c ok\n"),
    ("radix", "20000", "radix: result acacdb2f ok\n"),
    ("rays", "24", "rays: result fa1efbd2 ok\n"),
    ("stencil", "40", "stencil: result 9f12d1f9 ok\n"),
];

fn printed(command: &mut Command) -> String {
    let output = command.output().expect("tools/setup installs qemu-user");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn results_do_not_depend_on_threads_or_machine_and_each_is_captured() {
    let mut machines = vec![("riscv64-linux-gnu-gcc", "qemu-riscv64")];
    if std::env::consts::ARCH == "x86_64" {
        machines.push(("gcc", "qemu-x86_64"));
    }
    for (compiler, qemu) in machines {
        let place = built(compiler);
        for (name, size, line) in PROGRAMS {
            let program = place.path().join(name);
            for threads in ["1", "5"] {
                assert_eq!(printed(Command::new(qemu).arg(&program).args([threads, size])), line);
            }
            // too many threads: an error message, and no work
            let status = Command::new(qemu).arg(&program).arg("17").output().unwrap().status;
            assert_eq!(status.code(), Some(2), "{name}");
            let captured = run(&program, &options("serial:200,jitter,seed=3", &["4", size]));
            assert_eq!((captured.ended, captured.threads), (Ended::Code(0), 4), "{name}");
            let expanded = captured.expand_to(4, &mut capture::expand::IgnoreAll, &mut |_| true).unwrap();
            assert_eq!(expanded.unexplained, 0, "{name}: {expanded:?}");
            assert!(expanded.by_thread.iter().all(|n| *n > 100), "{name}: {expanded:?}");
        }
    }
}
