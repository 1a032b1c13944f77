//! Random circuits settle to the same state under this project's derive macro, under rust-hdl's, and under mixtures of both
//!
//! A circuit has up to ten cells at different depths, in an order that is not that of their paths. A cell has four inputs and four outputs,
//! of which some are signals, some are in lists, and some in an interface or in an interface of it. Output k depends on inputs 0 to k, so that
//! paths go through the same two blocks several times, and a fifth output on registers alone. A cell contains registers, a memory, and two
//! blocks with joined interfaces, where a value goes from one to the other and back. After each edge of the clock, all signals of the circuit are compared.

use hdl::widget::mem::Mem;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::core::ast::VerilogLiteral;
use rust_hdl::core::atom::Atom;
use rust_hdl::prelude::*;

type Byte = Bits<8>;

/// Inputs and outputs of a cell, fifth output included.
const INPUTS: usize = 4;
const OUTPUTS: usize = 5;

#[derive(LogicInterface, Default)]
struct Inner {
    pub go: Signal<In, Byte>,
    pub back: Signal<Out, Byte>,
}

#[derive(LogicInterface, Default)]
struct Pins {
    pub clock: Signal<In, Clock>,
    pub one: Inner,
    pub add: Signal<In, Byte>,
    pub extra: Signal<Out, Byte>,
}

#[derive(LogicInterface, Default)]
#[join = "Accept"]
struct Offer {
    pub data: Signal<Out, Byte>,
    pub ready: Signal<In, Byte>,
}

#[derive(LogicInterface, Default)]
#[join = "Offer"]
struct Accept {
    pub data: Signal<In, Byte>,
    pub ready: Signal<Out, Byte>,
}

/// Where an input of a cell comes from.
#[derive(Clone, Copy)]
enum Source {
    Outside(usize),
    Cell(usize, usize),
}

#[derive(Clone)]
struct CellPlan {
    /// Ports of inputs and outputs 0 to 3.
    order: [usize; INPUTS],
    operations: [u8; INPUTS],
    /// Inputs that an output depends on, a bit each.
    reads: [u8; INPUTS],
    from: [Source; INPUTS],
    /// Blocks around the cell.
    depth: usize,
    /// Whether its clock comes through the interface.
    clock_in_pins: bool,
}

/// A plan whose paths have no loop: input k of a cell is connected to outputs of earlier steps of a random order, or to a fifth output.
fn plan(rng: &mut impl Rng) -> Vec<CellPlan> {
    // in small circuits, an output is more often the only signal that changes
    let most = rng.random_range(1..=10usize);
    let cells = rng.random_range(1..=most);
    let mut next = vec![0; cells];
    let mut ready = Vec::new();
    let mut plans: Vec<CellPlan> = (0..cells)
        .map(|_| {
            let mut order = [0, 1, 2, 3];
            for last in (1..INPUTS).rev() {
                order.swap(last, rng.random_range(0..=last));
            }
            CellPlan {
                order,
                operations: std::array::from_fn(|_| rng.random_range(0..4)),
                reads: std::array::from_fn(|k| rng.random_range(0..1 << (k + 1))),
                from: [Source::Outside(0); INPUTS],
                depth: rng.random_range(0..3),
                clock_in_pins: rng.random(),
            }
        })
        .collect();
    while let Some(cell) = {
        let open: Vec<usize> = (0..cells).filter(|c| next[*c] < INPUTS).collect();
        (!open.is_empty()).then(|| open[rng.random_range(0..open.len())])
    } {
        let k = next[cell];
        plans[cell].from[k] = match rng.random_range(0..8) {
            0 => Source::Outside(rng.random_range(0..2)),
            1 => Source::Cell(rng.random_range(0..cells), INPUTS),
            // the latest output makes long chains
            2..5 if !ready.is_empty() => ready[ready.len() - 1],
            _ if !ready.is_empty() => ready[rng.random_range(0..ready.len())],
            _ => Source::Outside(0),
        };
        ready.push(Source::Cell(cell, k));
        next[cell] += 1;
    }
    plans
}

/// Ports of a cell, and of the blocks around it, by number.
trait Ports: Block {
    fn set_clock(&mut self, clock: Clock);
    fn set(&mut self, port: usize, value: Byte);
    fn get(&self, port: usize) -> Byte;
}

macro_rules! ports {
    ($name:ident) => {
        impl Ports for $name {
            fn set_clock(&mut self, clock: Clock) {
                self.clock.next = clock;
                self.pins.clock.next = clock;
            }

            fn set(&mut self, port: usize, value: Byte) {
                match port {
                    0 => self.plain.next = value,
                    1 => self.pins.one.go.next = value,
                    2 => self.pins.add.next = value,
                    _ => self.many[1].next = value,
                }
            }

            fn get(&self, port: usize) -> Byte {
                match port {
                    0 => self.result.val(),
                    1 => self.pins.one.back.val(),
                    2 => self.pins.extra.val(),
                    3 => self.results[0].val(),
                    _ => self.results[1].val(),
                }
            }
        }
    };
}

/// The circuits, with a derive macro for cells, for blocks around cells, and for the whole.
macro_rules! circuits {
    ($name:ident, $cell:path, $around:path, $whole:path) => {
        mod $name {
            use super::*;

            #[derive($around, Default)]
            struct Head {
                from: Signal<In, Byte>,
                to: Signal<Out, Byte>,
                side: Offer,
            }

            impl Logic for Head {
                fn update(&mut self) {
                    self.side.data.next = !self.from.val();
                    self.to.next = self.side.ready.val() + Byte::from(1);
                }
            }

            #[derive($cell, Default)]
            struct Tail {
                side: Accept,
            }

            impl Logic for Tail {
                fn update(&mut self) {
                    self.side.ready.next = self.side.data.val() + self.side.data.val();
                }
            }

            #[derive($cell)]
            struct Cell {
                // the first of the fields, although their values come last
                tail: Tail,
                head: Head,
                clock: Signal<In, Clock>,
                pins: Pins,
                plain: Signal<In, Byte>,
                many: Vec<Signal<In, Byte>>,
                result: Signal<Out, Byte>,
                results: [Signal<Out, Byte>; 2],
                sum: Signal<Local, Byte>,
                register: DFF<Byte>,
                registers: Vec<DFF<Byte>>,
                memory: Mem<2, 8>,
                _plan: CellPlan,
            }

            impl Logic for Cell {
                fn update(&mut self) {
                    let plan = self._plan.clone();
                    let clock = if plan.clock_in_pins { self.pins.clock.val() } else { self.clock.val() };
                    self.register.clock.next = clock;
                    self.registers[0].clock.next = clock;
                    self.memory.clock.next = clock;
                    self.head.from.next = self.register.q.val();
                    self.head.side.join(&mut self.tail.side);
                    let inputs = [self.plain.val(), self.pins.one.go.val(), self.pins.add.val(), self.many[1].val()];
                    let start = self.head.to.val();
                    let mut value = start;
                    for (port, reads) in plan.order.iter().zip(plan.reads) {
                        value = start;
                        for (k, operation) in plan.operations.iter().enumerate().filter(|(k, _)| reads >> k & 1 == 1) {
                            let input = inputs[plan.order[k]];
                            value = match operation {
                                0 => value ^ input,
                                1 => value + input,
                                // hides most changes
                                2 if input.get_bit(0) => value,
                                2 => input,
                                _ => (value & Byte::from(0xF7)) + (input & Byte::from(0x1F)),
                            };
                        }
                        match port {
                            0 => self.result.next = value,
                            1 => self.pins.one.back.next = value,
                            2 => self.pins.extra.next = value,
                            _ => self.results[0].next = value,
                        }
                    }
                    self.sum.next = value + self.registers[0].q.val();
                    self.register.d.next = self.sum.val();
                    self.registers[0].d.next = self.register.q.val() ^ inputs[0];
                    self.memory.raddr.next = value.get_bits::<2>(0);
                    self.memory.waddr.next = self.register.q.val().get_bits::<2>(3);
                    self.memory.we.next = inputs[2].get_bit(1);
                    self.memory.wdata.next = self.sum.val();
                    self.results[1].next = self.register.q.val() ^ self.memory.rdata.val();
                }
            }

            impl Cell {
                fn new(plan: &CellPlan) -> Self {
                    Self {
                        tail: Default::default(),
                        head: Default::default(),
                        clock: Default::default(),
                        pins: Default::default(),
                        plain: Default::default(),
                        many: (0..2).map(|_| Default::default()).collect(),
                        result: Default::default(),
                        results: Default::default(),
                        sum: Default::default(),
                        register: Default::default(),
                        registers: vec![Default::default()],
                        memory: Default::default(),
                        _plan: plan.clone(),
                    }
                }
            }

            ports!(Cell);

            macro_rules! around {
                ($block:ident, $inner:ident) => {
                    #[derive($around)]
                    struct $block {
                        clock: Signal<In, Clock>,
                        pins: Pins,
                        plain: Signal<In, Byte>,
                        many: Vec<Signal<In, Byte>>,
                        result: Signal<Out, Byte>,
                        results: [Signal<Out, Byte>; 2],
                        inner: $inner,
                    }

                    impl Logic for $block {
                        fn update(&mut self) {
                            self.inner.clock.next = self.clock.val();
                            self.pins.link(&mut self.inner.pins);
                            self.inner.plain.next = self.plain.val();
                            self.inner.many[1].next = self.many[1].val();
                            self.result.next = self.inner.result.val();
                            self.results[0].next = self.inner.results[0].val();
                            self.results[1].next = self.inner.results[1].val();
                        }
                    }

                    impl $block {
                        fn new(plan: &CellPlan) -> Self {
                            Self {
                                clock: Default::default(),
                                pins: Default::default(),
                                plain: Default::default(),
                                many: (0..2).map(|_| Default::default()).collect(),
                                result: Default::default(),
                                results: Default::default(),
                                inner: $inner::new(plan),
                            }
                        }
                    }

                    ports!($block);
                };
            }

            around!(Around, Cell);
            around!(Far, Around);

            #[derive($whole)]
            pub struct Whole {
                pub clock: Signal<In, Clock>,
                pub from: [Signal<In, Byte>; 2],
                pub to: Signal<Out, Byte>,
                cells: Vec<Cell>,
                around: Vec<Around>,
                far: Vec<Far>,
                _plan: Vec<CellPlan>,
            }

            impl Whole {
                pub fn new(plan: &[CellPlan]) -> Self {
                    let at = |depth: usize| plan.iter().filter(move |p| p.depth == depth);
                    Self {
                        clock: Default::default(),
                        from: Default::default(),
                        to: Default::default(),
                        cells: at(0).map(Cell::new).collect(),
                        around: at(1).map(Around::new).collect(),
                        far: at(2).map(Far::new).collect(),
                        _plan: plan.to_vec(),
                    }
                }

                /// The cell with this number in the plan.
                fn cell(&mut self, number: usize) -> &mut dyn Ports {
                    let depth = self._plan[number].depth;
                    let index = self._plan[..number].iter().filter(|p| p.depth == depth).count();
                    match depth {
                        0 => &mut self.cells[index],
                        1 => &mut self.around[index],
                        _ => &mut self.far[index],
                    }
                }
            }

            impl Logic for Whole {
                fn update(&mut self) {
                    let plan = self._plan.clone();
                    let clock = self.clock.val();
                    let mut to = Byte::from(0);
                    for (number, of) in plan.iter().enumerate() {
                        for (k, from) in of.from.iter().enumerate() {
                            let value = match *from {
                                Source::Outside(input) => self.from[input].val(),
                                Source::Cell(cell, INPUTS) => self.cell(cell).get(INPUTS),
                                Source::Cell(cell, output) => self.cell(cell).get(plan[cell].order[output]),
                            };
                            self.cell(number).set(of.order[k], value);
                        }
                        self.cell(number).set_clock(clock);
                        for output in 0..OUTPUTS {
                            to = (to << 1) ^ self.cell(number).get(output);
                        }
                    }
                    self.to.next = to;
                }
            }
        }
    };
}

circuits!(ours, hdl::LogicBlock, hdl::LogicBlock, hdl::LogicBlock);
circuits!(theirs, rust_hdl::prelude::LogicBlock, rust_hdl::prelude::LogicBlock, rust_hdl::prelude::LogicBlock);
circuits!(cells_ours, hdl::LogicBlock, rust_hdl::prelude::LogicBlock, rust_hdl::prelude::LogicBlock);
circuits!(cells_theirs, rust_hdl::prelude::LogicBlock, hdl::LogicBlock, hdl::LogicBlock);

/// Values of all signals.
#[derive(Default)]
struct Values(Vec<(String, usize)>);

impl Probe for Values {
    fn visit_atom(&mut self, name: &str, signal: &dyn Atom) {
        let value: VerilogLiteral = signal.verilog();
        self.0.push((name.to_string(), value.as_usize()));
    }
}

/// Sets inputs, settles, and returns the number of sweeps and all values.
macro_rules! settle {
    ($block:expr, $clock:expr, $from:expr) => {{
        $block.clock.next = $clock.into();
        for (signal, value) in $block.from.iter_mut().zip($from) {
            signal.next = value;
        }
        let mut sweeps = 0;
        loop {
            $block.update_all();
            sweeps += 1;
            if !$block.has_changed() {
                break;
            }
            assert!(sweeps < 1_000, "does not settle");
        }
        let mut values = Values::default();
        $block.accept("", &mut values);
        (sweeps, values.0)
    }};
}

#[test]
fn random_circuits_settle_to_the_same_state_under_both_macros() {
    let (mut few, mut many) = (0, 0);
    for seed in 0..150 {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let plan = plan(&mut rng);
        let mut ours = ours::Whole::new(&plan);
        let mut theirs = theirs::Whole::new(&plan);
        let mut cells_ours = cells_ours::Whole::new(&plan);
        let mut cells_theirs = cells_theirs::Whole::new(&plan);
        let mut from = [Byte::from(0); 2];
        for half in 0..60 {
            // inputs change while the clock is low, often one of them alone, and sometimes none
            if half % 2 == 0 {
                for value in &mut from {
                    if rng.random() {
                        *value = Byte::from(rng.random::<u8>() as u64);
                    }
                }
            }
            let clock = half % 2 == 1;
            let (few_now, expected) = settle!(ours, clock, from);
            let (many_now, their) = settle!(theirs, clock, from);
            let (_, mixed) = settle!(cells_ours, clock, from);
            let (_, mixed_too) = settle!(cells_theirs, clock, from);
            few += few_now;
            many += many_now;
            for (which, values) in [("rust-hdl", their), ("cells ours", mixed), ("cells rust-hdl's", mixed_too)] {
                assert_eq!(values.len(), expected.len());
                for (position, (one, other)) in expected.iter().zip(&values).enumerate() {
                    assert_eq!(one, other, "seed {seed}, half cycle {half}, signal {position}, {which}");
                }
            }
        }
    }
    assert!(few * 3 < many * 2, "{few} sweeps, and {many} with rust-hdl's macro");
}
