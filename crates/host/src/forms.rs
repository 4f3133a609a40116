//! The forms of a kernel's code, of which a trial finds the fastest for each workload's kernels on this machine.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use zerohop_workload::{Access, InstructionSet, Kernel, KernelForms};

use crate::kernels::{Form, KernelCode};

/// What a trial's result holds for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Occasion {
    pub(crate) kernel: Kernel,
    pub(crate) access: Access,
    /// The instruction set that was asked for, if any.
    pub(crate) asked: Option<InstructionSet>,
    /// Number of workers that run it.
    pub(crate) workers: usize,
    /// The most of them on one core.
    pub(crate) siblings: usize,
}

/// The forms found fastest so far, by rank.
pub(crate) type Fastest = Vec<(Occasion, usize)>;

/// Rounds of a trial. The best of a form's rounds counts: disturbances only slow it down.
const ROUNDS: usize = 5;

/// The rounds of the first set's forms, and how near to the best of them a walk must come to go on.
const OPEN_ROUNDS: usize = 2;
const NEARLY_BEST: f64 = 0.85;

/// Of the forms that come this near to the best, the first is chosen, so that another run chooses the same: the best of a few short rounds
/// is known no better. In 20 repeats of one bandwidth, taking the best alone chose eight forms.
const AS_GOOD: f64 = 0.97;

/// The forms of one kernel, shared by all workers that run it.
#[derive(Debug)]
pub(crate) struct Forms {
    forms: Vec<Form>,
    current: AtomicUsize,
    on_trial: AtomicBool,
}

impl Forms {
    /// These forms, at least one; the first is current.
    pub(crate) fn new(forms: Vec<Form>) -> Self {
        assert!(!forms.is_empty(), "a kernel has code");
        Self { forms, current: AtomicUsize::new(0), on_trial: AtomicBool::new(false) }
    }

    /// The code to run.
    pub(crate) fn code(&self) -> KernelCode {
        self.current().code
    }

    fn current(&self) -> &Form {
        &self.forms[self.current.load(Ordering::Relaxed)]
    }

    /// Whether it is compared with others: workers then go as fast as they can, whatever their demand.
    pub(crate) fn on_trial(&self) -> bool {
        self.on_trial.load(Ordering::Relaxed)
    }

    /// Bytes of an array of which all forms can make whole steps.
    pub(crate) fn granule(&self) -> usize {
        let granules = self.forms.iter().map(|form| form.code.granule());
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
        all: impl FnOnce() -> Vec<Form>,
        fastest: &Fastest,
    ) -> Arc<Forms> {
        if let Some((_, forms)) = self.0.iter().find(|(known, _)| *known == occasion) {
            return Arc::clone(forms);
        }
        let forms = Forms::new(all());
        if let Some(&(_, rank)) = fastest.iter().find(|(known, _)| *known == occasion) {
            forms.current.store(rank, Ordering::Relaxed);
        }
        let forms = Arc::new(forms);
        self.0.push((occasion, Arc::clone(&forms)));
        forms
    }

    /// Compares the forms of each kernel, unless that was done before, and makes the fastest current: first the walks in one instruction
    /// set, then the better walks in all sets. `speed` runs all workers and returns the work that those with this kernel did; `None` if they did not
    /// run together. A trial ends early, after a round, if `patience` says so of the time it took.
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
            if forms.forms.len() < 2 || fastest.iter().any(|(known, _)| known == occasion) {
                continue;
            }
            forms.on_trial.store(true, Ordering::Relaxed);
            let mut best = vec![0.0f64; forms.forms.len()];
            let all = &forms.forms;
            let mut left: Vec<usize> = (0..all.len()).filter(|&rank| all[rank].set == all[0].set).collect();
            let began = Instant::now();
            // Rounds alternate, so that drift of the machine does not favor one form.
            for round in 0..ROUNDS {
                if round == OPEN_ROUNDS {
                    let fastest = best.iter().copied().fold(0.0, f64::max);
                    left.retain(|&rank| best[rank] < NEARLY_BEST * fastest);
                    let is_slow = |form: &Form| left.iter().any(|&slow| all[slow].walks_as(form));
                    left = (0..all.len()).filter(|&rank| !is_slow(&all[rank])).collect();
                    if left.len() < 2 {
                        break;
                    }
                    // All that go on have the same chances.
                    best.fill(0.0);
                }
                for &rank in &left {
                    forms.current.store(rank, Ordering::Relaxed);
                    best[rank] = best[rank].max(speed(occasion.kernel)?.unwrap_or(0.0));
                }
                if !patience(began.elapsed()) {
                    break;
                }
            }
            let most = best.iter().copied().fold(0.0, f64::max);
            let rank = best.iter().position(|&speed| speed >= AS_GOOD * most).unwrap_or(0);
            forms.current.store(rank, Ordering::Relaxed);
            forms.on_trial.store(false, Ordering::Relaxed);
            fastest.push((*occasion, rank));
        }
        Ok(())
    }

    /// The current form of every kernel that has several.
    pub(crate) fn forms(&self) -> KernelForms {
        let several = self.0.iter().filter(|(_, forms)| forms.forms.len() > 1);
        several.map(|(occasion, forms)| (occasion.kernel.to_string(), forms.current().words())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OCCASION: Occasion =
        Occasion { kernel: Kernel::Copy, access: Access::Sequential, asked: None, workers: 4, siblings: 1 };

    fn several(count: usize) -> Vec<Form> {
        let set = InstructionSet::Scalar64;
        let code = crate::kernels::codes(Kernel::Read, Access::Strided, set, 64)[0];
        (1..=count).map(|parts| Form { set, code: KernelCode { parts, ..code } }).collect()
    }

    #[test]
    fn the_form_that_was_once_fastest_is_chosen_and_remembered() {
        let mut fastest = Fastest::new();
        let mut choices = Choices::default();
        let forms = choices.add(OCCASION, || several(3), &fastest);
        // The second form is fastest, although a disturbed round of it is slow; the first does not come near.
        let runs = [(1, 5.0), (2, 1.0), (3, 6.0), (1, 5.5), (2, 7.0), (3, 6.1)];
        let rest = [(2, 2.0), (3, 6.2), (2, 6.8), (3, 6.0), (2, 6.9), (3, 6.1)];
        let mut to_come = runs.into_iter().chain(rest);
        let speed = |kernel| {
            assert_eq!(kernel, Kernel::Copy);
            assert!(forms.on_trial());
            let (parts, speed) = to_come.next().unwrap();
            assert_eq!(forms.code().parts, parts, "forms take turns");
            Ok::<_, ()>(Some(speed))
        };
        choices.compare(&mut fastest, speed, |_| true).unwrap();
        assert_eq!(to_come.next(), None);
        assert_eq!((forms.code().parts, forms.on_trial(), fastest[0]), (2, false, (OCCASION, 1)));
        let two_streams = "scalar64, 2 streams of each array".to_owned();
        assert_eq!(choices.forms(), KernelForms::from([("copy".to_owned(), two_streams)]));
        // The next workload of the kind uses the result.
        let mut choices = Choices::default();
        let forms = choices.add(OCCASION, || several(3), &fastest);
        choices.compare(&mut fastest, |_| -> Result<_, ()> { panic!("a second trial") }, |_| true).unwrap();
        assert_eq!(forms.code().parts, 2);
    }

    #[test]
    fn only_the_better_walks_are_tried_in_other_sets() {
        let mut choices = Choices::default();
        let all = || {
            let narrow = several(3).into_iter().map(|form| Form { set: InstructionSet::Scalar32, ..form });
            several(3).into_iter().chain(narrow).collect()
        };
        let mut fastest = Fastest::new();
        let forms = choices.add(OCCASION, all, &fastest);
        let mut runs = Vec::new();
        let speed = |_| {
            let Form { set, code } = *forms.current();
            runs.push((set, code.parts));
            let of_walk = [9.0, 5.0, 10.0][code.parts - 1];
            Ok::<_, ()>(Some(of_walk + if set == InstructionSet::Scalar32 { 1.5 } else { 0.0 }))
        };
        choices.compare(&mut fastest, speed, |_| true).unwrap();
        assert_eq!(choices.forms()["copy"], "scalar32, 3 streams of each array");
        let (wide, narrow) = (InstructionSet::Scalar64, InstructionSet::Scalar32);
        let open = [1, 2, 3].map(|parts| (wide, parts));
        let rest = [(wide, 1), (wide, 3), (narrow, 1), (narrow, 3)];
        assert_eq!(runs, [&open.repeat(OPEN_ROUNDS)[..], &rest.repeat(ROUNDS - OPEN_ROUNDS)].concat());
    }

    /// On a busy host, the trials of a survey's kernels alone took longer than its budget.
    #[test]
    fn a_trial_that_takes_too_long_ends_after_a_round() {
        let mut fastest = Fastest::new();
        let mut choices = Choices::default();
        let forms = choices.add(OCCASION, || several(3), &fastest);
        let mut runs = 0;
        let speed = |_| {
            runs += 1;
            Ok::<_, ()>(Some([2.0, 3.0, 1.0][runs - 1]))
        };
        choices.compare(&mut fastest, speed, |_| false).unwrap();
        assert_eq!((forms.code().parts, fastest[0], runs), (2, (OCCASION, 1), 3));
    }

    #[test]
    fn a_single_form_needs_no_trial_and_no_name() {
        let mut choices = Choices::default();
        choices.add(OCCASION, || several(1), &Fastest::new());
        choices.compare(&mut Fastest::new(), |_| -> Result<_, ()> { panic!("a trial") }, |_| true).unwrap();
        assert!(choices.forms().is_empty());
    }
}
