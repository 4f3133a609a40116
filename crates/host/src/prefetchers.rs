//! Hardware prefetchers, switched off on request and back again however the measurement ends.
//!
//! What is changed belongs to the whole machine and outlives the process, so it is undone on every way out: by
//! [`PrefetchersOff::restore`], when that guard is dropped (an error, a panic), and after a kill by the next start, from
//! a journal that was written before the change.

mod control;
mod error;
mod journal;
mod registers;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use zerohop_machine::{Machine, PuId};

use control::Control;
pub use error::PrefetcherError;
use journal::{Journal, Record};
pub use registers::{MsrDevices, Registers};

/// Where the journal is kept: like the registers, this directory does not outlive a boot.
const JOURNAL: &str = "/run/zerohop-prefetchers.json";

/// The prefetchers of the PUs that this process may use.
#[derive(Debug, Clone)]
pub struct Prefetchers {
    control: &'static Control,
    pus: Vec<PuId>,
    registers: Arc<dyn Registers>,
    journal: PathBuf,
}

impl Prefetchers {
    /// Those of the machine this runs on.
    ///
    /// # Errors
    /// When its maker has not published how to switch them off, or it is a virtual machine.
    pub fn of_host(machine: &Machine) -> Result<Self, PrefetcherError> {
        Self::new(machine, Arc::new(MsrDevices), Path::new(JOURNAL))
    }

    /// Those of `machine`, reached through `registers`; `journal` is the file that undoes a change after a kill.
    ///
    /// # Errors
    /// When its maker has not published how to switch them off, or it is a virtual machine: hypervisors swallow the
    /// change, or fail it.
    pub fn new(
        machine: &Machine,
        registers: Arc<dyn Registers>,
        journal: &Path,
    ) -> Result<Self, PrefetcherError> {
        if let Some(hypervisor) = &machine.system.hypervisor {
            return Err(PrefetcherError::Virtual { hypervisor: hypervisor.clone() });
        }
        let control = Control::of(&machine.processor)
            .ok_or_else(|| PrefetcherError::Unknown { processor: machine.processor.model.clone() })?;
        let pus = machine.pus.iter().filter(|pu| pu.allowed).map(|pu| pu.id).collect();
        Ok(Self { control, pus, registers, journal: journal.to_owned() })
    }

    /// Switches them off until the guard is dropped. Where that fails half way, all is as before.
    ///
    /// # Errors
    /// When the registers cannot be read and written (no root, no `msr` module), do not take the change, or when
    /// another process has switched the prefetchers off.
    pub fn switch_off(&self) -> Result<PrefetchersOff, PrefetcherError> {
        let mut journal = Journal::open_or_create(&self.journal)?;
        self.put_back(&mut journal)?;
        // All are read before any is written: siblings of a core share one register.
        let original = self.pus.iter().map(|&pu| Ok((pu, self.read(pu)?))).collect::<Result<_, _>>()?;
        journal.begin(Record::new(self.control.register, original))?;
        let off = PrefetchersOff { prefetchers: self.clone(), journal };
        for &pu in &self.pus {
            self.set(pu, self.control.bits())?;
        }
        Ok(off)
    }

    /// Undoes what a process left behind that was killed. Says whether there was anything to undo.
    ///
    /// # Errors
    /// When they cannot be put back, or belong to a process that still runs.
    pub fn restore_leftover(&self) -> Result<bool, PrefetcherError> {
        let Some(mut journal) = Journal::open(&self.journal)? else { return Ok(false) };
        let left = journal.record().is_some();
        self.put_back(&mut journal)?;
        Ok(left)
    }

    /// Sets every PU of the journal as it was; what cannot be set leaves the journal in its place.
    fn put_back(&self, journal: &mut Journal) -> Result<(), PrefetcherError> {
        let Some(record) = journal.record() else { return Ok(()) };
        // Of another processor's register, nothing can be known here.
        if record.register == self.control.register {
            let set = |&(pu, value): &(PuId, u64)| self.set(pu, value & self.control.bits()).err();
            // Not only up to the first that fails: each PU put back is one less left off.
            let failures: Vec<_> = record.original.iter().filter_map(set).collect();
            if let Some(failure) = failures.into_iter().next() {
                return Err(failure);
            }
        }
        journal.settle();
        Ok(())
    }

    fn read(&self, pu: PuId) -> Result<u64, PrefetcherError> {
        self.registers
            .read(pu, self.control.register)
            .map_err(|reason| PrefetcherError::Unreadable { pu, reason })
    }

    /// Sets the prefetchers' bits of one PU and sees to it that they are set; other bits stay as they are.
    fn set(&self, pu: PuId, wanted: u64) -> Result<(), PrefetcherError> {
        let bits = self.control.bits();
        let now = self.read(pu)?;
        if now & bits == wanted {
            return Ok(());
        }
        self.registers
            .write(pu, self.control.register, now & !bits | wanted)
            .map_err(|reason| PrefetcherError::Unwritable { pu, reason })?;
        if self.read(pu)? & bits == wanted { Ok(()) } else { Err(PrefetcherError::Ineffective { pu }) }
    }
}

/// Prefetchers that are off. They are put back when this is dropped.
#[derive(Debug)]
#[must_use = "the prefetchers are put back when this is dropped"]
pub struct PrefetchersOff {
    prefetchers: Prefetchers,
    journal: Journal,
}

impl PrefetchersOff {
    /// Which are off, as the processor's maker calls them.
    pub fn names(&self) -> Vec<String> {
        self.prefetchers.control.prefetchers.iter().map(|(_, name)| (*name).to_owned()).collect()
    }

    /// Puts them back as they were, and tells when that fails.
    ///
    /// # Errors
    /// When a register cannot be written any more, for example that of a CPU that went offline. The others are put
    /// back, and the next [`Prefetchers::restore_leftover`] tries again.
    pub fn restore(mut self) -> Result<(), PrefetcherError> {
        self.prefetchers.put_back(&mut self.journal)
    }
}

impl Drop for PrefetchersOff {
    fn drop(&mut self) {
        // What fails here is still in the journal.
        let _ = self.prefetchers.put_back(&mut self.journal);
    }
}
