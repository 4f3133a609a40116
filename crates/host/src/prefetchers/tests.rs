//! Tests of prefetcher control, with a machine whose registers are in memory.

use std::collections::BTreeMap;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;
use zerohop_machine::{CoreId, NodeId, OperatingSystem, PackageId, Processor, Pu};

use super::*;

/// The values set by the firmware: prefetcher 1 is off on the first core, and a bit that controls no prefetcher is set.
const FOUND: [(u32, u64); 2] = [(0, 1 << 20 | 0b0010), (1, 1 << 20)];
/// All four off, on both cores.
const OFF: [(u32, u64); 2] = [(0, 1 << 20 | 0b1111), (1, 1 << 20 | 0b1111)];

/// Registers of cores with two PUs each, which share them.
#[derive(Debug)]
struct Memory {
    cores: Mutex<BTreeMap<u32, u64>>,
    /// A PU that misbehaves.
    odd: Option<(PuId, Oddity)>,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Oddity {
    RefusesReads,
    RefusesWrites,
    PassesOverWrites,
}

impl Memory {
    fn new(odd: Option<(PuId, Oddity)>) -> Arc<Self> {
        Arc::new(Self { cores: Mutex::new(BTreeMap::from(FOUND)), odd })
    }

    fn values(&self) -> Vec<(u32, u64)> {
        let cores = self.cores.lock().unwrap_or_else(PoisonError::into_inner);
        cores.iter().map(|(&core, &value)| (core, value)).collect()
    }

    fn is(&self, pu: PuId, oddity: Oddity) -> bool {
        self.odd == Some((pu, oddity))
    }
}

impl Registers for Memory {
    fn read(&self, pu: PuId, register: u32) -> io::Result<u64> {
        assert_eq!(register, 0x1a4);
        if self.is(pu, Oddity::RefusesReads) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        self.cores.lock().unwrap().get(&(pu.0 / 2)).copied().ok_or(io::ErrorKind::NotFound.into())
    }

    fn write(&self, pu: PuId, register: u32, value: u64) -> io::Result<()> {
        assert_eq!(register, 0x1a4);
        if self.is(pu, Oddity::RefusesWrites) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        if !self.is(pu, Oddity::PassesOverWrites) {
            self.cores.lock().unwrap().insert(pu.0 / 2, value);
        }
        Ok(())
    }
}

/// A Skylake-SP of two cores with two PUs each.
fn machine() -> Machine {
    let pu = |number: u32| Pu {
        id: PuId(number),
        core: CoreId(number / 2),
        package: PackageId(0),
        node: NodeId(0),
        allowed: true,
    };
    Machine {
        processor: Processor {
            vendor: "GenuineIntel".to_owned(),
            model: "Xeon".to_owned(),
            family: Some(6),
            model_number: Some(0x55),
            ..Processor::default()
        },
        pus: (0..4).map(pu).collect(),
        ..Machine::default()
    }
}

/// The prefetchers behind these registers, with an undo log in `directory`.
fn prefetchers(directory: &TempDir, registers: &Arc<Memory>) -> Prefetchers {
    let registers: Arc<dyn Registers> = Arc::clone(registers) as _;
    Prefetchers::new(&machine(), registers, &directory.path().join("undo_log")).unwrap()
}

fn files(directory: &TempDir) -> usize {
    std::fs::read_dir(directory.path()).unwrap().count()
}

#[test]
fn they_are_off_until_they_are_restored() {
    let (directory, registers) = (tempfile::tempdir().unwrap(), Memory::new(None));
    let off = prefetchers(&directory, &registers).switch_off().unwrap();
    assert_eq!(off.names(), ["L2 hardware", "L2 adjacent cache line", "DCU", "DCU IP"]);
    assert_eq!(registers.values(), OFF);
    assert_eq!(files(&directory), 1);
    off.restore().unwrap();
    assert_eq!(registers.values(), FOUND);
    assert_eq!(files(&directory), 0);
}

#[test]
fn changes_by_others_in_the_meantime_stay() {
    let (directory, registers) = (tempfile::tempdir().unwrap(), Memory::new(None));
    let off = prefetchers(&directory, &registers).switch_off().unwrap();
    registers.write(PuId(2), 0x1a4, 1 << 30 | 0b1111).unwrap();
    off.restore().unwrap();
    assert_eq!(registers.values(), [FOUND[0], (1, 1 << 30)]);
}

#[test]
fn pus_that_may_not_be_used_are_left_alone() {
    let (directory, registers) = (tempfile::tempdir().unwrap(), Memory::new(None));
    let mut machine = machine();
    machine.pus[2].allowed = false;
    machine.pus[3].allowed = false;
    let all = Arc::clone(&registers) as Arc<dyn Registers>;
    let off =
        Prefetchers::new(&machine, all, &directory.path().join("undo_log")).unwrap().switch_off().unwrap();
    assert_eq!(registers.values(), [OFF[0], FOUND[1]]);
    drop(off);
    assert_eq!(registers.values(), FOUND);
}

#[test]
fn a_failure_halfway_undoes_the_first_half() {
    for oddity in [Oddity::RefusesReads, Oddity::RefusesWrites, Oddity::PassesOverWrites] {
        let (directory, registers) = (tempfile::tempdir().unwrap(), Memory::new(Some((PuId(2), oddity))));
        let error = prefetchers(&directory, &registers).switch_off().unwrap_err();
        let expected = match oddity {
            Oddity::RefusesReads => matches!(error, PrefetcherError::Unreadable { pu: PuId(2), .. }),
            Oddity::RefusesWrites => matches!(error, PrefetcherError::Unwritable { pu: PuId(2), .. }),
            Oddity::PassesOverWrites => matches!(error, PrefetcherError::Ineffective { pu: PuId(2) }),
        };
        assert!(expected, "{oddity:?}: {error}");
        assert_eq!(registers.values(), FOUND, "{oddity:?}");
        assert_eq!(files(&directory), 0, "{oddity:?}");
    }
}

#[test]
fn a_panic_restores_them() {
    let (directory, registers) = (tempfile::tempdir().unwrap(), Memory::new(None));
    let prefetchers = prefetchers(&directory, &registers);
    let ended = catch_unwind(AssertUnwindSafe(|| {
        let _off = prefetchers.switch_off().unwrap();
        assert_eq!(registers.values(), FOUND, "they are off");
    }));
    assert!(ended.is_err());
    assert_eq!(registers.values(), FOUND);
    assert_eq!(files(&directory), 0);
}

/// Leaves everything as a killed process does: its locks are gone, and none of its cleanup has run.
fn kill(off: PrefetchersOff, directory: &TempDir) {
    let path = directory.path().join("undo_log");
    let text = std::fs::read(&path).unwrap();
    // The guard removes the undo log and restores the registers, so both are set again after it.
    let registers = Arc::clone(&off.prefetchers.registers);
    drop(off);
    std::fs::write(&path, text).unwrap();
    for (core, value) in OFF {
        registers.write(PuId(2 * core), 0x1a4, value).unwrap();
    }
}

#[test]
fn the_change_of_a_killed_process_is_undone_once() {
    let (directory, registers) = (tempfile::tempdir().unwrap(), Memory::new(None));
    let prefetchers = prefetchers(&directory, &registers);
    assert!(!prefetchers.restore_leftover().unwrap(), "there is nothing to undo yet");
    kill(prefetchers.switch_off().unwrap(), &directory);
    assert_eq!(registers.values(), OFF);
    assert!(prefetchers.restore_leftover().unwrap());
    assert_eq!(registers.values(), FOUND);
    assert_eq!(files(&directory), 0);
    assert!(!prefetchers.restore_leftover().unwrap());
}

#[test]
fn prefetchers_left_off_are_not_taken_for_the_original_state() {
    let (directory, registers) = (tempfile::tempdir().unwrap(), Memory::new(None));
    let prefetchers = prefetchers(&directory, &registers);
    kill(prefetchers.switch_off().unwrap(), &directory);
    prefetchers.switch_off().unwrap().restore().unwrap();
    assert_eq!(registers.values(), FOUND);
}

#[test]
fn a_failure_to_restore_is_reported_and_retried() {
    let (directory, registers) = (tempfile::tempdir().unwrap(), Memory::new(None));
    let prefetchers = prefetchers(&directory, &registers);
    let off = prefetchers.switch_off().unwrap();
    // A core that goes offline takes its registers with it.
    let gone = registers.cores.lock().unwrap().remove(&0).unwrap();
    assert!(matches!(off.restore(), Err(PrefetcherError::Unreadable { pu: PuId(0), .. })));
    assert_eq!(registers.values(), [FOUND[1]], "the other core is restored all the same");
    registers.cores.lock().unwrap().insert(0, gone);
    assert!(prefetchers.restore_leftover().unwrap());
    assert_eq!(registers.values(), FOUND);
}

#[test]
fn two_processes_cannot_switch_at_the_same_time() {
    let (directory, registers) = (tempfile::tempdir().unwrap(), Memory::new(None));
    let prefetchers = prefetchers(&directory, &registers);
    let off = prefetchers.switch_off().unwrap();
    assert!(matches!(prefetchers.switch_off(), Err(PrefetcherError::Busy)));
    assert!(matches!(prefetchers.restore_leftover(), Err(PrefetcherError::Busy)));
    assert_eq!(registers.values(), OFF);
    drop(off);
    assert_eq!(registers.values(), FOUND);
}

#[test]
fn without_an_undo_log_nothing_is_changed() {
    let registers = Memory::new(None);
    let all = Arc::clone(&registers) as Arc<dyn Registers>;
    let prefetchers = Prefetchers::new(&machine(), all, Path::new("/nowhere/undo_log")).unwrap();
    assert!(matches!(prefetchers.switch_off(), Err(PrefetcherError::UndoLog { .. })));
    assert_eq!(registers.values(), FOUND);
}

#[test]
fn unknown_processors_and_virtual_machines_are_refused() {
    let refused = |machine: &Machine| {
        Prefetchers::new(machine, Memory::new(None), Path::new("/nowhere/undo_log")).unwrap_err()
    };
    let unknown =
        Machine { processor: Processor { model_number: Some(0x57), ..machine().processor }, ..machine() };
    assert!(matches!(refused(&unknown), PrefetcherError::Unknown { .. }));
    let system = OperatingSystem { hypervisor: Some("KVM".to_owned()), ..OperatingSystem::default() };
    assert!(matches!(refused(&Machine { system, ..machine() }), PrefetcherError::Virtual { .. }));
}
