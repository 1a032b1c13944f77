//! Reads the members of a zip archive as one stream
//!
//! Only what is needed for a sequence of members that continue each other: stored or deflated, without encryption, read
//! from their local headers in order, each compared with its checksum.
//!
//! # Source
//! PKWARE, APPNOTE.TXT 6.3.10, sections 4.3.7 (local header) and 4.3.9 (data descriptor).

use flate2::bufread::DeflateDecoder;
use std::io::{BufRead, Error, ErrorKind, Read, Take};

/// First bytes of an archive.
pub(super) const MAGIC: &[u8] = b"PK\x03\x04";
/// First bytes of what follows the last member.
const DIRECTORY: &[u8] = b"PK\x01\x02";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";
/// Flags of a member: encrypted; a data descriptor follows.
const ENCRYPTED: u16 = 1;
const DESCRIBED: u16 = 8;

fn wrong(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::InvalidData, what.into())
}

enum State<R> {
    /// Between members.
    Outside(R),
    Deflated(DeflateDecoder<R>),
    Stored(Take<R>),
    /// After an error.
    Failed,
}

/// The members of an archive, one after the other.
pub(super) struct Members<R> {
    state: State<R>,
    /// Checksum of the member in its header; 0 if a descriptor has it.
    checksum: u32,
    is_described: bool,
    crc: crc32fast::Hasher,
    ended: bool,
}

impl<R: BufRead> Members<R> {
    pub(super) fn new(archive: R) -> Self {
        let crc = crc32fast::Hasher::new();
        Self { state: State::Outside(archive), checksum: 0, is_described: false, crc, ended: false }
    }

    /// Opens the next member; `None` after the last one.
    fn open(&mut self, mut archive: R) -> std::io::Result<Option<State<R>>> {
        let mut header = [0; 30];
        archive.read_exact(&mut header[..4])?;
        if header.starts_with(DIRECTORY) {
            return Ok(None);
        }
        if !header.starts_with(MAGIC) {
            return Err(wrong("no header of a member where one has to be"));
        }
        archive.read_exact(&mut header[4..])?;
        let short = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
        let long = |at: usize| u32::from(short(at)) | u32::from(short(at + 2)) << 16;
        let (flags, method, size) = (short(6), short(8), long(18));
        let skipped = u64::from(short(26)) + u64::from(short(28));
        if std::io::copy(&mut (&mut archive).take(skipped), &mut std::io::sink())? != skipped {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        (self.checksum, self.is_described) = (long(14), flags & DESCRIBED != 0);
        self.crc = crc32fast::Hasher::new();
        match (flags & ENCRYPTED, method, self.is_described) {
            (0, 8, _) => Ok(Some(State::Deflated(DeflateDecoder::new(archive)))),
            (0, 0, false) if size != u32::MAX => Ok(Some(State::Stored(archive.take(size.into())))),
            (0, 0, _) => Err(wrong("a stored member without its size; only deflated ones are read")),
            (0, _, _) => Err(wrong(format!("method {method} of a member; expected 8 (deflated) or 0 (stored)"))),
            _ => Err(wrong("a member is encrypted")),
        }
    }

    /// Checks the checksum of the member that ended, and skips its descriptor.
    fn close(&mut self, mut archive: R) -> std::io::Result<R> {
        if self.is_described {
            let mut word = [0; 4];
            archive.read_exact(&mut word)?;
            if word == *DESCRIPTOR {
                archive.read_exact(&mut word)?;
            }
            self.checksum = u32::from_le_bytes(word);
            // the two sizes have four or eight bytes each
            let mut sizes = [0; 8];
            archive.read_exact(&mut sizes)?;
            let next = archive.fill_buf()?;
            if !next.starts_with(&MAGIC[..next.len().min(2)]) {
                archive.read_exact(&mut sizes)?;
            }
        }
        if archive.fill_buf()?.is_empty() {
            // what follows the last member is missing, and the member may be, too
            return Err(ErrorKind::UnexpectedEof.into());
        }
        let found = std::mem::take(&mut self.crc).finalize();
        if found != self.checksum {
            return Err(wrong(format!("checksum {found:08x} of a member; its header has {:08x}", self.checksum)));
        }
        Ok(archive)
    }
}

impl<R: BufRead> Read for Members<R> {
    fn read(&mut self, buf: &mut [u8]) -> std::io::Result<usize> {
        while !self.ended && !buf.is_empty() {
            let read = match &mut self.state {
                State::Outside(_) => 0,
                State::Deflated(member) => member.read(buf)?,
                State::Stored(member) => match member.read(buf)? {
                    0 if member.limit() > 0 => return Err(ErrorKind::UnexpectedEof.into()),
                    n => n,
                },
                State::Failed => return Err(wrong("the archive is damaged")),
            };
            if read > 0 {
                self.crc.update(&buf[..read]);
                return Ok(read);
            }
            let archive = match std::mem::replace(&mut self.state, State::Failed) {
                State::Outside(archive) => archive,
                State::Deflated(member) => self.close(member.into_inner())?,
                State::Stored(member) => self.close(member.into_inner())?,
                State::Failed => continue,
            };
            match self.open(archive)? {
                Some(member) => self.state = member,
                None => self.ended = true,
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::write::DeflateEncoder;
    use std::io::Write;

    /// A member: how it is packed, and its flags.
    fn member(bytes: &[u8], method: u16, flags: u16) -> Vec<u8> {
        let mut packed = DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(bytes).unwrap();
        let data = if method == 8 { packed.finish().unwrap() } else { bytes.to_vec() };
        let described = flags & DESCRIBED != 0;
        let sums = [crc32fast::hash(bytes), data.len() as u32, bytes.len() as u32];
        let mut out = MAGIC.to_vec();
        out.extend([20, flags, method, 0, 0].iter().flat_map(|n| n.to_le_bytes()));
        out.extend(sums.iter().flat_map(|n| (if described { 0 } else { *n }).to_le_bytes()));
        out.extend([4u16, 3].iter().flat_map(|n| n.to_le_bytes()));
        out.extend(b"nameext");
        out.extend(data);
        if described {
            out.extend(DESCRIPTOR);
            out.extend(sums.iter().flat_map(|n| n.to_le_bytes()));
        }
        out
    }

    fn read(archive: &[u8]) -> Result<Vec<u8>, String> {
        let mut found = Vec::new();
        Members::new(archive).read_to_end(&mut found).map_err(|e| e.to_string())?;
        Ok(found)
    }

    #[test]
    fn members_continue_each_other_and_damage_is_reported() {
        let long: Vec<u8> = (0..200_000u32).flat_map(|n| (n / 7).to_le_bytes()).collect();
        let parts: [Vec<u8>; 4] =
            [member(&long, 8, 0), member(b"stored", 0, 0), member(b"", 8, DESCRIBED), member(b"last", 8, DESCRIBED)];
        let mut archive = parts.concat();
        archive.extend(DIRECTORY);
        archive.extend([0; 42]);
        let want = [&long[..], b"stored", b"last"].concat();
        assert!(read(&archive).unwrap() == want);
        // descriptors of zip64 have sizes of eight bytes, and may have no signature
        let mut other = archive.clone();
        let at = other.len() - 46 - 16;
        let wide: Vec<u8> = [&other[at + 4..at + 8], &[6, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0]].concat();
        other.splice(at..at + 16, wide);
        assert!(read(&other).unwrap() == want);
        for cut in [10, 40, 5000, parts[0].len() + 35, archive.len() - 60] {
            assert!(read(&archive[..cut]).is_err(), "{cut}");
        }
        let mut flipped = archive.clone();
        flipped[parts[0].len() + 30 + 7] ^= 1;
        let e = read(&flipped).unwrap_err();
        assert!(e.contains(&format!("its header has {:08x}", crc32fast::hash(b"stored"))), "{e}");
        assert!(read(&member(b"x", 8, ENCRYPTED)).unwrap_err().contains("encrypted"));
        assert!(read(&member(b"x", 12, 0)).unwrap_err().contains("method 12"));
        assert!(read(&member(b"x", 0, DESCRIBED)).unwrap_err().contains("without its size"));
    }
}
