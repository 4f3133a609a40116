//! Errors of switching prefetchers.

use std::io;
use std::path::PathBuf;

use zerohop_machine::PuId;

/// Why prefetchers cannot be switched off or restored.
#[derive(Debug, thiserror::Error)]
pub enum PrefetcherError {
    /// The maker has not published how to switch them off.
    #[error("cannot turn off the prefetchers of `{processor}`: their controls are unknown")]
    Unknown {
        /// The processor's marketing name.
        processor: String,
    },
    /// A guest cannot change the host's processor.
    #[error("cannot turn off prefetchers inside a virtual machine ({hypervisor})")]
    Virtual {
        /// The hypervisor of this machine.
        hypervisor: String,
    },
    /// A register could not be read.
    #[error("cannot read the prefetcher control of CPU {pu}: {reason}")]
    Unreadable {
        pu: PuId,
        /// What the kernel said.
        reason: io::Error,
    },
    /// A register could not be written.
    #[error("cannot change the prefetcher control of CPU {pu}: {reason}")]
    Unwritable {
        pu: PuId,
        /// What the kernel said.
        reason: io::Error,
    },
    /// A register was written but did not change.
    #[error("the prefetcher control of CPU {pu} does not accept the change")]
    Ineffective { pu: PuId },
    /// Another process has switched them off.
    #[error("another zerohop has turned off the prefetchers")]
    Busy,
    /// The undo log cannot be written. Nothing is changed without it.
    #[error("cannot write `{}`, which is needed to undo the change after a crash: {reason}", path.display())]
    UndoLog {
        /// The path of the undo log.
        path: PathBuf,
        /// What the kernel said.
        reason: io::Error,
    },
}

impl PrefetcherError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unknown { .. } => "turn them off in the firmware setup, and omit --prefetchers",
            Self::Virtual { .. } => "omit --prefetchers, or measure on the host itself",
            Self::Unreadable { reason, .. } | Self::Unwritable { reason, .. } => match reason.kind() {
                io::ErrorKind::NotFound => "load the kernel module: `modprobe msr`",
                io::ErrorKind::PermissionDenied => {
                    "run as root; kernel lockdown (Secure Boot) or msr.allow_writes=off denies it even to root"
                }
                _ => "omit --prefetchers; `dmesg` may show why the processor rejected the change",
            },
            Self::Ineffective { .. } => {
                "omit --prefetchers; an undetected hypervisor or the firmware may have locked the register"
            }
            Self::Busy => "wait until it exits",
            Self::UndoLog { .. } => "run as root on a host with a writable /run",
        }
    }
}
