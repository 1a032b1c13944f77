//! The goshawk command
//!
//! The command is a library, which cargo compiles while it still compiles the libraries that it needs. A program has to wait for them.

fn main() -> std::process::ExitCode {
    cli::main()
}
