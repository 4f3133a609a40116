//! Instruments that cannot be read, and why.

use std::fmt;
use std::io;

use zerohop_machine::ReadError;

/// An instrument that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnseenInstrument {
    pub what: &'static str,
    pub why: WhyUnseen,
}

/// Why an instrument cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WhyUnseen {
    NotThere,
    /// The kernel reserves it.
    Reserved,
    /// Only root may.
    RootOnly,
    /// Another reason, in words.
    Other(String),
}

impl WhyUnseen {
    /// Why a counter could not be opened or read.
    pub(super) fn of_counter(error: &io::Error) -> Self {
        match error.raw_os_error() {
            Some(libc::EACCES | libc::EPERM) => Self::Reserved,
            Some(libc::ENOENT | libc::ENODEV | libc::EOPNOTSUPP | libc::ENOSYS) => Self::NotThere,
            _ => Self::Other(error.to_string()),
        }
    }

    /// Why a meter's file could not be read.
    pub(super) fn of_meter(error: &ReadError) -> Self {
        match error {
            ReadError::Denied => Self::RootOnly,
            error => Self::Other(error.to_string()),
        }
    }
}

impl fmt::Display for WhyUnseen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotThere => f.write_str("not there"),
            Self::Reserved => {
                f.write_str("the kernel restricts it: allow it with `sysctl kernel.perf_event_paranoid=0`")
            }
            Self::RootOnly => f.write_str("only root may read it"),
            Self::Other(why) => f.write_str(why),
        }
    }
}
