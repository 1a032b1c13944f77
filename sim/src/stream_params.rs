//! What the parameters of all streams have in common

use crate::baseline::etrace::{self, EtraceParams};
use crate::params::TraceParams;
use crate::scheme::cfiat::CfiatParams;
use crate::scheme::inputs::InputsParams;
use crate::standard::ntrace::{self, NtraceParams};
use crate::tci::{feature, Protocol};

/// The parameters of a stream.
pub trait StreamParams {
    /// N: cores.
    fn cores(&self) -> u8;
    /// All parameters of the stream on one line.
    fn canonical(&self) -> String;
    /// CRC-32 of [`StreamParams::canonical`].
    fn fingerprint(&self) -> u32;
    /// The scheme's name.
    fn name(&self) -> String;
    /// Value of field `id.scheme`.
    fn code(&self) -> u8 {
        0
    }
    /// Bits of state of one core, where the papers count them.
    fn state_bits(&self) -> Option<u64> {
        None
    }
    /// The protocol, as the registers of the RISC-V Trace Control Interface report it.
    fn protocol(&self) -> Protocol {
        let flow = self.flow();
        let time_bits = flow.filter(|params| params.timestamps).map_or(0, |params| params.cc_bits);
        Protocol { time_bits, ..Protocol::vendor(flow.is_some_and(|params| params.context.is_some())) }
    }
    /// The parameters of a control-flow trace.
    fn flow(&self) -> Option<&TraceParams> {
        None
    }
}

/// What each type of parameters has by itself.
macro_rules! identity {
    () => {
        fn cores(&self) -> u8 {
            self.cores
        }

        fn canonical(&self) -> String {
            self.canonical()
        }

        fn fingerprint(&self) -> u32 {
            self.fingerprint()
        }
    };
}

impl StreamParams for TraceParams {
    identity! {}

    fn name(&self) -> String {
        self.flow.name()
    }

    fn code(&self) -> u8 {
        self.flow.code()
    }

    fn state_bits(&self) -> Option<u64> {
        Some(self.state_bits().into())
    }

    fn flow(&self) -> Option<&TraceParams> {
        Some(self)
    }
}

impl StreamParams for InputsParams {
    identity! {}

    fn name(&self) -> String {
        self.sizes.to_string()
    }
}

impl StreamParams for EtraceParams {
    identity! {}

    fn name(&self) -> String {
        self.options.to_string()
    }

    fn code(&self) -> u8 {
        etrace::CODE
    }

    fn protocol(&self) -> Protocol {
        let of = |is: bool, bits: u32| if is { bits } else { 0 };
        let returns = of(self.options.return_stack > 0, feature::IMPLICIT_RETURN | feature::RETURN_STACK);
        let full = of(self.options.full, feature::NO_ADDRESS_DIFFERENCE);
        let predictors = of(self.options.predictors > 0, feature::BRANCH_PREDICTION);
        Protocol {
            fixed_sync: self.options.sync,
            context: self.context.is_some(),
            time_bits: if self.timestamps { etrace::TIME_BITS } else { 0 },
            source_bits: self.source_bits(),
            ..Protocol::etrace(
                returns | predictors | full | of(self.options.jump_targets > 0, feature::JUMP_TARGET_CACHE),
            )
        }
    }
}

impl StreamParams for NtraceParams {
    identity! {}

    fn name(&self) -> String {
        self.modes.to_string()
    }

    fn code(&self) -> u8 {
        ntrace::CODE
    }

    fn protocol(&self) -> Protocol {
        let returns = if self.modes.returns > 0 { feature::IMPLICIT_RETURN | feature::RETURN_STACK } else { 0 };
        let repeated = if self.modes.repeat { feature::REPEATED_HISTORY } else { 0 };
        Protocol {
            mode: if self.modes.btm { 3 } else { 6 },
            fixed_sync: self.modes.sync,
            context: self.context.is_some(),
            time_bits: if self.timestamps { ntrace::TIME_BITS } else { 0 },
            ..Protocol::ntrace(returns | repeated, self.source_bits())
        }
    }
}

impl StreamParams for CfiatParams {
    identity! {}

    fn name(&self) -> String {
        self.sizes.to_string()
    }

    fn state_bits(&self) -> Option<u64> {
        Some(self.sizes.state_bits(self.xlen))
    }
}
