"""The head of a page of measured tables: how to measure them again, and on what they were measured

    import made_by
    text = made_by.put(text, made_by.head(command, packages, runs))

The one place that writes this head. `report/tests/text.rs` finds pages with measured tables that lack it.
"""
import collections, hashlib, os, pathlib, re, subprocess

HERE = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- made by -->\n", "<!-- end of made by -->\n"
TRACES = "## Traces\n"
MEASURED = "## How it was measured\n"


def commit():
    """The commit of the sources, and whether they differ from it. Pages do not count: they are what is made."""
    git = ["git", "-C", str(HERE)]
    head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, text=True)
    if head.returncode:
        return "not known: the sources are not in a repository"
    changed = subprocess.run([*git, "status", "--porcelain", "--", ".", ":!docs", ":!CHANGELOG.md", ":!tools"], capture_output=True, text=True)
    return f"`{head.stdout.strip()[:12]}`" + (", with changes that are not committed" if changed.stdout.strip() else "")


def runs_of(points):
    """The runs of points of `sweep`, `results` and `papers`: {(trace, harts, seed): hash of the events}."""
    runs = {}
    for p in points:
        name = p["trace"].removeprefix("builtin:").rsplit("/", 1)[-1]
        seed, found = (p.get("run") or {}).get("seed"), re.fullmatch(r"(.*)\.seed(\d+)(\..*)", name)
        if seed is None and found:
            name, seed = found[1] + found[3], int(found[2])
        runs[name, p["harts"], seed] = p["trace_hash"]
    return runs


def digest(runs):
    """One hash of all runs, in any order."""
    lines = sorted(f"{name} {harts} {'-' if seed is None else seed} {found}\n" for (name, harts, seed), found in runs.items())
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def ranges(numbers):
    """1, 2, 3, 7 as `1 to 3, 7`."""
    parts = []
    for n in sorted(numbers):
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ", ".join(str(a) if a == b else f"{a} to {b}" for a, b in parts)


def head(command, packages, runs):
    """The head, and the table of traces for the end of the page. `packages`: lines; `runs`: see `runs_of`."""
    seeds = {seed for _, _, seed in runs if seed is not None}
    rows = [
        ("commit", commit()),
        ("command", f"`{command}`"),
        ("seeds", ranges(seeds) if seeds else "none: recordings of one schedule each"),
        ("packages", "; ".join(packages)),
        ("traces", f"{len(runs)} runs, [hashes of their events](#traces), together SHA-256 `{digest(runs)[:32]}`"),
    ]
    text = BEGIN + "| made from | |\n| --- | --- |\n" + "".join(f"| {name} | {value} |\n" for name, value in rows) + END
    by_trace = collections.defaultdict(dict)
    for (name, harts, seed), found in runs.items():
        # all runs are in the digest; the table has the first of each number of harts
        first = by_trace[name].get(harts)
        if first is None or (seed or 0) < first[0]:
            by_trace[name][harts] = (seed or 0, found)
    harts = sorted({h for found in by_trace.values() for h in found})
    table = f"\n{TRACES}\nHash of the events of each trace, of its first seed, as `goshawk sweep` prints it (`trace_hash`).\n\n"
    table += "| trace | " + " | ".join(f"N = {h}" for h in harts) + " |\n| --- |" + " --- |" * len(harts) + "\n"
    for name in sorted(by_trace):
        table += f"| {name} | " + " | ".join(f"`{by_trace[name][h][1]}`" if h in by_trace[name] else "-" for h in harts) + " |\n"
    return text, table


def moved(text, old, new):
    """A text with links from the folder `old`, as a part of a page in the folder `new`."""

    def link(found):
        target = os.path.normpath(os.path.join(old, found[1]))
        return f"]({os.path.relpath(target, new)}" if os.path.exists(target) else found[0]

    return re.sub(r"\]\(([^)#:]+)", link, text)


def output(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=HERE).stdout.strip()


def packages(goshawk):
    """Versions of what makes figures of the built-in programs: the command, its compiler, and the programs' ELFs, which are stored."""
    rust = output("rustc", "--version").split(" (")[0]
    listed = sorted((HERE / "programs/bare/elf").rglob("*.elf"))
    digest = hashlib.sha256(b"".join(p.read_bytes() for p in listed)).hexdigest()
    return [output(goshawk, "--version"), rust, f"`programs/bare/elf`, {len(listed)} files, together SHA-256 `{digest[:32]}`"]


def put(page, made):
    """The page with this head after its first paragraph, and the table of traces at its end."""
    text, table = made
    if BEGIN in page:
        before, rest = page.split(BEGIN, 1)
        page = before.rstrip("\n") + "\n" + rest.split(END, 1)[1]
    page = page.split("\n" + TRACES, 1)[0].rstrip("\n") + "\n"
    title, paragraph, rest = page.split("\n\n", 2)
    return f"{title}\n\n{paragraph.rstrip()}\n\n{text}\n{rest.lstrip()}{table}"


def put_last(page, made):
    """The page with this head and the table of traces at its end, for a page that has more than tables."""
    text, table = made
    page = page.split(f"\n{MEASURED}", 1)[0].rstrip("\n")
    return f"{page}\n\n{MEASURED}\n{text}{table}"
