//! Hardware prefetchers. They are switched off on request, and restored however the measurement ends.
//!
//! The change affects the whole machine and outlives the process, so every exit path undoes it: [`PrefetchersOff::restore`],
//! the drop of that guard (after an error or a panic), and, after a kill, the next start, from an undo log that was written
//! before the change.

mod control;
mod error;
mod registers;
#[cfg(test)]
mod tests;
mod undo_log;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use zerohop_machine::{Machine, PuId};

use control::Control;
pub use error::PrefetcherError;
pub use registers::{MsrDevices, Registers};
use undo_log::{Record, UndoLog};

/// The path of the undo log. Like the registers, this directory is reset by a reboot.
const UNDO_LOG: &str = "/run/zerohop-prefetchers.json";

/// The prefetchers of the PUs that this process may use.
#[derive(Debug, Clone)]
pub struct Prefetchers {
    control: &'static Control,
    pus: Vec<PuId>,
    registers: Arc<dyn Registers>,
    undo_log: PathBuf,
}

impl Prefetchers {
    /// The prefetchers of this host.
    ///
    /// # Errors
    /// The processor's maker has not published how to switch them off, or the host is a virtual machine.
    pub fn of_host(machine: &Machine) -> Result<Self, PrefetcherError> {
        Self::new(machine, Arc::new(MsrDevices), Path::new(UNDO_LOG))
    }

    /// The prefetchers of `machine`, controlled through `registers`; `undo_log` is the file from which a change is undone
    /// after a kill.
    ///
    /// # Errors
    /// The processor's maker has not published how to switch them off, or `machine` is virtual: hypervisors ignore or
    /// refuse the change.
    pub fn new(
        machine: &Machine,
        registers: Arc<dyn Registers>,
        undo_log: &Path,
    ) -> Result<Self, PrefetcherError> {
        if let Some(hypervisor) = &machine.system.hypervisor {
            return Err(PrefetcherError::Virtual { hypervisor: hypervisor.clone() });
        }
        let control = Control::of(&machine.processor, registers.announce_prefetch_control())
            .ok_or_else(|| PrefetcherError::Unknown { processor: machine.processor.model.clone() })?;
        let pus = machine.pus.iter().filter(|pu| pu.allowed).map(|pu| pu.id).collect();
        Ok(Self { control, pus, registers, undo_log: undo_log.to_owned() })
    }

    /// Checks that their control can be read, without changing anything.
    ///
    /// # Errors
    /// A register cannot be read.
    pub fn can_be_read(&self) -> Result<(), PrefetcherError> {
        self.pus.first().map_or(Ok(()), |&pu| self.read(pu).map(|_| ()))
    }

    /// Switches them off until the guard is dropped. If that fails halfway, every register is restored.
    ///
    /// # Errors
    /// The registers cannot be read and written (no root, no `msr` module), they do not accept the change, or another
    /// process has switched the prefetchers off.
    pub fn switch_off(&self) -> Result<PrefetchersOff, PrefetcherError> {
        let mut undo_log = UndoLog::open_or_create(&self.undo_log)?;
        self.put_back(&mut undo_log)?;
        // All registers are read before any is written, because the SMT siblings of a core share one.
        let original = self.pus.iter().map(|&pu| Ok((pu, self.read(pu)?))).collect::<Result<_, _>>()?;
        undo_log.begin(Record::new(self.control.register, original))?;
        let off = PrefetchersOff { prefetchers: self.clone(), undo_log };
        for &pu in &self.pus {
            self.set(pu, self.control.bits())?;
        }
        Ok(off)
    }

    /// Undoes the change of a process that was killed. Returns whether there was anything to undo.
    ///
    /// # Errors
    /// The prefetchers cannot be restored, or the change belongs to a process that is still running.
    pub fn restore_leftover(&self) -> Result<bool, PrefetcherError> {
        let Some(mut undo_log) = UndoLog::open(&self.undo_log)? else { return Ok(false) };
        let left = undo_log.record().is_some();
        self.put_back(&mut undo_log)?;
        Ok(left)
    }

    /// Restores every PU in the undo log. If any cannot be restored, the undo log stays in place.
    fn put_back(&self, undo_log: &mut UndoLog) -> Result<(), PrefetcherError> {
        let Some(record) = undo_log.record() else { return Ok(()) };
        // Nothing is known about the register of another processor.
        if record.register == self.control.register {
            let set = |&(pu, value): &(PuId, u64)| self.set(pu, value & self.control.bits()).err();
            // It goes on after a failure, so that as few PUs as possible stay off.
            let failures: Vec<_> = record.original.iter().filter_map(set).collect();
            if let Some(failure) = failures.into_iter().next() {
                return Err(failure);
            }
        }
        undo_log.settle();
        Ok(())
    }

    fn read(&self, pu: PuId) -> Result<u64, PrefetcherError> {
        self.registers
            .read(pu, self.control.register)
            .map_err(|reason| PrefetcherError::Unreadable { pu, reason })
    }

    /// Sets the prefetchers' bits of one PU and verifies that they are set. Other bits stay unchanged.
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

/// A guard for prefetchers that are off. Dropping it restores them.
#[derive(Debug)]
#[must_use = "the prefetchers are put back when this is dropped"]
pub struct PrefetchersOff {
    prefetchers: Prefetchers,
    undo_log: UndoLog,
}

impl PrefetchersOff {
    /// The prefetchers that are off, by their maker's names.
    pub fn names(&self) -> Vec<String> {
        self.prefetchers.control.prefetchers.iter().map(|(_, name)| (*name).to_owned()).collect()
    }

    /// Restores the prefetchers and reports a failure to do so.
    ///
    /// # Errors
    /// A register can no longer be written, for example because its CPU went offline. The others are restored, and
    /// the next [`Prefetchers::restore_leftover`] tries again.
    pub fn restore(mut self) -> Result<(), PrefetcherError> {
        self.prefetchers.put_back(&mut self.undo_log)
    }
}

impl Drop for PrefetchersOff {
    fn drop(&mut self) {
        // A PU that cannot be restored here is still in the undo log.
        let _ = self.prefetchers.put_back(&mut self.undo_log);
    }
}
