//! What the parameters of all streams have in common

use crate::baseline::etrace::{self, EtraceParams};
use crate::params::TraceParams;
use crate::scheme::cfiat::CfiatParams;
use crate::scheme::inputs::InputsParams;
use crate::standard::ntrace::{self, NtraceParams};

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
}

impl StreamParams for NtraceParams {
    identity! {}

    fn name(&self) -> String {
        self.modes.to_string()
    }

    fn code(&self) -> u8 {
        ntrace::CODE
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
