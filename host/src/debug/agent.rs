//! Conditions of breakpoints, evaluated here: GDB's agent expressions
//!
//! GDB compiles the condition of a breakpoint to bytes for a stack machine and sends them with the breakpoint. A condition that
//! needs something that is not known counts as true, so that the user sees the stop.
//!
//! # Source
//! GDB manual, appendix "The GDB Agent Expression Mechanism"; its `gdbsupport/ax.def` for the numbers of the operations.

use super::arch::{FIRST_CSR, FIRST_FLOAT, PC};
use super::scene::Scene;

/// Operations of one evaluation: more than any condition needs.
const MOST: usize = 10_000;
/// Values on the stack.
const DEPTH: usize = 256;

/// A register or a piece of memory, as a condition reads it.
struct View<'a, S> {
    scene: &'a S,
    core: u8,
}

impl<S: Scene> View<'_, S> {
    fn register(&self, number: usize) -> Option<u64> {
        match number {
            0..PC => self.scene.registers(self.core).map(|x| x[number]),
            PC => self.scene.pc(self.core),
            FIRST_FLOAT..FIRST_CSR => self.scene.floats(self.core).map(|f| f[number - FIRST_FLOAT]),
            _ => self.scene.csr(self.core, u16::try_from(number - FIRST_CSR).ok()?),
        }
    }

    fn memory(&self, addr: u64, size: usize) -> Option<u64> {
        let addr = if self.scene.xlen() == 32 { addr & 0xffff_ffff } else { addr };
        let found = self.scene.memory(addr, size);
        let mut bytes = [0; 8];
        bytes[..size].copy_from_slice(found.get(..size)?);
        Some(u64::from_le_bytes(bytes))
    }
}

/// Whether the condition holds for `core`; `None` if it cannot be evaluated.
pub fn holds(code: &[u8], scene: &impl Scene, core: u8) -> Option<bool> {
    let view = View { scene, core };
    value(code, |n| view.register(n), |addr, size| view.memory(addr, size)).map(|v| v != 0)
}

/// The value of an expression.
fn value(
    code: &[u8],
    register: impl Fn(usize) -> Option<u64>,
    memory: impl Fn(u64, usize) -> Option<u64>,
) -> Option<u64> {
    let mut stack: Vec<u64> = Vec::new();
    let mut at = 0;
    for _ in 0..MOST {
        let operation = *code.get(at)?;
        at += 1;
        // the bytes of an operand, the highest first
        let mut operand = |bytes: usize| -> Option<u64> {
            let found = code.get(at..at + bytes)?;
            at += bytes;
            Some(found.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)))
        };
        match operation {
            0x02..=0x0b | 0x0f..=0x11 | 0x13..=0x15 => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                stack.push(binary(operation, a, b)?);
            }
            0x0e => unary(&mut stack, |a| u64::from(a == 0))?,
            0x12 => unary(&mut stack, |a| !a)?,
            // ext, zero_ext
            0x16 | 0x2a => {
                let unused = 64 - (operand(1)? as u32).clamp(1, 64);
                let signed = operation == 0x16;
                unary(&mut stack, |a| match signed {
                    true => ((a << unused) as i64 >> unused) as u64,
                    false => a << unused >> unused,
                })?;
            }
            // ref8 to ref64
            0x17..=0x1a => {
                let addr = stack.pop()?;
                stack.push(memory(addr, 1 << (operation - 0x17))?);
            }
            0x20 => {
                let to = operand(2)? as usize;
                if stack.pop()? != 0 {
                    at = to;
                }
            }
            0x21 => at = operand(2)? as usize,
            0x22..=0x25 => stack.push(operand(1 << (operation - 0x22))?),
            0x26 => stack.push(register(operand(2)? as usize)?),
            0x27 => return stack.pop(),
            0x28 => stack.push(*stack.last()?),
            0x29 => _ = stack.pop()?,
            0x2b => {
                let (b, a) = (stack.pop()?, stack.pop()?);
                stack.extend([b, a]);
            }
            0x32 => {
                let depth = operand(1)? as usize;
                stack.push(*stack.get(stack.len().checked_sub(depth + 1)?)?);
            }
            0x33 => {
                let (c, b, a) = (stack.pop()?, stack.pop()?, stack.pop()?);
                stack.extend([c, a, b]);
            }
            _ => return None,
        }
        if stack.len() > DEPTH {
            return None;
        }
    }
    None
}

fn unary(stack: &mut [u64], f: impl Fn(u64) -> u64) -> Option<()> {
    let top = stack.last_mut()?;
    *top = f(*top);
    Some(())
}

fn binary(operation: u8, a: u64, b: u64) -> Option<u64> {
    let shift = |f: fn(u64, u32) -> Option<u64>| u32::try_from(b).ok().and_then(|n| f(a, n));
    Some(match operation {
        0x02 => a.wrapping_add(b),
        0x03 => a.wrapping_sub(b),
        0x04 => a.wrapping_mul(b),
        0x05 => (a as i64).checked_div(b as i64)? as u64,
        0x06 => a.checked_div(b)?,
        0x07 => (a as i64).checked_rem(b as i64)? as u64,
        0x08 => a.checked_rem(b)?,
        0x09 => shift(u64::checked_shl).unwrap_or(0),
        0x0a => ((a as i64) >> b.min(63)) as u64,
        0x0b => shift(u64::checked_shr).unwrap_or(0),
        0x0f => a & b,
        0x10 => a | b,
        0x11 => a ^ b,
        0x13 => u64::from(a == b),
        0x14 => u64::from((a as i64) < b as i64),
        _ => u64::from(a < b),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(code: &[u8]) -> Option<u64> {
        value(code, |n| (n < 33).then_some(100 + n as u64), |addr, size| (addr == 0x1000).then_some(0xfe >> (8 - size)))
    }

    /// Each expression by hand: reg 10 is 110; the byte at 0x1000 is 1, as the function above says.
    #[test]
    fn expressions_by_hand() {
        for (code, wanted) in [
            (&[0x26, 0, 10, 0x22, 110, 0x13, 0x27][..], Some(1)),   // a0 == 110
            (&[0x26, 0, 10, 0x22, 4, 0x08, 0x27], Some(2)),         // a0 % 4
            (&[0x23, 0x10, 0, 0x17, 0x27], Some(0xfe >> 7)),        // *(char *) 0x1000
            (&[0x22, 0xff, 0x16, 8, 0x22, 0, 0x14, 0x27], Some(1)), // (signed char) 255 < 0
            (&[0x22, 0xff, 0x16, 8, 0x2a, 16, 0x27], Some(0xffff)),
            (&[0x22, 1, 0x20, 0, 7, 0x22, 5, 0x22, 9, 0x27], Some(9)), // goes over the 5
            (&[0x22, 1, 0x22, 2, 0x22, 3, 0x33, 0x03, 0x27], Some(u64::MAX)), // 3, 1, 2: 1 - 2
            (&[0x22, 7, 0x22, 8, 0x32, 1, 0x27], Some(7)),
            (&[0x22, 7, 0x22, 8, 0x2b, 0x03, 0x27], Some(1)),
            (&[0x22, 1, 0x22, 64, 0x09, 0x27], Some(0)),
            // what is not known, division by 0, an empty stack, an end without `end`, a loop
            (&[0x26, 0, 99, 0x27], None),
            (&[0x23, 0x20, 0, 0x19, 0x27], None),
            (&[0x22, 1, 0x22, 0, 0x05, 0x27], None),
            (&[0x02, 0x27], None),
            (&[0x22, 1], None),
            (&[0x21, 0, 0], None),
        ] {
            assert_eq!(of(code), wanted, "{code:x?}");
        }
    }
}
