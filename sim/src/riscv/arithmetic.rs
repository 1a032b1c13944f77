//! Integer arithmetic of the extensions M and A

use super::decode::Code;

/// Value that an atomic of `N` bytes stores.
#[inline]
pub(super) fn atomic<const N: usize>(code: Code, old: u64, operand: u64) -> u64 {
    let signed = |v: u64| if N == 8 { v as i64 } else { v as u32 as i32 as i64 };
    let cut = |v: u64| v & (u64::MAX >> (64 - 8 * N));
    let b = cut(operand);
    cut(match code {
        Code::AmoSwap => b,
        Code::AmoAdd => old.wrapping_add(b),
        Code::AmoXor => old ^ b,
        Code::AmoAnd => old & b,
        Code::AmoOr => old | b,
        Code::AmoMin => signed(old).min(signed(b)) as u64,
        Code::AmoMax => signed(old).max(signed(b)) as u64,
        Code::AmoMinu => old.min(b),
        _ => old.max(b),
    })
}

/// Products of the M extension.
#[inline]
pub(super) fn multiply<const RV64: bool>(code: Code, a: u64, b: u64) -> u64 {
    if !RV64 {
        let signed = |v: u64| i64::from(v as u32 as i32);
        return match code {
            Code::Mulh => (signed(a).wrapping_mul(signed(b)) >> 32) as u64,
            Code::Mulhsu => (signed(a).wrapping_mul(b as i64) >> 32) as u64,
            Code::Mulhu => (a * b) >> 32,
            _ => a.wrapping_mul(b),
        };
    }
    let signed = |v: u64| i128::from(v as i64);
    match code {
        Code::Mulh => ((signed(a) * signed(b)) >> 64) as u64,
        Code::Mulhsu => ((signed(a) * i128::from(b)) >> 64) as u64,
        Code::Mulhu => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        _ => a.wrapping_mul(b),
    }
}

macro_rules! divide {
    ($name:ident, $u:ty, $i:ty) => {
        /// Division by zero gives all ones and the dividend; the signed overflow case wraps.
        #[inline]
        pub(super) fn $name(code: Code, a: $u, b: $u) -> $u {
            match (code, b) {
                (Code::Div | Code::Divu, 0) => <$u>::MAX,
                (_, 0) => a,
                (Code::Div, _) => (a as $i).wrapping_div(b as $i) as $u,
                (Code::Divu, _) => a / b,
                (Code::Rem, _) => (a as $i).wrapping_rem(b as $i) as $u,
                _ => a % b,
            }
        }
    };
}

divide!(divide32, u32, i32);
divide!(divide64, u64, i64);
