//! System calls: their effect on a thread and on the turns

use crate::follow::{execute, note};
use crate::guest::Call;
use crate::layout::*;
use crate::place::Affinity;
use crate::qemu::Id;
use crate::thread::thread;
use crate::{off, state, ARRIVALS, OFF};
use std::ffi::c_uint;
use std::sync::atomic::Ordering::*;

pub extern "C" fn on_syscall(
    _: Id,
    vcpu: c_uint,
    number: i64,
    a1: u64,
    a2: u64,
    a3: u64,
    a4: u64,
    _: u64,
    _: u64,
    _: u64,
    _: u64,
) {
    let state = state();
    let call = state.guest.call(number, [a1, a2]);
    if OFF.load(Relaxed) {
        if call == Call::Exec {
            follow(number, [a1, a2, a3, a4]);
        }
        return;
    }
    note(vcpu);
    let me = thread(vcpu);
    if !me.may_report() {
        // its turn was taken in the meantime
        me.take();
    }
    let kind = match call {
        Call::Sigreturn => SIGRETURN,
        Call::Exec => EXEC,
        Call::ExitAll => EXIT_ALL,
        _ => ORDINARY,
    };
    if !me.outside.get() || call == Call::ExitAll {
        state.ring.report(&me.writer, &[escape(SYSCALL, kind)]);
    }
    if call == Call::Sigaction && a2 > 4096 && state.guest.readable(a2) {
        // SAFETY: checked just before; if the guest unmaps it in the meantime, the kernel's own access fails, too.
        let handler = unsafe { state.guest.address_at(a2) };
        // 0 and 1: default and ignore
        if handler > 1 {
            state.handler(state.guest.code(handler));
        }
    }
    match call {
        Call::Exec => me.release(),
        Call::Affinity { sets } if state.flags & FREE == 0 => {
            me.release();
            if sets {
                me.place.set(Affinity::Own);
            }
        }
        _ => {}
    }
    me.called.set(Some((call, ARRIVALS.so_far())));
    if matches!(call, Call::Wakes | Call::Creates) {
        // keeps its turn until the threads that it woke or created have arrived
        state.ring.close(&me.writer);
    } else {
        me.give();
    }
    if call == Call::Exec {
        follow(number, [a1, a2, a3, a4]);
    }
    if call == Call::ExitAll {
        state.ring.control().exit.store(EXITED | (a1 as u32 & 0xff), Relaxed);
        // QEMU waits for all threads to leave their blocks
        off();
    }
}

/// The guest executes a program.
fn follow(number: i64, [a1, a2, a3, a4]: [u64; 4]) {
    /// `AT_FDCWD`.
    const HERE: u32 = -100i32 as u32;
    match state().guest.is_execveat(number) {
        false => execute(a1, a2, a3),
        true if a1 as u32 == HERE => execute(a2, a3, a4),
        true => {}
    }
}

pub extern "C" fn on_return(_: Id, vcpu: c_uint, _: i64, result: i64) {
    if OFF.load(Relaxed) {
        return;
    }
    let me = thread(vcpu);
    match me.called.take() {
        Some((Call::Waits, _)) if result == 0 => me.is_arriving.set(true),
        Some((Call::Wakes, come)) if result > 0 => me.awaited_arrivals.set(Some(come.wrapping_add(result as u32))),
        Some((Call::Creates, come)) if result > 0 => me.awaited_arrivals.set(Some(come.wrapping_add(1))),
        _ => {}
    }
}
