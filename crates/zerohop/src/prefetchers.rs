//! Switches prefetchers off during a measurement, and restores them however it ends.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use zerohop_host::{PrefetcherError, Prefetchers, PrefetchersOff};
use zerohop_machine::Machine;

use crate::failure::Failure;
use crate::terminal;

/// Keeps prefetchers off from [`Self::switch_off`] on. Dropping it, also in a panic, restores them.
#[derive(Debug, Default)]
pub(crate) struct HeldOff(Shared);

/// A handle for the thread that ends the process on a signal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shared(Arc<Mutex<Option<PrefetchersOff>>>);

impl HeldOff {
    /// The handle for the thread that may end the process.
    pub(crate) fn shared(&self) -> Shared {
        self.0.clone()
    }

    /// Switches off the prefetchers of `machine`, which must be this host.
    ///
    /// # Errors
    /// When that cannot be done; then nothing is changed.
    pub(crate) fn switch_off(&self, machine: &Machine) -> Result<(), Failure> {
        self.hold(|| Prefetchers::of_host(machine)?.switch_off()).map_err(|error| failure(&error))
    }

    /// Takes the lock before the change, so that the process cannot end in the middle of it.
    fn hold(
        &self,
        switch_off: impl FnOnce() -> Result<PrefetchersOff, PrefetcherError>,
    ) -> Result<(), PrefetcherError> {
        let mut held = self.0.lock();
        *held = Some(switch_off()?);
        Ok(())
    }

    /// The prefetchers that are off.
    pub(crate) fn names(&self) -> Vec<String> {
        self.0.lock().as_ref().map(PrefetchersOff::names).unwrap_or_default()
    }

    /// Restores them.
    ///
    /// # Errors
    /// When not all of them can be restored.
    pub(crate) fn put_back(&self) -> Result<(), Failure> {
        let held = self.0.lock().take();
        held.map_or(Ok(()), PrefetchersOff::restore).map_err(|error| failure(&error))
    }
}

impl Drop for HeldOff {
    fn drop(&mut self) {
        drop(self.0.lock().take());
    }
}

impl Shared {
    /// Restores them, and ends the process before anything can switch them off again.
    pub(crate) fn put_back_and(&self, end: impl FnOnce()) {
        let mut held = self.lock();
        drop(held.take());
        end();
    }

    fn lock(&self) -> MutexGuard<'_, Option<PrefetchersOff>> {
        // A panic under the lock leaves either all or nothing in it.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Restores prefetchers that a killed process left off, and warns: measurements since then ran without prefetchers.
pub(crate) fn undo_leftover(machine: &Machine, quiet: bool) {
    // Where they cannot be switched, no process can have left them off.
    let Ok(prefetchers) = Prefetchers::of_host(machine) else { return };
    let warning = match prefetchers.restore_leftover() {
        Ok(false) => return,
        Ok(true) => "the prefetchers were still off because an earlier zerohop was killed; they are on again"
            .to_owned(),
        Err(PrefetcherError::Busy) => PrefetcherError::Busy.to_string(),
        Err(error) => format!("the prefetchers are still off because an earlier zerohop was killed: {error}"),
    };
    if !quiet {
        terminal::say(&terminal::warning_line(&warning));
    }
}

fn failure(error: &PrefetcherError) -> Failure {
    Failure::new(error).hint(error.hint())
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicU64, Ordering};

    use tempfile::TempDir;
    use zerohop_host::Registers;
    use zerohop_machine::{CoreId, NodeId, PackageId, Processor, Pu, PuId};

    use super::*;

    /// The register of the only PU there is.
    #[derive(Debug, Default)]
    struct One(AtomicU64);

    impl Registers for One {
        fn announce_prefetch_control(&self) -> bool {
            true
        }

        fn read(&self, _: PuId, _: u32) -> io::Result<u64> {
            Ok(self.0.load(Ordering::Relaxed))
        }

        fn write(&self, _: PuId, _: u32, value: u64) -> io::Result<()> {
            self.0.store(value, Ordering::Relaxed);
            Ok(())
        }
    }

    /// Prefetchers that are off, their register, and where their undo log is.
    fn held() -> (HeldOff, Arc<One>, TempDir) {
        let (registers, directory) = (Arc::new(One::default()), tempfile::tempdir().unwrap());
        let machine = Machine {
            processor: Processor {
                vendor: "AuthenticAMD".to_owned(),
                family: Some(0x19),
                model_number: Some(0x11),
                ..Processor::default()
            },
            pus: vec![Pu {
                id: PuId(0),
                core: CoreId(0),
                package: PackageId(0),
                node: NodeId(0),
                allowed: true,
            }],
            ..Machine::default()
        };
        let (held, all) = (HeldOff::default(), Arc::clone(&registers) as Arc<dyn Registers>);
        held.hold(|| Prefetchers::new(&machine, all, &directory.path().join("undo_log"))?.switch_off())
            .unwrap();
        assert_eq!(registers.0.load(Ordering::Relaxed), 0b10_1111);
        (held, registers, directory)
    }

    #[test]
    fn they_are_back_before_a_signal_ends_the_process() {
        let (held, registers, _directory) = held();
        let mut found = None;
        held.shared().put_back_and(|| found = Some(registers.0.load(Ordering::Relaxed)));
        assert_eq!(found, Some(0));
        assert_eq!(held.put_back(), Ok(()), "there is nothing left to put back");
    }

    #[test]
    fn they_are_back_after_a_panic_although_another_thread_shares_them() {
        let (held, registers, _directory) = held();
        let shared = held.shared();
        let ended = catch_unwind(AssertUnwindSafe(move || {
            let _held = held;
            panic!("a bug");
        }));
        assert!(ended.is_err());
        assert_eq!(registers.0.load(Ordering::Relaxed), 0);
        drop(shared);
    }

    #[test]
    fn they_are_named_while_they_are_off() {
        let (held, _registers, _directory) = held();
        assert_eq!(held.names().len(), 5);
        held.put_back().unwrap();
        assert!(held.names().is_empty());
    }
}
