use super::functions::Functions;
use super::{Change, Stack};
use crate::contexts::ContextProgram;
use crate::symbols::Symbols;
use retire::code::Code;
use retire::image::Image;
use retire::{Context, FlowEvent, FlowKind};

fn event(kind: FlowKind, pc: u64, target: u64) -> FlowEvent {
    FlowEvent { hart: 0, kind, len: 4, count: 1, pc, target, cycle: 0 }
}

/// What of `events` is reported, but instructions.
fn changes(events: &[(FlowKind, u64, u64)]) -> (Vec<Change>, Stack) {
    let (mut functions, mut stack, mut all) = (Functions::default(), Stack::default(), Vec::new());
    for (kind, pc, target) in events {
        stack.event(&event(*kind, *pc, *target), None, &mut functions, None, |c| all.push(c));
    }
    all.retain(|c| !matches!(c, Change::Retired(_)));
    (all, stack)
}

#[test]
fn calls_returns_and_traps_make_the_stack() {
    use Change::{Enter, Leave};
    let (all, stack) = changes(&[
        (FlowKind::Start, 0, 0x100),
        (FlowKind::Call, 0x100, 0x200),
        (FlowKind::Call, 0x200, 0x300),
        (FlowKind::Trap { interrupt: true, cause: 7 }, 0x304, 0x400),
        (FlowKind::Call, 0x400, 0x500),
        (FlowKind::Return, 0x500, 0x404),
        (FlowKind::TrapReturn, 0x404, 0x304),
        // 0x300 was left by a longjmp: back to 0x104 leaves both
        (FlowKind::Return, 0x304, 0x104),
    ]);
    assert_eq!(all, [Enter(0), Enter(1), Enter(2), Enter(3), Enter(4), Leave, Leave, Leave, Leave]);
    assert_eq!(stack.frames().len(), 1);
}

#[test]
fn two_tasks_take_turns() {
    use Change::{Enter, Leave, Switch};
    let tick = FlowKind::Trap { interrupt: true, cause: 7 };
    let (all, stack) = changes(&[
        (FlowKind::Start, 0, 0x100),
        (FlowKind::Call, 0x100, 0x200),
        (tick, 0x208, 0x400),
        // a task that begins
        (FlowKind::TrapReturn, 0x410, 0x600),
        (FlowKind::Call, 0x604, 0x700),
        (tick, 0x70c, 0x400),
        (FlowKind::TrapReturn, 0x410, 0x208),
        (FlowKind::Return, 0x20c, 0x104),
        (tick, 0x108, 0x400),
        (FlowKind::TrapReturn, 0x410, 0x70c),
    ]);
    let first = [Enter(0), Enter(1), Enter(2), Leave, Leave, Leave, Switch(1), Enter(3), Enter(4), Enter(2)];
    assert_eq!(all[..10], first);
    assert_eq!(all[10..16], [Leave, Leave, Leave, Switch(0), Enter(0), Enter(1)]);
    assert_eq!(all[16..], [Leave, Enter(2), Leave, Leave, Switch(1), Enter(3), Enter(4)]);
    assert_eq!(stack.frames().len(), 2);
}

#[test]
fn functions_are_those_of_the_program_of_the_context() {
    let symbols = |names: &[(std::ops::Range<u64>, &str)]| {
        Symbols::default().with(names.iter().map(|(range, name)| (range.clone(), name.to_string())).collect())
    };
    let process = |id, name| ContextProgram {
        context: Context::new(0, id),
        symbols: symbols(&[(0x100..0x200, name)]),
        image: Image::recorded(Code::default()),
    };
    let kernel = symbols(&[(0x8000..0x8100, "main"), (0x8100..0x8200, "trap")]);
    let mut functions = Functions::new(kernel).with_contexts(vec![process(1, "a"), process(2, "b")]);
    let (mut stack, mut entered, mut contexts) = (Stack::default(), Vec::new(), Vec::new());
    let context = |privilege, id, alone| FlowKind::Context { context: Context::new(privilege, id), alone };
    let trap = FlowKind::Trap { interrupt: true, cause: 5 };
    for (kind, pc, target) in [
        (FlowKind::Start, 0x8000, 0x8000),
        (FlowKind::TrapReturn, 0x8010, 0x100),
        (context(0, 1, true), 0x100, 0x100),
        (context(1, 1, false), 0x8100, 0x8100),
        (trap, 0x110, 0x8100),
        (context(1, 2, true), 0x8108, 0x8108),
        (FlowKind::TrapReturn, 0x8110, 0x100),
        (context(0, 2, true), 0x100, 0x100),
        (FlowKind::Jump, 0x108, 0x100),
    ] {
        stack.event(&event(kind, pc, target), None, &mut functions, None, |c| entered.push(c));
        contexts.push((stack.context().privilege(), stack.context().id()));
    }
    let name = |change: &Change| match change {
        Change::Enter(function) => Some(functions.name(*function)),
        _ => None,
    };
    // code without a name is where a process begins before its context is reported
    let names: Vec<&str> = entered.iter().filter_map(name).filter(|name| !name.starts_with("0x")).collect();
    assert_eq!(names, ["main", "a", "trap", "b"]);
    assert_eq!(contexts, [(3, 0), (3, 0), (0, 1), (0, 1), (1, 1), (1, 2), (1, 2), (0, 2), (0, 2)]);
}
