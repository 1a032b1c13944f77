//! Prints the reference page of the options: `docs/reference/options.md`

fn main() {
    print!("{}", options::page::page());
}
