//! The pages about installation and releases have the commands that scripts, workflows and the container run

use std::collections::BTreeSet;
use std::path::Path;

fn text(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(name);
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// All code spans of a text.
fn spans(text: &str) -> Vec<&str> {
    text.split('`').skip(1).step_by(2).collect()
}

/// The rows of the table below `heading`, by columns.
fn table<'a>(page: &'a str, heading: &str) -> Vec<Vec<&'a str>> {
    let (_, section) = page.split_once(&format!("\n## {heading}\n")).unwrap_or_else(|| panic!("no section {heading}"));
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|l| l.starts_with("| ")).skip(2);
    rows.map(|l| l.trim_matches('|').split('|').map(str::trim).collect()).collect()
}

#[test]
fn each_line_of_the_install_page_is_one_that_a_script_runs() {
    let page = text("docs/how-to/install.md");
    for (line, others) in [
        ("cargo install --locked --path cli", &["README.md", "docs/tutorials/first-trace.md"][..]),
        ("docker build -f Containerfile -t goshawk .", &["Containerfile", ".github/workflows/release.yml"]),
        ("rustup target add x86_64-unknown-linux-musl", &[".github/workflows/release.yml"]),
        ("apt install musl-tools", &["tools/static"]),
        ("goshawk-verilog.tar.gz", &["tools/verilog-archive", "docs/maintainers/releasing.md"]),
        ("tools/verilog-archive DIR", &["docs/maintainers/releasing.md"]),
    ] {
        assert!(
            page.contains(&format!("`{line}`")) || page.contains(&format!("\n{line}\n")),
            "install.md: no `{line}`"
        );
        for other in others {
            assert!(text(other).contains(line), "{other}: no `{line}`");
        }
    }
    // the same with other spellings
    assert!(text("Containerfile").contains("cargo install --locked --path /source/cli "));
    assert!(text("tools/static").contains("rustup target add $target"));
    assert!(text("tools/static").contains("target/static/goshawk") && page.contains("`target/static/goshawk`"));
    assert!(text(".github/workflows/release.yml").contains("apt-get install --yes musl-tools"));
    assert!(page.contains("`apt install ./target/debian/goshawk_*.deb`"));
    assert!(text("tools/deb").contains("target/debian/goshawk_"));
}

/// The packages that a command `apt-get install` of the text names.
fn packages(text: &str) -> BTreeSet<&str> {
    let (_, install) = text.split_once("apt-get install --yes --no-install-recommends").unwrap();
    install.split("&&").next().unwrap().split_whitespace().filter(|w| *w != "\\").collect()
}

#[test]
fn the_container_has_the_tools_that_the_install_page_names() {
    let (container, page) = (text("Containerfile"), text("docs/how-to/install.md"));
    let (installed, setup) = (packages(&container), text("tools/setup"));
    let rows = table(&page, "Tools that the command runs");
    assert!(rows.len() >= 5, "{rows:?}");
    for row in rows {
        for package in spans(row[2]) {
            // Yosys is a package of Python there
            let wheel = format!("yowasp-{}==", package.trim_start_matches("yowasp-"));
            assert!(installed.contains(package) || setup.contains(&wheel), "Containerfile: {package} is missing");
        }
    }
    for line in ["grep -o 'yowasp-[a-z0-9-]*==[^\"]*' /tmp/setup", "COPY tools/setup /tmp/setup"] {
        assert!(container.contains(line), "Containerfile: no `{line}`");
    }
}

#[test]
fn each_asset_of_a_release_is_made_by_the_workflow() {
    let (page, workflow) = (text("docs/maintainers/releasing.md"), text(".github/workflows/release.yml"));
    let rows: Vec<&str> = page.lines().filter(|l| l.starts_with("| `goshawk")).collect();
    assert_eq!(rows.len(), 5, "{rows:?}");
    for row in rows {
        let command = spans(row)[1].trim_end_matches(" DIR");
        // the binary with glibc is what tools/deb leaves
        let made = match command {
            "cargo build --release --locked -p cli" => text("tools/deb").contains(command),
            _ => workflow.contains(command),
        };
        assert!(made, "release.yml: no `{command}`");
    }
}

#[test]
fn releases_compare_every_crate_that_is_stable() {
    let workflow = text(".github/workflows/release.yml");
    let line = workflow.lines().find(|l| l.contains("semver-checks --baseline-rev")).unwrap();
    let compared: BTreeSet<&str> = line.split(" -p ").skip(1).map(str::trim).collect();
    let page = text("docs/reference/stability.md");
    let stable = page.lines().filter(|l| l.split('|').nth(2).is_some_and(|state| state.trim() == "stable"));
    let crates: BTreeSet<&str> = stable.filter_map(|l| l.strip_prefix("| `")?.split('`').next()).collect();
    assert_eq!(compared, crates);
}

/// Lines of rustdoc in a folder that link to a file of the tree, which the site has elsewhere or not at all.
fn links_out_of_rustdoc(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()) {
        if entry.is_dir() {
            links_out_of_rustdoc(&entry, found);
        } else if entry.extension().is_some_and(|e| e == "rs") {
            let text = std::fs::read_to_string(&entry).unwrap();
            let rustdoc = text.lines().map(str::trim_start).filter(|l| l.starts_with("//!") || l.starts_with("///"));
            let links = rustdoc.filter(|l| l.contains("](../") && l.contains(".md"));
            found.extend(links.map(|l| format!("{}: {l}", entry.display())));
        }
    }
}

#[test]
fn rustdoc_links_to_no_file_of_the_tree() {
    let mut found = Vec::new();
    for library in ["capture", "diag", "fpga", "hdl", "host", "options", "programs", "report", "retire", "sim", "sweep"]
    {
        links_out_of_rustdoc(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(library).join("src"), &mut found);
    }
    assert!(found.is_empty(), "{found:#?}");
}
