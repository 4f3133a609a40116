//! Why prefetchers cannot be switched.

use std::io;
use std::path::PathBuf;

use zerohop_machine::PuId;

/// Why prefetchers cannot be switched off, or not be put back.
#[derive(Debug, thiserror::Error)]
pub enum PrefetcherError {
    /// Nobody has published how.
    #[error("it is not known how to switch off the prefetchers of `{processor}`")]
    Unknown {
        /// Its marketing name.
        processor: String,
    },
    /// The processor is not ours to change.
    #[error("the prefetchers of a virtual machine ({hypervisor}) cannot be switched off from inside")]
    Virtual {
        /// Who virtualises this machine.
        hypervisor: String,
    },
    /// A register could not be read.
    #[error("cannot read the prefetcher control of CPU {pu}: {reason}")]
    Unreadable {
        /// Whose.
        pu: PuId,
        /// What the kernel said.
        reason: io::Error,
    },
    /// A register could not be written.
    #[error("cannot change the prefetcher control of CPU {pu}: {reason}")]
    Unwritable {
        /// Whose.
        pu: PuId,
        /// What the kernel said.
        reason: io::Error,
    },
    /// A register was written and did not change.
    #[error("the prefetcher control of CPU {pu} does not take a change")]
    Ineffective {
        /// Whose.
        pu: PuId,
    },
    /// Somebody else is at it.
    #[error("another zerohop has switched the prefetchers off")]
    Busy,
    /// The journal cannot be kept, and without it nothing is changed.
    #[error("cannot keep `{}`, which undoes the change after a crash: {reason}", path.display())]
    Journal {
        /// Where.
        path: PathBuf,
        /// What the kernel said.
        reason: io::Error,
    },
}

impl PrefetcherError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "switch them off in the firmware's setup, and leave --prefetchers out",
            Self::Virtual { .. } => "leave --prefetchers out, or measure on the host itself",
            Self::Unreadable { reason, .. } | Self::Unwritable { reason, .. } => match reason.kind() {
                io::ErrorKind::NotFound => "load the kernel's module for it: `modprobe msr`",
                io::ErrorKind::PermissionDenied => {
                    "run as root; a kernel under lockdown (Secure Boot) or with msr.allow_writes=off refuses even root"
                }
                _ => "leave --prefetchers out; `dmesg` may tell why the processor refused",
            },
            Self::Ineffective { .. } => {
                "leave --prefetchers out; an unannounced hypervisor or the firmware may hold the register"
            }
            Self::Busy => "wait until it has ended",
            Self::Journal { .. } => "run as root, where /run can be written to",
        }
    }
}
