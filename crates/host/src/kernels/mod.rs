//! The bandwidth kernels: for each, one pass over its arrays in a given instruction set.
//!
//! Vector kernels are inline assembly, because the instruction sequence is the experiment and must not depend on how
//! a compiler translates a loop. Each kernel declares its traffic on the same line as its instructions; [`code()`] checks
//! that against the published [`Kernel::traffic`].

mod by_line;
mod code;
mod scalar;
#[cfg_attr(target_arch = "x86_64", path = "x86_64.rs")]
#[cfg_attr(target_arch = "aarch64", path = "aarch64.rs")]
mod vector;

#[cfg(test)]
mod tests;

use zerohop_workload::{Access, InstructionSet, Kernel};

pub(crate) use code::{Form, KernelCode, finish};

/// The forms of a kernel's code; none if it does not exist for this processor and `set`. Which form is fastest depends on the
/// processor: a trial decides. Lines are `line` bytes long where a kernel makes one access to each.
pub(crate) fn codes(kernel: Kernel, access: Access, set: InstructionSet, line: usize) -> Vec<KernelCode> {
    if !instruction_sets().contains(&set) {
        return Vec::new();
    }
    let codes = match (access, set) {
        (Access::Strided, _) => by_line::strided(kernel, line).into_iter().collect(),
        (Access::Random, _) => by_line::random(kernel, line).into_iter().collect(),
        (Access::Sequential, InstructionSet::Scalar64) => scalar::code::<f64>(kernel).into_iter().collect(),
        (Access::Sequential, InstructionSet::Scalar32) => scalar::code::<f32>(kernel).into_iter().collect(),
        (Access::Sequential, _) => vector::codes(kernel, set),
    };
    debug_assert!(codes.iter().all(|code| code.traffic == kernel.traffic()), "traffic of {kernel} in {set}");
    codes
}

/// The streams that the prefetchers of a core follow at the same time: 32 in Intel's second-level streamer, one in each page of
/// 4 KiB (Intel 64 and IA-32 Architectures Optimization Reference Manual, "Data Prefetch to L2 and L3"). PUs of one core share them.
const STREAMS_OF_A_CORE: usize = 32;

/// The forms whose streams a core's prefetchers can follow when it runs this number of workers; at least the one with the
/// fewest streams.
pub(crate) fn followed(mut forms: Vec<Form>, kernel: Kernel, workers_of_a_core: usize) -> Vec<Form> {
    let streams = |form: &Form| form.code.parts * kernel.arrays() as usize * workers_of_a_core;
    let fewest = forms.iter().map(streams).min().unwrap_or(0);
    forms.retain(|form| streams(form) <= STREAMS_OF_A_CORE.max(fewest));
    forms
}

/// The forms of a kernel that a trial compares: those in all vectors of `sets`, because the widest are not always the fastest. Where vectors are
/// not used, there is only the first set.
pub(crate) fn on_trial(kernel: Kernel, access: Access, sets: &[InstructionSet], line: usize) -> Vec<Form> {
    let forms = |&set: &InstructionSet| {
        let codes = codes(kernel, access, set, line).into_iter();
        codes.map(|code| Form { set, code }).collect::<Vec<_>>()
    };
    let by_set: Vec<Vec<Form>> = sets.iter().map(forms).filter(|forms| !forms.is_empty()).collect();
    let uses_vectors =
        |forms: &&Vec<Form>| access == Access::Sequential && forms.iter().all(|form| !form.set.is_scalar());
    let sets = by_set.iter().take_while(uses_vectors).count().max(1);
    by_set.into_iter().take(sets).flatten().collect()
}

/// Instruction sets that this processor has and that have kernels, widest first.
pub(crate) fn instruction_sets() -> Vec<InstructionSet> {
    let mut sets = vector::instruction_sets();
    sets.extend([InstructionSet::Scalar64, InstructionSet::Scalar32]);
    sets
}
