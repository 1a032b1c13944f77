//! Prints the reference page of the options: `docs/options.md`

fn main() {
    print!("{}", hdl::options::page::page());
}
