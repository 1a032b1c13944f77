//! Writes the Verilog of many trace systems into a folder, one file per system
//!
//! `dump FOLDER [PART]`: with PART, only systems whose file name contains it. To compare two versions of this
//! repository, run this example in each and pass both folders to `cargo run --release -p testbenches --example equal
//! OLD NEW`, which reports the files that are identical and proves the others equivalent.

mod systems;

use hdl::emit::emit;
use std::error::Error;
use std::path::PathBuf;
use systems::systems;

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let folder = PathBuf::from(args.next().ok_or("usage: dump FOLDER [PART]")?);
    let part = args.next().unwrap_or_default();
    std::fs::create_dir_all(&folder)?;
    let mut written = 0;
    for (file, params, options) in systems()?.iter().filter(|(file, ..)| file.contains(&part)) {
        std::fs::write(folder.join(file), emit(params, options)?)?;
        written += 1;
    }
    println!("{written} systems in {}", folder.display());
    Ok(())
}
