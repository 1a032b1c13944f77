//! Where names of tasks and processes are, from the DWARF of a program

use host::contexts::running::Layout;

#[test]
fn a_layout_is_found_by_the_names_of_the_source() {
    let kernel = concat!(env!("CARGO_MANIFEST_DIR"), "/../programs/paged/elf/kernel.elf");
    let of = |pointer, name| Layout::open(kernel, pointer, name, 64);
    let found = of("process+256", "turns").unwrap();
    // a process has 32 + 4 numbers of 8 bytes and one of 4, which is aligned
    assert_eq!((found.stride, found.name, found.pointer), (37 * 8, 33 * 8, 8));
    assert_eq!(of("process", "process.turns").unwrap(), Layout { current: found.current - 256, ..found });
    // pointers of cores follow one another where the symbol is no array of structures
    assert_eq!(of("current", "16").map(|layout| (layout.stride, layout.name)).unwrap(), (8, 16));
    let wrong = |elf: &str, pointer, name| Layout::open(elf, pointer, name, 64).unwrap_err().to_string();
    assert!(wrong(kernel, "process", "frame.turns").contains("no structure has a member `frame.turns`"));
    assert!(wrong(kernel, "nobody", "turns").contains("has no symbol `nobody`"));
    let several = wrong("builtin:listwalk", "_start", "key");
    assert!(
        several.contains("several structures have a member `key`: node at 4, tree at 8; expected STRUCTURE.key"),
        "{several}"
    );
    assert_eq!(Layout::open("builtin:listwalk", "_start", "tree.key", 32).unwrap().name, 8);
}
