//! Table rows with the size and speed of circuits

use fpga::gates::{count, Library};
use fpga::place::{few_pins, place, Device};
use hdl::verilog::{write, Style};
use rust_hdl::prelude::Block;

/// Verilog of a block.
pub fn verilog(mut block: impl Block) -> String {
    block.connect_all();
    write(&block, &Style::default()).expect("Verilog").text
}

/// Prints the head of a table with rows of `what`.
pub fn head(what: &str) {
    println!("| {what} | NAND2 | flip-flops | memory bits | HX8K: LUT4, block RAM, MHz | ECP5: LUT4, block RAM, MHz |");
    println!("| --- | ---: | ---: | ---: | --- | --- |");
}

/// Prints a row.
pub fn row(name: &str, devices: &[Device], verilog: &str) {
    let r = count(verilog, &Library::nand2()).expect("yosys");
    let flip_flops: u64 = r.blocks.iter().map(|b| b.flip_flops).sum();
    print!("| `{name}` | {:.0} | {flip_flops} | {} |", r.gates, r.memory_bits);
    let (text, _) = few_pins(verilog);
    for device in devices {
        match place(&text, *device, 1, 60) {
            Ok(p) => print!(" {}, {}, {:.1} |", p.resources.lut4, p.resources.block_ram, p.fmax_mhz),
            // the last line of the error says what does not fit
            Err(e) => print!(" {} |", e.to_string().lines().last().unwrap_or_default()),
        }
    }
    println!();
}
