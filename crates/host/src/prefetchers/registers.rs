//! Reading and writing model-specific registers.

use std::fmt::Debug;
use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::FileExt;

use zerohop_machine::PuId;

/// The model-specific registers of every PU.
pub trait Registers: Debug + Send + Sync {
    /// Whether CPUID announces AMD's prefetch control (Fn8000_0021 EAX\[13\]).
    fn announce_prefetch_control(&self) -> bool {
        false
    }

    /// The value of a register.
    ///
    /// # Errors
    /// There is no such register, or it may not be read.
    fn read(&self, pu: PuId, register: u32) -> io::Result<u64>;

    /// Writes a value to a register.
    ///
    /// # Errors
    /// There is no such register, or it may not be written.
    fn write(&self, pu: PuId, register: u32, value: u64) -> io::Result<()>;
}

/// The registers of this host, through the files of the kernel's `msr` module (msr(4)).
#[derive(Debug, Clone, Copy)]
pub struct MsrDevices;

fn device(pu: PuId) -> String {
    format!("/dev/cpu/{pu}/msr")
}

impl Registers for MsrDevices {
    #[cfg(target_arch = "x86_64")]
    fn announce_prefetch_control(&self) -> bool {
        const EXTENDED_FEATURES_2: u32 = 0x8000_0021;
        const PREFETCH_CONTROL: u32 = 1 << 13;
        let last = std::arch::x86_64::__cpuid(0x8000_0000).eax;
        last >= EXTENDED_FEATURES_2
            && std::arch::x86_64::__cpuid(EXTENDED_FEATURES_2).eax & PREFETCH_CONTROL != 0
    }

    fn read(&self, pu: PuId, register: u32) -> io::Result<u64> {
        let mut value = [0; 8];
        OpenOptions::new().read(true).open(device(pu))?.read_exact_at(&mut value, register.into())?;
        Ok(u64::from_le_bytes(value))
    }

    fn write(&self, pu: PuId, register: u32, value: u64) -> io::Result<()> {
        OpenOptions::new().write(true).open(device(pu))?.write_all_at(&value.to_le_bytes(), register.into())
    }
}
