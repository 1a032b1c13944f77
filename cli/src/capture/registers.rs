//! `goshawk capture registers`: accesses the registers of a SoC over its serial line

use super::serial::open;
use crate::output::{Left, Object, Table};
use crate::{Failure, Status};
use fpga::soc::frame::{command, Deframer, Item, CONTROL, STATUS};
use serde_json::json;
use sim::regs::{Reg, REGS};
use std::io::{ErrorKind, Read, Write};
use std::time::{Duration, Instant};

/// Read, and optionally write, the registers of a SoC over its serial line
///
/// Registers have the names of `goshawk gen`'s register map. Two more belong to the SoC: soc_control (bit 0 starts the
/// cores, bit 1 stops them for good) and soc_status (bit 0: started, bit 1: the cores run, bit 2: the program has
/// ended, bit 3: the trace has left). Trace frames that arrive meanwhile are lost: use this command before or after a
/// capture.
#[derive(clap::Args, Debug)]
#[command(after_help = "Examples:\n  goshawk capture registers --port /dev/ttyUSB1\n  \
    goshawk capture registers --port /dev/ttyUSB1 --set overflow=0xffff --set soc_control=3 --json")]
pub struct Args {
    /// Serial device
    #[arg(long, value_name = "DEVICE")]
    port: String,
    /// Baud rate of the serial line
    #[arg(long, value_name = "BAUD", default_value_t = 1_000_000)]
    baud: u32,
    /// Register to write before the registers are read, with its value, decimal, or hexadecimal with 0x. May be repeated
    #[arg(long = "set", value_name = "REGISTER=VALUE")]
    sets: Vec<String>,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Number of times that a command is sent before giving up.
const MAX_TRIES: usize = 4;
/// Timeout of a response.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(500);

fn address(name: &str) -> Option<u8> {
    match name {
        "soc_control" => Some(CONTROL),
        "soc_status" => Some(STATUS),
        _ => REGS.iter().find(|r| r.name == name).map(|r| r.addr),
    }
}

fn names() -> impl Iterator<Item = &'static str> {
    REGS.iter().map(|r| r.name).chain(["soc_control", "soc_status"])
}

/// Parses `name=value` to register and value.
fn assignment(text: &str) -> Result<(u8, u32), Failure> {
    let wrong = |what: String| Failure::Other(format!("`--set {text}`: {what}"));
    let (name, value) = text.split_once('=').ok_or_else(|| wrong("expected REGISTER=VALUE".into()))?;
    let known = || names().collect::<Vec<_>>().join(", ");
    let addr = address(name).ok_or_else(|| wrong(format!("register {name} is unknown; there are {}", known())))?;
    let parsed = value.strip_prefix("0x").map_or_else(|| value.parse().ok(), |h| u32::from_str_radix(h, 16).ok());
    Ok((addr, parsed.ok_or_else(|| wrong(format!("{value} is not a 32-bit number")))?))
}

struct Link {
    port: Box<dyn serialport::SerialPort>,
    name: String,
    deframer: Deframer,
}

impl Link {
    /// Sends a command until there is a response.
    fn request(&mut self, addr: u8, data: Option<u32>) -> Result<u32, Failure> {
        let failed = |name: &str, e: std::io::Error| Failure::Other(format!("{name}: {e}"));
        for _ in 0..MAX_TRIES {
            self.port.write_all(&command(addr, data)).map_err(|e| failed(&self.name, e))?;
            let (begin, mut buffer, mut items) = (Instant::now(), [0; 4096], Vec::new());
            while begin.elapsed() < RESPONSE_TIMEOUT {
                match self.port.read(&mut buffer) {
                    Ok(n) => self.deframer.push(&buffer[..n], &mut items),
                    Err(e) if matches!(e.kind(), ErrorKind::TimedOut | ErrorKind::Interrupted) => {}
                    Err(e) => return Err(failed(&self.name, e)),
                }
                for item in items.drain(..) {
                    match item {
                        Item::Response { write, addr: a, data: d } if a == addr && write == data.is_some() => {
                            return Ok(d)
                        }
                        _ => {}
                    }
                }
            }
        }
        Err(Failure::Other(format!(
            "{}: no answer to {MAX_TRIES} commands; check the baud rate, and that the SoC was built to accept commands",
            self.name
        )))
    }
}

/// The fields of a register value, as `name=value`.
fn fields(reg: &Reg, value: u32) -> String {
    let of = |f: &sim::regs::Field| value >> f.lsb & (u32::MAX >> (32 - u32::from(f.bits)));
    reg.fields.iter().map(|f| format!("{}={:#x}", f.name, of(f))).collect::<Vec<_>>().join(" ")
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Failure> {
    let sets = args.sets.iter().map(|s| assignment(s)).collect::<Result<Vec<_>, _>>()?;
    let mut link = Link { port: open(&args.port, args.baud)?, name: args.port.clone(), deframer: Deframer::default() };
    for (addr, value) in sets {
        link.request(addr, Some(value))?;
    }
    let mut values = Vec::new();
    for name in names() {
        values.push((name, link.request(address(name).unwrap_or(STATUS), None)?));
    }
    if args.json {
        let registers: serde_json::Map<_, _> = values.iter().map(|(n, v)| ((*n).to_string(), json!(v))).collect();
        Object::new("capture registers", &args.port).with("registers", registers.into()).print(out)?;
        return Ok(Status::Done);
    }
    let mut table = Table::new([("register", Left), ("value", Left), ("fields", Left)]);
    for (name, value) in values {
        let fields = REGS.iter().find(|r| r.name == name).map_or_else(String::new, |r| fields(r, value));
        table.row([name.to_string(), format!("{value:#010x}"), fields]);
    }
    table.print(out)?;
    Ok(Status::Done)
}
