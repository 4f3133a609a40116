//! Errors of switching prefetchers.

use std::io;
use std::path::PathBuf;

use zerohop_machine::PuId;

/// Why prefetchers cannot be switched off or restored.
#[derive(Debug, thiserror::Error)]
pub enum PrefetcherError {
    /// The maker has not published how to switch them off.
    #[error("no way to switch off the prefetchers of `{processor}` is known")]
    Unknown {
        /// The processor's marketing name.
        processor: String,
    },
    /// A guest cannot change the host's processor.
    #[error("the prefetchers of a virtual machine ({hypervisor}) cannot be switched off from inside")]
    Virtual {
        /// The hypervisor of this machine.
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
    /// A register was written but did not change.
    #[error("the prefetcher control of CPU {pu} does not accept the change")]
    Ineffective {
        /// Whose.
        pu: PuId,
    },
    /// Another process has switched them off.
    #[error("another zerohop has switched the prefetchers off")]
    Busy,
    /// The undo log cannot be written. Nothing is changed without it.
    #[error("cannot write `{}`, from which the change is undone after a crash: {reason}", path.display())]
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
            Self::Unknown { .. } => "switch them off in the firmware's setup, and leave --prefetchers out",
            Self::Virtual { .. } => "leave --prefetchers out, or measure on the host itself",
            Self::Unreadable { reason, .. } | Self::Unwritable { reason, .. } => match reason.kind() {
                io::ErrorKind::NotFound => "load the kernel's module for it: `modprobe msr`",
                io::ErrorKind::PermissionDenied => {
                    "run as root; a kernel under lockdown (Secure Boot) or with msr.allow_writes=off refuses even root"
                }
                _ => "leave --prefetchers out; `dmesg` may say why the processor refused",
            },
            Self::Ineffective { .. } => {
                "leave --prefetchers out; an undetected hypervisor or the firmware may have locked the register"
            }
            Self::Busy => "wait until it has ended",
            Self::UndoLog { .. } => "run as root, where /run can be written to",
        }
    }
}
