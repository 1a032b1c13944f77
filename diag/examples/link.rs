//! Prints the reference page of the link: `docs/reference/diagnosis-link.md`

fn main() {
    print!("{}", diag::link::reference());
}
