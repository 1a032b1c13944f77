//! Compiles the QEMU plugin that the library embeds
//!
//! QEMU loads a shared library, and cargo cannot build one for another crate to include. The plugin needs only the
//! standard library, so one compiler call builds it, and the `goshawk` binary is self-contained wherever cargo puts it.

use std::path::Path;
use std::process::Command;

fn main() {
    let sources = Path::new("plugin/src");
    println!("cargo::rerun-if-changed={}", sources.display());
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| std::env::var(name).unwrap_or_default();
    // for version 1 of the plugin interface, and for version 4: one library cannot support both
    for (name, feature) in [("plugin.so", None), ("plugin4.so", Some("api4"))] {
        compile(&variable, sources, name, feature);
    }
}

fn compile(variable: &dyn Fn(&str) -> String, sources: &Path, name: &str, feature: Option<&str>) {
    let plugin = Path::new(&variable("OUT_DIR")).join(name);
    if variable("CARGO_CFG_TARGET_OS") != "linux" {
        // the library reports this when it is asked to capture
        if let Err(e) = std::fs::write(&plugin, []) {
            panic!("{}: {e}", plugin.display());
        }
        return;
    }
    let mut rustc = Command::new(variable("RUSTC"));
    rustc.args(["--edition", "2021", "--crate-name", "goshawk_capture", "--crate-type", "cdylib"]);
    rustc.args(["-Copt-level=3", "-Cpanic=abort", "-Ccodegen-units=1", "-Cstrip=symbols"]);
    let (target, linked) = target(variable);
    rustc.args(["--target", &target]).args(linked);
    if let Some(feature) = feature {
        rustc.arg("--cfg").arg(format!("feature=\"{feature}\""));
    }
    // the linker that cargo is configured with is the target's
    if let (true, Ok(linker)) = (target == variable("TARGET"), std::env::var("RUSTC_LINKER")) {
        rustc.arg(format!("-Clinker={linker}"));
    }
    rustc.arg(sources.join("lib.rs")).arg("-o").arg(&plugin);
    match rustc.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!(
            "the compiler could not make the plugin: {status}; it needs the standard library of {target} (rustup target add {target})"
        ),
        Err(e) => panic!("the compiler could not be called: {e}"),
    }
}

/// What the plugin is compiled for, and further options. QEMU loads it, so it has the C library of the system's QEMU, also if
/// the command is linked statically.
fn target(variable: &dyn Fn(&str) -> String) -> (String, &'static [&'static str]) {
    let target = variable("TARGET");
    if variable("CARGO_CFG_TARGET_ENV") != "musl" {
        (target, &[])
    } else if variable("HOST").ends_with("-musl") {
        // a system whose C library is musl, and its QEMU too
        (target, &["-Ctarget-feature=-crt-static"])
    } else {
        (target.replace("-musl", "-gnu"), &[])
    }
}
