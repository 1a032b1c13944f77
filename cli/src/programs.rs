//! `goshawk programs`: lists the built-in programs

use crate::output::{Left, Object, Right, Table};
use crate::{Failure, Status};
use programs::PROGRAMS;
use retire::file::hex;
use serde_json::json;
use std::io::Write;

/// List the built-in programs
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk programs\n  goshawk run builtin:vm --harts 4 -o vm.ret")]
pub struct Args {
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Prints the list.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let mut table = Table::new([("program", Left), ("harts", Right), ("build", Left), ("what it does", Left)]);
    let mut list = Vec::new();
    for p in PROGRAMS {
        let name = format!("builtin:{}", p.name);
        let program = p.load().map_err(|e| Failure::program(&name, e))?;
        let id = hex(&program.build_id);
        table.row([name.clone(), format!("1-{}", p.max_harts), crate::output::short_id(&id).into(), p.doc.into()]);
        list.push(json!({
            "name": name,
            "max_harts": p.max_harts,
            "parallel": p.parallel,
            "build_id": id,
            "prints": p.output,
            "description": p.doc,
        }));
    }
    if args.json {
        Object::new("programs", "built in").with("programs", list.into()).print(out)?;
    } else {
        table.print(out)?;
    }
    Ok(Status::Done)
}
