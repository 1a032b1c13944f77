//! Old equals new, on emitted Verilog: a changed operator is detected; renaming and reordering are not

use hdl::emit::{emit, Ingress, SystemOptions};
use sim::params::{Platform, TraceParams};
use std::path::{Path, PathBuf};
use std::time::Duration;
use testbenches::equal::{Equality, Prover};

/// Time limit of a proof; each takes a few seconds.
const LIMIT: Duration = Duration::from_secs(60);

fn system(name: &str) -> String {
    let params = TraceParams::new(Platform::RV32, name.parse().unwrap());
    emit(&params, &SystemOptions { ingress: Ingress::Etrace, ..SystemOptions::default() }).unwrap()
}

/// The text with the module of that name changed.
fn changed(text: &str, module: &str, change: impl Fn(&str) -> String) -> String {
    let begin = text.find(&format!("module goshawk_{module} (")).unwrap();
    let end = begin + text[begin..].find("endmodule").unwrap();
    let (old, new) = (&text[begin..end], change(&text[begin..end]));
    assert_ne!(old, new, "{module} was not changed");
    format!("{}{new}{}", &text[..begin], &text[end..])
}

/// Reverses the order of all lines of a kind.
fn reversed(text: &str, kind: &str) -> String {
    let mut last_first: Vec<&str> = text.lines().filter(|l| l.trim_start().starts_with(kind)).collect();
    let line = |l| if str::trim_start(l).starts_with(kind) { last_first.pop().unwrap() } else { l };
    text.lines().map(line).collect::<Vec<_>>().join("\n") + "\n"
}

fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn one_changed_operator_in_one_of_two_systems_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let (first, second) = (system("nx_b"), system("sc-lsp:rbase-32x4"));
    let other = changed(&first, "trace_fsm", |text| text.replacen(" & ", " | ", 1));
    let [old, new, same] =
        [("old.v", &first), ("new.v", &other), ("same.v", &second)].map(|(name, text)| file(dir.path(), name, text));
    let mut prover = Prover::new(LIMIT);
    let found = prover.files(&old, &new).unwrap();
    // a proof that timed out, or a tool that failed, gives another reason
    assert!(matches!(&found, Equality::No(why) if why.contains("nproven")), "{found:?}");
    assert_eq!(prover.files(&same, &same).unwrap(), Equality::Bytes);
    assert!(prover.proofs > 0);
}

#[test]
fn other_names_of_signals_and_another_order_are_proved() {
    let dir = tempfile::tempdir().unwrap();
    let first = system("nx_b");
    let other = changed(&first, "trace_fsm", |text| reversed(&text.replace("stop_due", "ending"), "assign "));
    let (old, new) = (file(dir.path(), "old.v", &first), file(dir.path(), "new.v", &other));
    let mut prover = Prover::new(LIMIT);
    assert_eq!(prover.files(&old, &new).unwrap(), Equality::Proved);
    assert_eq!(prover.proofs, 1, "only the module that changed is proved");
}

#[test]
fn other_names_of_modules_and_another_order_of_ports_do_not_count() {
    let first = system("nx_b");
    let ports = |text: &str| {
        text.replace("take,\n    input  wire        give_back,", "give_back,\n    input  wire        take,")
    };
    let other = changed(&first, "credits", ports).replace("goshawk", "acme");
    let mut prover = Prover::new(LIMIT);
    assert_eq!(prover.texts(&first, &other), Equality::Normalised);
    assert_eq!(prover.proofs, 0);
}
