//! Registers at any depth take what was there before the edge, under this project's derive macro and under rust-hdl's
//!
//! A bit moves through registers and memories in blocks of different depths, some with rust-hdl's order of a sweep
//! and some with that of `hdl_derive`. Each cycle, it must have moved by one stage.

use hdl::drive::Driver;
use hdl::widget::mem::Mem;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rust_hdl::prelude::*;

/// A stage: one register, and a block with a stage if there is one in it.
macro_rules! stage {
    ($name:ident, $derive:path, $inner:ty) => {
        #[derive($derive, Default)]
        struct $name {
            clock: Signal<In, Clock>,
            from: Signal<In, Bit>,
            to: Signal<Out, Bit>,
            inner: $inner,
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                self.inner.clock.next = self.clock.val();
                self.inner.from.next = self.from.val();
                self.to.next = self.inner.to.val();
            }
        }
    };
    ($name:ident, $derive:path) => {
        #[derive($derive, Default)]
        struct $name {
            clock: Signal<In, Clock>,
            from: Signal<In, Bit>,
            to: Signal<Out, Bit>,
            register: DFF<Bit>,
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                self.register.clock.next = self.clock.val();
                self.register.d.next = self.from.val();
                self.to.next = self.register.q.val();
            }
        }
    };
}

stage!(Near, hdl::LogicBlock);
stage!(Far, rust_hdl::prelude::LogicBlock);
stage!(NearNear, hdl::LogicBlock, Near);
stage!(NearFar, hdl::LogicBlock, Far);
stage!(FarNear, rust_hdl::prelude::LogicBlock, Near);
stage!(Deep, hdl::LogicBlock, FarNear);
stage!(Deeper, rust_hdl::prelude::LogicBlock, NearNear);
stage!(Deepest, hdl::LogicBlock, Deeper);

/// A memory of one word that is written and read in each cycle, which gives the complement of what was written.
#[derive(hdl::LogicBlock, Default)]
struct Remembers {
    clock: Signal<In, Clock>,
    from: Signal<In, Bit>,
    to: Signal<Out, Bit>,
    memory: Mem<1, 1>,
}

impl Logic for Remembers {
    #[hdl_gen]
    fn update(&mut self) {
        self.memory.clock.next = self.clock.val();
        self.memory.raddr.next = 0.into();
        self.memory.waddr.next = 0.into();
        self.memory.we.next = true;
        self.memory.wdata.next = 0.into();
        if !self.from.val() {
            self.memory.wdata.next = 1.into();
        }
        self.to.next = self.memory.rdata.val().get_bit(0);
    }
}

stage!(RemembersDeep, hdl::LogicBlock, Remembers);

/// All stages in a chain, written in an order that is not theirs.
#[derive(hdl::LogicBlock, Default)]
struct Chain {
    clock: Signal<In, Clock>,
    from: Signal<In, Bit>,
    to: Signal<Out, Bits<11>>,
    deepest: Deepest,
    remembers: Remembers,
    far: Far,
    deeper: Deeper,
    near_far: NearFar,
    register: DFF<Bit>,
    deep: Deep,
    near: Near,
    remembers_deep: RemembersDeep,
    near_near: NearNear,
    far_near: FarNear,
}

impl Logic for Chain {
    #[hdl_gen]
    fn update(&mut self) {
        self.near.clock.next = self.clock.val();
        self.far.clock.next = self.clock.val();
        self.near_near.clock.next = self.clock.val();
        self.near_far.clock.next = self.clock.val();
        self.far_near.clock.next = self.clock.val();
        self.deep.clock.next = self.clock.val();
        self.deeper.clock.next = self.clock.val();
        self.deepest.clock.next = self.clock.val();
        self.remembers.clock.next = self.clock.val();
        self.remembers_deep.clock.next = self.clock.val();
        self.register.clock.next = self.clock.val();
        self.near.from.next = self.from.val();
        self.deepest.from.next = self.near.to.val();
        self.register.d.next = self.deepest.to.val();
        self.remembers_deep.from.next = self.register.q.val();
        self.far.from.next = self.remembers_deep.to.val();
        self.deep.from.next = self.far.to.val();
        self.remembers.from.next = self.deep.to.val();
        self.near_far.from.next = self.remembers.to.val();
        self.deeper.from.next = self.near_far.to.val();
        self.near_near.from.next = self.deeper.to.val();
        self.far_near.from.next = self.near_near.to.val();
        self.to.next = bit_cast::<11, 1>(self.near.to.val().into())
            | (bit_cast::<11, 1>(self.deepest.to.val().into()) << 1)
            | (bit_cast::<11, 1>(self.register.q.val().into()) << 2)
            | (bit_cast::<11, 1>(self.remembers_deep.to.val().into()) << 3)
            | (bit_cast::<11, 1>(self.far.to.val().into()) << 4)
            | (bit_cast::<11, 1>(self.deep.to.val().into()) << 5)
            | (bit_cast::<11, 1>(self.remembers.to.val().into()) << 6)
            | (bit_cast::<11, 1>(self.near_far.to.val().into()) << 7)
            | (bit_cast::<11, 1>(self.deeper.to.val().into()) << 8)
            | (bit_cast::<11, 1>(self.near_near.to.val().into()) << 9)
            | (bit_cast::<11, 1>(self.far_near.to.val().into()) << 10);
    }
}

#[test]
fn a_bit_moves_by_one_stage_in_a_cycle_at_any_depth() {
    let mut rng = ChaCha8Rng::seed_from_u64(90);
    let mut d = Driver::new(Chain::default(), |u, c| u.clock.next = c.into()).unwrap();
    let mut stages = 0u64;
    for cycle in 0..2_000 {
        let bit = rng.random_bool([0.5, 0.05][cycle / 1_000]);
        d.uut.from.next = bit;
        d.clock().unwrap();
        stages = (stages << 1 | u64::from(bit)) & 0x7FF;
        // memories hold 0 before the first write, so that the first eleven cycles are not compared
        if cycle >= 11 {
            assert_eq!(u64::from(d.uut.to.val()), stages, "cycle {cycle}");
        }
    }
}

/// Sweeps of a block that takes `from` through five levels to `to`.
fn sweeps<T: Block>(block: &mut T, set: impl FnOnce(&mut T)) -> usize {
    set(block);
    let mut count = 0;
    loop {
        block.update_all();
        count += 1;
        if !block.has_changed() {
            return count;
        }
    }
}

/// A wire through one more level.
macro_rules! level {
    ($name:ident, $derive:path, $inner:ty) => {
        #[derive($derive, Default)]
        struct $name {
            from: Signal<In, Bit>,
            to: Signal<Out, Bit>,
            inner: $inner,
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                self.inner.from.next = self.from.val();
                self.to.next = self.inner.to.val();
            }
        }
    };
    ($name:ident, $derive:path) => {
        #[derive($derive, Default)]
        struct $name {
            from: Signal<In, Bit>,
            to: Signal<Out, Bit>,
        }

        impl Logic for $name {
            #[hdl_gen]
            fn update(&mut self) {
                self.to.next = !self.from.val();
            }
        }
    };
}

level!(Ours0, hdl::LogicBlock);
level!(Ours1, hdl::LogicBlock, Ours0);
level!(Ours2, hdl::LogicBlock, Ours1);
level!(Theirs0, rust_hdl::prelude::LogicBlock);
level!(Theirs1, rust_hdl::prelude::LogicBlock, Theirs0);
level!(Theirs2, rust_hdl::prelude::LogicBlock, Theirs1);

#[test]
fn a_level_costs_no_sweep_on_the_way_in() {
    let (mut ours, mut theirs) = (Ours2::default(), Theirs2::default());
    ours.connect_all();
    theirs.connect_all();
    sweeps(&mut ours, |_| ());
    sweeps(&mut theirs, |_| ());
    let (few, many) = (sweeps(&mut ours, |u| u.from.next = true), sweeps(&mut theirs, |u| u.from.next = true));
    assert!(!ours.to.val() && !theirs.to.val());
    assert!(few + 2 <= many, "{few} sweeps, and {many} with rust-hdl's macro");
}
