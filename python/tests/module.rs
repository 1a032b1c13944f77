//! The Python module is imported, and its tests in Python pass.

use std::path::Path;
use std::process::Command;

#[test]
fn the_module_is_imported_and_its_tests_in_python_pass() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let package = folder.path().join("goshawk");
    std::fs::create_dir(&package).unwrap();
    for file in std::fs::read_dir(source.join("goshawk")).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_some_and(|e| e == "py") {
            std::fs::copy(&file, package.join(file.file_name().unwrap())).unwrap();
        }
    }
    // cargo puts the library beside the test programs. The name is that of the stable interface, which a wheel has, too.
    let library = std::env::current_exe().unwrap().with_file_name("lib_goshawk.so");
    std::fs::copy(&library, package.join("_goshawk.abi3.so")).unwrap_or_else(|e| panic!("{}: {e}", library.display()));

    let python = |arguments: &[&str]| {
        let out = Command::new("python3")
            .args(arguments)
            .current_dir(folder.path())
            .env("PYTHONPATH", folder.path())
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "python3 {}: {}\n{text}", arguments.join(" "), out.status);
        text
    };
    let imported = python(&["-c", "import goshawk; print(goshawk._goshawk.__file__)"]);
    assert!(imported.contains(folder.path().to_str().unwrap()), "another module is imported: {imported}");
    let tests = source.join("tests");
    let text = python(&["-m", "unittest", "discover", tests.to_str().unwrap()]);
    // a discovery that finds no tests passes, too, before Python 3.12
    let count = text.lines().find_map(|l| l.strip_prefix("Ran ")?.split(' ').next()?.parse::<usize>().ok());
    let written = std::fs::read_to_string(tests.join("test_goshawk.py")).unwrap().matches("    def test_").count();
    assert_eq!(count, Some(written), "{text}");
}
