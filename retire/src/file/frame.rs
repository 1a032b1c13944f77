//! Frames: compressed parts of a file, with checksums
//!
//! A 32-bit packed length, a 32-bit unpacked length, an LZ4 block, and the CRC-32 of all these; a frame of length 0 ends
//! a sequence of them. Bit 31 of the unpacked length: the frame contains code ([`crate::code`]).

use super::{FileError, Source};
use crate::code::{Code, CodeDecoder, CodeEncoder};
use crate::file::record::RecordError;
use std::io::{Read, Write};

/// Flag in the unpacked length.
const CODE: u32 = 1 << 31;
/// Encoded code after which a frame is written, bytes.
const CODE_BYTES: usize = 1 << 16;
/// Most unpacked bytes of a frame of code: [`CODE_BYTES`], and the longest block.
const MAX_CODE_BYTES: usize = 1 << 21;

/// Packs frames; a buffer that is used again.
#[derive(Clone, Debug, Default)]
pub struct Packer(Vec<u8>);

impl Packer {
    /// The bytes of a frame with this content; without content, those of the end.
    pub fn pack(&mut self, content: &[u8]) -> &[u8] {
        self.frame(content, 0)
    }

    fn frame(&mut self, content: &[u8], flags: u32) -> &[u8] {
        let Self(packed) = self;
        packed.resize(8 + lz4_flex::block::get_maximum_output_size(content.len()), 0);
        let length = match content.len() {
            0 => 0,
            // the buffer has the maximum size
            _ => lz4_flex::block::compress_into(content, &mut packed[8..]).unwrap_or(0),
        };
        packed.truncate(8 + length);
        packed[..4].copy_from_slice(&(length as u32).to_le_bytes());
        packed[4..8].copy_from_slice(&(content.len() as u32 | flags).to_le_bytes());
        let crc = crc32fast::hash(packed);
        packed.extend_from_slice(&crc.to_le_bytes());
        packed
    }

    /// The frame of the encoded code, once it is long enough or the `last`.
    pub fn pack_code(&mut self, encoder: &mut CodeEncoder, last: bool) -> Option<&[u8]> {
        if encoder.bytes.len() < if last { 1 } else { CODE_BYTES } {
            return None;
        }
        let packed = self.frame(&encoder.bytes, CODE);
        encoder.bytes.clear();
        Some(packed)
    }
}

/// A frame: lengths and packed content, as in the file, without the checksum.
pub(super) struct Frame {
    bytes: Vec<u8>,
    unpacked: u32,
}

impl Frame {
    /// Reads the next frame; `None` at the end of the sequence. `most`: largest content, unless it is code.
    pub(super) fn read<R: Read>(source: &mut Source<R>, most: usize) -> Result<Option<Self>, FileError> {
        const INSIDE: &str = "a block of records";
        let at = source.at;
        let (packed, unpacked) = (source.u32(INSIDE)? as usize, source.u32(INSIDE)?);
        let (size, most) = match unpacked & CODE {
            0 => (unpacked as usize, most),
            _ => ((unpacked & !CODE) as usize, MAX_CODE_BYTES),
        };
        if size > most || packed > lz4_flex::block::get_maximum_output_size(most) {
            return Err(source.content(format!("a block of {packed} bytes, unpacked {size}; no block is so large")));
        }
        let mut bytes = vec![0; 8 + packed];
        bytes[..4].copy_from_slice(&(packed as u32).to_le_bytes());
        bytes[4..8].copy_from_slice(&unpacked.to_le_bytes());
        source.exact(&mut bytes[8..], INSIDE)?;
        let crc = source.u32(INSIDE)?;
        source.checksum(at, INSIDE, &bytes, crc)?;
        Ok((packed > 0).then_some(Self { bytes, unpacked }))
    }

    /// Whether it contains code.
    pub(super) fn is_code(&self) -> bool {
        self.unpacked & CODE != 0
    }

    /// Its content.
    pub(super) fn unpack<R: Read>(&self, source: &Source<R>) -> Result<Vec<u8>, FileError> {
        let mut content = vec![0; (self.unpacked & !CODE) as usize];
        match lz4_flex::block::decompress_into(&self.bytes[8..], &mut content) {
            Ok(n) if n == content.len() => Ok(content),
            _ => Err(source.content("a block that cannot be unpacked".into())),
        }
    }
}

/// Reads frames up to the end of their sequence, and decodes the code in them.
pub(super) fn code_frames<R: Read>(source: &mut Source<R>, most: usize) -> Result<Code, FileError> {
    let mut decoder = CodeDecoder::default();
    while let Some(frame) = Frame::read(source, most)? {
        if frame.is_code() {
            decoder.take(&frame.unpack(source)?).map_err(|e| {
                source.content(match e {
                    RecordError::Truncated => "a record of code continues after the end of its block".into(),
                    RecordError::Invalid(what) => what,
                })
            })?;
        }
    }
    Ok(decoder.code)
}

/// Reads code that [`write_code`] wrote.
pub fn read_code<R: Read>(source: &mut Source<R>) -> Result<Code, FileError> {
    code_frames(source, 0)
}

/// Writes code, and the end of its frames.
pub fn write_code(out: &mut impl Write, code: &Code) -> std::io::Result<()> {
    let (mut packer, mut encoder) = (Packer::default(), CodeEncoder::default());
    let mut put =
        |encoder: &mut CodeEncoder, last| packer.pack_code(encoder, last).map_or(Ok(()), |f| out.write_all(f));
    for block in &code.blocks {
        encoder.block(block);
        put(&mut encoder, false)?;
    }
    for change in &code.changes {
        encoder.change(*change);
        put(&mut encoder, false)?;
    }
    put(&mut encoder, true)?;
    out.write_all(Packer::default().pack(&[]))
}
