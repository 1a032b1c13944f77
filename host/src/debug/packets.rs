//! What the library of the protocol does not know: conditions of breakpoints
//!
//! Packets pass unchanged, except that the answer to `qSupported` also offers `ConditionalBreakpoints`. The conditions of `Z0` and
//! `Z1` are kept here; the library reads only the address.
//!
//! # Source
//! GDB manual, appendix "GDB Remote Serial Protocol", packets `qSupported` and `z0`.

use std::collections::BTreeMap;

/// Conditions by address: one of them must hold.
pub type Conditions = BTreeMap<u64, Vec<Vec<u8>>>;

/// What is added to the answer of `qSupported`.
const FEATURE: &[u8] = b";ConditionalBreakpoints+";
/// The answer to `qSupported` begins with this.
const FEATURES: &[u8] = b"$PacketSize=";
/// Longest packet of a breakpoint that is looked at.
const LONGEST: usize = 1 << 16;

/// Packets from GDB.
#[derive(Default)]
pub struct Incoming {
    packet: Option<Vec<u8>>,
    pub conditions: Conditions,
}

impl Incoming {
    /// Takes a byte on its way.
    pub fn byte(&mut self, byte: u8) {
        match (byte, &mut self.packet) {
            (b'$', _) => self.packet = Some(Vec::new()),
            (b'#', packet) => {
                if let Some((address, conditions)) = packet.take().as_deref().and_then(breakpoint) {
                    if conditions.is_empty() {
                        self.conditions.remove(&address);
                    } else {
                        self.conditions.insert(address, conditions);
                    }
                }
            }
            (_, Some(packet)) if packet.len() < LONGEST => packet.push(byte),
            _ => self.packet = None,
        }
    }
}

/// Address and conditions of a packet that sets or removes a breakpoint: `Z0,80000000,4;X5,2600200127`.
fn breakpoint(packet: &[u8]) -> Option<(u64, Vec<Vec<u8>>)> {
    let text = std::str::from_utf8(packet).ok()?;
    let rest = ["Z0,", "Z1,", "z0,", "z1,"].into_iter().find_map(|start| text.strip_prefix(start))?;
    let address = u64::from_str_radix(rest.split(',').next()?, 16).ok()?;
    let list = rest.split_once(';').map_or("", |(_, list)| list.split(";cmds").next().unwrap_or(list));
    let code = |part: &str| -> Option<Vec<u8>> {
        let hex = part.split_once(',')?.1.trim_end_matches(';').as_bytes();
        let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        hex.chunks(2).map(byte).collect()
    };
    // what cannot be read is a condition that cannot be evaluated: it counts as true
    Some((address, list.split('X').skip(1).map(|part| code(part).unwrap_or_default()).collect()))
}

/// Packets to GDB.
#[derive(Default)]
pub struct Outgoing(Vec<u8>);

impl Outgoing {
    /// Takes a byte; returns what can be sent.
    pub fn byte(&mut self, byte: u8) -> Vec<u8> {
        self.0.push(byte);
        let end = self.0.len().checked_sub(3).filter(|at| self.0[*at] == b'#');
        match (self.0[0] == b'$', end) {
            (false, _) => std::mem::take(&mut self.0),
            (true, None) => Vec::new(),
            (true, Some(end)) => {
                let mut packet = std::mem::take(&mut self.0);
                if packet.starts_with(FEATURES) {
                    packet.truncate(end);
                    packet.extend_from_slice(FEATURE);
                    let sum = packet[1..].iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
                    packet.extend_from_slice(format!("#{sum:02x}").as_bytes());
                }
                packet
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_kept_by_address() {
        let mut from = Incoming::default();
        let mut send = |text: &str| {
            text.bytes().for_each(|byte| from.byte(byte));
            from.conditions.clone()
        };
        let both = send("+$Z0,80000010,2;X3,260020X2,2227#00");
        assert_eq!(both, [(0x8000_0010, vec![vec![0x26, 0, 0x20], vec![0x22, 0x27]])].into());
        assert_eq!(send("$Z1,80,4;X2,2227;cmds:1,X1,27#00").get(&0x80), Some(&vec![vec![0x22, 0x27]]));
        assert_eq!(send("$Z2,90,4;X2,2227#00").len(), 2);
        // set again without one; removed; what cannot be read
        assert_eq!(send("$Z0,80000010,2#00").len(), 1);
        assert_eq!(send("$z1,80,4#00").len(), 0);
        assert_eq!(send("$Z0,1,4;X2,zz#00").get(&1), Some(&vec![vec![]]));
        assert_eq!(send("$Z0,xyz,4;X2,2227#00$m0,4#00").len(), 1);
    }

    #[test]
    fn only_the_list_of_features_changes() {
        let send = |text: &str| {
            let mut to = Outgoing::default();
            String::from_utf8(text.bytes().flat_map(|byte| to.byte(byte)).collect()).unwrap()
        };
        for text in ["+", "$OK#9a", "+$T05thread:1;#00$#00", "-"] {
            assert_eq!(send(text), text);
        }
        let sum = b"PacketSize=1000;ConditionalBreakpoints+".iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
        assert_eq!(send("+$PacketSize=1000#ab"), format!("+$PacketSize=1000;ConditionalBreakpoints+#{sum:02x}"));
    }
}
