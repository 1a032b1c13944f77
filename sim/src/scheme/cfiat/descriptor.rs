//! Descriptors of figure 4.36, one for each load that has a record
//!
//! | form | fields |
//! | --- | --- |
//! | binary | thread 1 byte, `fahCnt` 4 bytes little-endian, operand size 1 byte, value in that many bytes, highest byte first (figure 4.40, `ConvertToBigEndian`) |
//! | ASCII | a line: thread, `fahCnt`, value with two hex digits per byte: `0, 2, 0x00000004` |
//!
//! Here, `fahCnt` counts loads only. The disassembly that figure 4.37 shows after the value is added by `host`.

use std::io::{self, Write};

/// Format of descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text.
    Ascii,
    /// Bytes.
    Binary,
}

/// A load that has a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// Thread, or core.
    pub thread: u8,
    /// Preceding loads without a record.
    pub fah: u32,
    /// Size in bytes: 1, 2, 4, 8.
    pub size: u8,
    /// Value, zero-extended.
    pub value: u64,
}

impl Descriptor {
    /// Writes it to `out`.
    ///
    /// # Errors
    /// Those of `out`.
    pub fn write(&self, form: Form, out: &mut dyn Write) -> io::Result<()> {
        let Self { thread, fah, size, value } = *self;
        match form {
            Form::Ascii => writeln!(out, "{thread}, {fah}, 0x{value:0digits$x}", digits = 2 * usize::from(size)),
            Form::Binary => {
                out.write_all(&[thread])?;
                out.write_all(&fah.to_le_bytes())?;
                out.write_all(&[size])?;
                out.write_all(&value.to_be_bytes()[8 - usize::from(size)..])
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(form: Form, d: Descriptor) -> Vec<u8> {
        let mut out = Vec::new();
        d.write(form, &mut out).unwrap();
        out
    }

    #[test]
    fn figures_4_36_and_4_38() {
        let d = Descriptor { thread: 0, fah: 2, size: 4, value: 4 };
        assert_eq!(written(Form::Ascii, d), b"0, 2, 0x00000004\n");
        assert_eq!(written(Form::Binary, d), [0, 2, 0, 0, 0, 4, 0, 0, 0, 4]);
        let d = Descriptor { thread: 0, fah: 0, size: 8, value: 0x3f_8320_1130 };
        assert_eq!(written(Form::Ascii, d), b"0, 0, 0x0000003f83201130\n");
        let d = Descriptor { thread: 7, fah: 0x102, size: 1, value: 0xfe };
        assert_eq!(written(Form::Binary, d), [7, 2, 1, 0, 0, 1, 0xfe]);
        assert_eq!(written(Form::Ascii, d), b"7, 258, 0xfe\n");
    }
}
