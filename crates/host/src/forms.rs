//! The forms of a kernel's code, of which a trial finds the fastest for each workload's kernels on this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use zerohop_workload::{Access, InstructionSet, Kernel, KernelForms};

use crate::kernels::KernelCode;

/// What a trial's result holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Occasion {
    /// The kernel.
    pub(crate) kernel: Kernel,
    /// Its access order.
    pub(crate) access: Access,
    /// Its instruction set.
    pub(crate) set: InstructionSet,
    /// Number of workers that run it.
    pub(crate) workers: usize,
    /// The most of them on one core.
    pub(crate) siblings: usize,
}

/// The forms found fastest so far, by rank.
pub(crate) type Fastest = Vec<(Occasion, usize)>;

/// Rounds of a trial. The best of a form's rounds counts: disturbances only slow it down.
const ROUNDS: usize = 5;

/// The forms of one kernel, shared by all workers that run it.
#[derive(Debug)]
pub(crate) struct Forms {
    codes: Vec<KernelCode>,
    current: AtomicUsize,
    on_trial: AtomicBool,
}

impl Forms {
    /// These forms, at least one; the first is current.
    pub(crate) fn new(codes: Vec<KernelCode>) -> Self {
        assert!(!codes.is_empty(), "a kernel has code");
        Self { codes, current: AtomicUsize::new(0), on_trial: AtomicBool::new(false) }
    }

    /// The code to run.
    pub(crate) fn current(&self) -> KernelCode {
        self.codes[self.current.load(Ordering::Relaxed)]
    }

    /// Whether it is compared with others: workers then go as fast as they can, whatever their demand.
    pub(crate) fn on_trial(&self) -> bool {
        self.on_trial.load(Ordering::Relaxed)
    }

    /// Bytes of an array of which all forms can make whole steps.
    pub(crate) fn granule(&self) -> usize {
        let granules = self.codes.iter().map(KernelCode::granule);
        granules.max().unwrap_or(1)
    }
}

/// The forms of a workload's kernels.
#[derive(Debug, Default)]
pub(crate) struct Choices(Vec<(Occasion, Arc<Forms>)>);

impl Choices {
    /// Adds a kernel's forms for this occasion, unless it has some already. They start with the fastest one, if it is known.
    pub(crate) fn add(
        &mut self,
        occasion: Occasion,
        codes: impl FnOnce() -> Vec<KernelCode>,
        fastest: &Fastest,
    ) -> Arc<Forms> {
        if let Some((_, forms)) = self.0.iter().find(|(known, _)| *known == occasion) {
            return Arc::clone(forms);
        }
        let forms = Forms::new(codes());
        if let Some(&(_, rank)) = fastest.iter().find(|(known, _)| *known == occasion) {
            forms.current.store(rank, Ordering::Relaxed);
        }
        let forms = Arc::new(forms);
        self.0.push((occasion, Arc::clone(&forms)));
        forms
    }

    /// Compares the forms of each kernel, unless that was done before, and makes the fastest current. `speed` runs all workers and
    /// returns the work that those with this kernel did; `None` if they did not run together. A trial ends early, after a round of
    /// all forms, if `patience` says so of the time it took.
    ///
    /// # Errors
    /// Those of `speed`.
    pub(crate) fn compare<E>(
        &self,
        fastest: &mut Fastest,
        mut speed: impl FnMut(Kernel) -> Result<Option<f64>, E>,
        patience: impl Fn(Duration) -> bool,
    ) -> Result<(), E> {
        for (occasion, forms) in &self.0 {
            if forms.codes.len() < 2 || fastest.iter().any(|(known, _)| known == occasion) {
                continue;
            }
            forms.on_trial.store(true, Ordering::Relaxed);
            let mut best = vec![0.0f64; forms.codes.len()];
            let began = Instant::now();
            // Rounds alternate, so that drift of the machine does not favor one form.
            for _ in 0..ROUNDS {
                for (rank, best) in best.iter_mut().enumerate() {
                    forms.current.store(rank, Ordering::Relaxed);
                    *best = best.max(speed(occasion.kernel)?.unwrap_or(0.0));
                }
                if !patience(began.elapsed()) {
                    break;
                }
            }
            let ranked = best.iter().enumerate().max_by(|one, other| one.1.total_cmp(other.1));
            let rank = ranked.map_or(0, |(rank, _)| rank);
            forms.current.store(rank, Ordering::Relaxed);
            forms.on_trial.store(false, Ordering::Relaxed);
            fastest.push((*occasion, rank));
        }
        Ok(())
    }

    /// The current form of every kernel that has several.
    pub(crate) fn forms(&self) -> KernelForms {
        let several = self.0.iter().filter(|(_, forms)| forms.codes.len() > 1);
        several.map(|(occasion, forms)| (occasion.kernel.to_string(), forms.current().form())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OCCASION: Occasion = Occasion {
        kernel: Kernel::Copy,
        access: Access::Sequential,
        set: InstructionSet::Sse2,
        workers: 4,
        siblings: 1,
    };

    fn codes(count: usize) -> Vec<KernelCode> {
        let code = crate::kernels::codes(Kernel::Read, Access::Strided, InstructionSet::Scalar64, 64)[0];
        (1..=count).map(|parts| KernelCode { parts, ..code }).collect()
    }

    #[test]
    fn the_form_that_was_once_fastest_is_chosen_and_remembered() {
        let mut fastest = Fastest::new();
        let mut choices = Choices::default();
        let forms = choices.add(OCCASION, || codes(3), &fastest);
        // The second form is fastest, although a disturbed round of it is slow.
        let speeds = [5.0, 1.0, 6.0, 5.5, 7.0, 6.1, 5.4, 2.0, 6.2, 5.1, 6.8, 6.0, 5.3, 6.9, 6.1];
        let mut round = 0;
        let speed = |kernel| {
            assert_eq!(kernel, Kernel::Copy);
            assert!(forms.on_trial());
            assert_eq!(forms.current().parts, round % 3 + 1, "forms take turns");
            round += 1;
            Ok::<_, ()>(Some(speeds[round - 1]))
        };
        choices.compare(&mut fastest, speed, |_| true).unwrap();
        assert_eq!((forms.current().parts, forms.on_trial(), fastest[0]), (2, false, (OCCASION, 1)));
        let two_streams = "2 streams of each array".to_owned();
        assert_eq!(choices.forms(), KernelForms::from([("copy".to_owned(), two_streams)]));
        // The next workload of the kind uses the result.
        let mut choices = Choices::default();
        let forms = choices.add(OCCASION, || codes(3), &fastest);
        choices.compare(&mut fastest, |_| -> Result<_, ()> { panic!("a second trial") }, |_| true).unwrap();
        assert_eq!(forms.current().parts, 2);
    }

    /// On a busy host, the trials of a survey's kernels alone took longer than its budget.
    #[test]
    fn a_trial_that_takes_too_long_ends_after_a_round_of_all_forms() {
        let mut fastest = Fastest::new();
        let mut choices = Choices::default();
        let forms = choices.add(OCCASION, || codes(3), &fastest);
        let mut runs = 0;
        let speed = |_| {
            runs += 1;
            Ok::<_, ()>(Some([2.0, 3.0, 1.0][runs - 1]))
        };
        choices.compare(&mut fastest, speed, |_| false).unwrap();
        assert_eq!((forms.current().parts, fastest[0], runs), (2, (OCCASION, 1), 3));
    }

    #[test]
    fn a_single_form_needs_no_trial_and_no_name() {
        let mut choices = Choices::default();
        choices.add(OCCASION, || codes(1), &Fastest::new());
        choices.compare(&mut Fastest::new(), |_| -> Result<_, ()> { panic!("a trial") }, |_| true).unwrap();
        assert!(choices.forms().is_empty());
    }
}
