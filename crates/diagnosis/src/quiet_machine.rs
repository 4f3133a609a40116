//! Threshold for a quiet machine.

/// The CPU time that may be used on a quiet machine, in CPUs: by one daemon or another, and by each CPU's own housekeeping.
const QUIET: (f64, f64) = (0.1, 0.005);

/// Whether a machine of this many CPUs is quiet when so many of them are busy.
pub fn is_quiet(busy: f64, cpus: usize) -> bool {
    busy <= QUIET.0 + QUIET.1 * cpus as f64
}
