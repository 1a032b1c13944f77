//! gzip, zstd and xz, only with the feature `compressors`: their libraries need a C compiler

use std::io::{Result, Write};

/// A general-purpose compressor, with its level.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compressor {
    /// No compression: the serialised streams.
    None,
    /// gzip (zlib), level 1 to 9.
    Gzip(u32),
    /// zstd, level 1 to 22.
    Zstd(i32),
    /// xz, level 0 to 9.
    Xz(u32),
}

/// A stream that is compressed.
pub(super) trait Packing: Write {
    /// The compressed bytes.
    fn finish(self: Box<Self>) -> Result<Vec<u8>>;
}

#[cfg(feature = "compressors")]
mod built {
    use super::*;
    use flate2::{read::GzDecoder, write::GzEncoder};
    use liblzma::{read::XzDecoder, write::XzEncoder};
    use std::io::Read;

    macro_rules! packing {
        ($($encoder:ty),*) => {
            $(impl Packing for $encoder {
                fn finish(self: Box<Self>) -> Result<Vec<u8>> {
                    (*self).finish()
                }
            })*
        };
    }
    packing!(GzEncoder<Vec<u8>>, zstd::Encoder<'static, Vec<u8>>, XzEncoder<Vec<u8>>);

    pub(in super::super) fn pack(compressor: Compressor) -> Result<Option<Box<dyn Packing + Send>>> {
        Ok(match compressor {
            Compressor::None => None,
            Compressor::Gzip(level) => Some(Box::new(GzEncoder::new(Vec::new(), flate2::Compression::new(level)))),
            Compressor::Zstd(level) => Some(Box::new(zstd::Encoder::new(Vec::new(), level)?)),
            Compressor::Xz(level) => Some(Box::new(XzEncoder::new(Vec::new(), level))),
        })
    }

    pub(in super::super) fn unpack(compressor: Compressor, bytes: &[u8]) -> Result<Vec<u8>> {
        let mut plain = Vec::new();
        match compressor {
            Compressor::None => plain.extend_from_slice(bytes),
            Compressor::Gzip(_) => drop(GzDecoder::new(bytes).read_to_end(&mut plain)?),
            Compressor::Zstd(_) => plain = zstd::decode_all(bytes)?,
            Compressor::Xz(_) => drop(XzDecoder::new(bytes).read_to_end(&mut plain)?),
        }
        Ok(plain)
    }
}

#[cfg(not(feature = "compressors"))]
mod built {
    use super::*;

    pub(in super::super) fn pack(compressor: Compressor) -> Result<Option<Box<dyn Packing + Send>>> {
        match compressor {
            Compressor::None => Ok(None),
            _ => Err(missing()),
        }
    }

    pub(in super::super) fn unpack(compressor: Compressor, bytes: &[u8]) -> Result<Vec<u8>> {
        match compressor {
            Compressor::None => Ok(bytes.to_vec()),
            _ => Err(missing()),
        }
    }

    fn missing() -> std::io::Error {
        std::io::Error::new(
            std::io::ErrorKind::Unsupported,
            "gzip, zstd and xz need the feature `compressors` of the crate sim",
        )
    }
}

pub(super) use built::{pack, unpack};
