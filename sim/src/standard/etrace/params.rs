//! Parameters of an E-Trace encoder, by the names of the specification

use super::super::Fault;
use serde::{Deserialize, Deserializer, Serialize};

/// A run-time option of the encoder, in the order of the bits of `ioptions`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    /// Returns to the predicted address are not reported.
    ImplicitReturn,
    /// Addresses of trap handlers are not reported.
    ImplicitException,
    /// Addresses are sent in full.
    FullAddress,
    /// Addresses are sent as differences; always the opposite of full.
    DeltaAddress,
    /// Targets are sent by index in a cache.
    JumpTargetCache,
    /// Correctly predicted branches are counted.
    BranchPrediction,
    /// Targets of jumps that an instruction before them determines are not reported.
    Sijump,
    /// A bit without a meaning for decoding.
    Reserved,
}

/// The optional modes of E-Trace that an encoder has active.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modes {
    /// See [`Mode::ImplicitReturn`].
    pub implicit_return: bool,
    /// See [`Mode::ImplicitException`].
    pub implicit_exception: bool,
    /// See [`Mode::FullAddress`].
    pub full_address: bool,
    /// See [`Mode::JumpTargetCache`].
    pub jump_target_cache: bool,
    /// See [`Mode::BranchPrediction`].
    pub branch_prediction: bool,
    /// See [`Mode::Sijump`].
    pub sijump: bool,
}

impl Modes {
    /// Changes one of them.
    pub fn set(&mut self, mode: Mode, on: bool) {
        match mode {
            Mode::ImplicitReturn => self.implicit_return = on,
            Mode::ImplicitException => self.implicit_exception = on,
            Mode::FullAddress => self.full_address = on,
            Mode::JumpTargetCache => self.jump_target_cache = on,
            Mode::BranchPrediction => self.branch_prediction = on,
            Mode::Sijump => self.sijump = on,
            Mode::DeltaAddress | Mode::Reserved => {}
        }
    }

    /// Whether it is on.
    pub fn get(&self, mode: Mode) -> bool {
        match mode {
            Mode::ImplicitReturn => self.implicit_return,
            Mode::ImplicitException => self.implicit_exception,
            Mode::FullAddress => self.full_address,
            Mode::DeltaAddress => !self.full_address,
            Mode::JumpTargetCache => self.jump_target_cache,
            Mode::BranchPrediction => self.branch_prediction,
            Mode::Sijump => self.sijump,
            Mode::Reserved => false,
        }
    }
}

/// Accepts 0 and 1, as the specification writes flags, in addition to `false` and `true`.
fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Flag {
        Bool(bool),
        Number(u8),
    }
    match Flag::deserialize(from)? {
        Flag::Bool(flag) => Ok(flag),
        Flag::Number(n @ (0 | 1)) => Ok(n == 1),
        Flag::Number(n) => Err(serde::de::Error::custom(format!("a flag of {n}, expected 0 or 1"))),
    }
}

/// Parameters: names and meanings of the specification, and those that it leaves to the maker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Parameters {
    /// Width of an address, bits. 1..=64; 0: that of the program.
    pub iaddress_width_p: u8,
    /// Lowest bit of an address that is sent. 0..=2.
    pub iaddress_lsb_p: u8,
    /// Width of the privilege level, bits. 0..=4.
    pub privilege_width_p: u8,
    /// Width of a cause, bits. 1..=16.
    pub ecause_width_p: u8,
    /// Width of the time, bits. 1..=64.
    pub time_width_p: u8,
    /// Packets have no time.
    #[serde(deserialize_with = "flag")]
    pub notime_p: bool,
    /// Width of the context, bits. 1..=64.
    pub context_width_p: u8,
    /// Packets have no context.
    #[serde(deserialize_with = "flag")]
    pub nocontext_p: bool,
    /// log2 of the entries of the return stack; 0: none. 0..=8.
    pub return_stack_size_p: u8,
    /// Width of the nested call counter; 0: none. 0..=8.
    pub call_counter_size_p: u8,
    /// log2 of the branch predictors; 0: none. 0..=16.
    pub bpred_size_p: u8,
    /// log2 of the entries of the jump target cache; 0: none. 0..=16.
    pub cache_size_p: u8,
    /// Width of the subformat of format 0, bits. 0..=2.
    pub f0s_width_p: u8,
    /// Sequentially inferable jumps are not reported, unless `ioptions` has a bit that says so.
    #[serde(deserialize_with = "flag")]
    pub sijump_p: bool,
    /// Width of `encoder_mode`, bits. 0..=8.
    pub encoder_mode_width: u8,
    /// Bits of `ioptions`, the first one first.
    pub ioptions: Vec<Mode>,
    /// Bits of support packets after `ioptions`: `denable`, `dloss` and `doptions`. 0..=32.
    pub data_width: u8,
    /// Trap packets have `thaddr`; without it, the address is always that of the handler.
    #[serde(deserialize_with = "flag")]
    pub thaddr: bool,
    /// Addresses are sent in full, where no support packet has said otherwise.
    #[serde(deserialize_with = "flag")]
    pub full_address: bool,
    /// Addresses of handlers are not sent, where no support packet has said otherwise.
    #[serde(deserialize_with = "flag")]
    pub implicit_exception: bool,
    /// Value of `mtvec` in the implicit exception mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtvec: Option<u64>,
    /// Value of `stvec` in the implicit exception mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stvec: Option<u64>,
    /// Most branches that one packet may count; a larger count is refused as damage. The default is the longest period of
    /// synchronizations of the RISC-V Trace Control Interface, 2^19 cycles, with four branches in each.
    pub max_branch_count: u32,
    /// Width of the source of a packet in the container, bits. 0..=16.
    pub source_width: u8,
    /// Width of a time stamp in the container, bytes. 0..=8.
    pub timestamp_bytes: u8,
    /// Width of the type of a packet in the container, bits. 0..=2.
    pub type_width: u8,
}

impl Default for Parameters {
    fn default() -> Self {
        use Mode::{BranchPrediction, FullAddress, ImplicitException, ImplicitReturn, JumpTargetCache};
        Self {
            iaddress_width_p: 0,
            iaddress_lsb_p: 1,
            privilege_width_p: 2,
            ecause_width_p: 6,
            time_width_p: 1,
            notime_p: true,
            context_width_p: 1,
            nocontext_p: true,
            return_stack_size_p: 0,
            call_counter_size_p: 0,
            bpred_size_p: 0,
            cache_size_p: 0,
            f0s_width_p: 0,
            sijump_p: false,
            encoder_mode_width: 1,
            ioptions: vec![ImplicitReturn, ImplicitException, FullAddress, JumpTargetCache, BranchPrediction],
            data_width: 6,
            thaddr: true,
            full_address: false,
            implicit_exception: false,
            mtvec: None,
            stvec: None,
            max_branch_count: 1 << 21,
            source_width: 0,
            timestamp_bytes: 0,
            type_width: 2,
        }
    }
}

impl Parameters {
    /// Those of the trace encoder of ESP32-C6 and -H2.
    pub fn esp32() -> Self {
        Self {
            privilege_width_p: 1,
            ecause_width_p: 5,
            encoder_mode_width: 0,
            ioptions: Vec::new(),
            data_width: 0,
            thaddr: false,
            ..Self::default()
        }
    }

    /// Options in force before the first support packet.
    pub fn modes(&self) -> Modes {
        Modes {
            implicit_return: self.return_stack_size_p > 0 || self.call_counter_size_p > 0,
            implicit_exception: self.implicit_exception,
            full_address: self.full_address,
            jump_target_cache: self.cache_size_p > 0,
            branch_prediction: self.bpred_size_p > 0,
            sijump: self.sijump_p,
        }
    }

    /// Width of `irdepth`, bits.
    pub fn irdepth_width(&self) -> u8 {
        self.return_stack_size_p + u8::from(self.return_stack_size_p > 0) + self.call_counter_size_p
    }

    /// Refuses values out of range.
    ///
    /// # Errors
    /// The parameter, its value and its range.
    pub fn check(&self) -> Result<(), Fault> {
        let ranges = [
            ("iaddress_width_p", self.iaddress_width_p, 0..=64, "0 to 64"),
            ("iaddress_lsb_p", self.iaddress_lsb_p, 0..=2, "0 to 2"),
            ("privilege_width_p", self.privilege_width_p, 0..=4, "0 to 4"),
            ("ecause_width_p", self.ecause_width_p, 1..=16, "1 to 16"),
            ("time_width_p", self.time_width_p, 1..=64, "1 to 64"),
            ("context_width_p", self.context_width_p, 1..=64, "1 to 64"),
            ("return_stack_size_p", self.return_stack_size_p, 0..=8, "0 to 8"),
            ("call_counter_size_p", self.call_counter_size_p, 0..=8, "0 to 8"),
            ("bpred_size_p", self.bpred_size_p, 0..=16, "0 to 16"),
            ("cache_size_p", self.cache_size_p, 0..=16, "0 to 16"),
            ("f0s_width_p", self.f0s_width_p, 0..=2, "0 to 2"),
            ("encoder_mode_width", self.encoder_mode_width, 0..=8, "0 to 8"),
            ("data_width", self.data_width, 0..=32, "0 to 32"),
            ("source_width", self.source_width, 0..=16, "0 to 16"),
            ("timestamp_bytes", self.timestamp_bytes, 0..=8, "0 to 8"),
            ("type_width", self.type_width, 0..=2, "0 to 2"),
        ];
        match ranges.into_iter().find(|(_, value, range, _)| !range.contains(value)) {
            Some((what, value, _, right)) => Err(Fault::Value { what, value: value.into(), right }),
            None if self.iaddress_width_p > 0 && self.iaddress_width_p <= self.iaddress_lsb_p => {
                Err(Fault::Content("iaddress_width_p must be larger than iaddress_lsb_p"))
            }
            None if self.ioptions.len() > 32 => Err(Fault::Content("ioptions has more than 32 bits")),
            None => Ok(()),
        }
    }
}
