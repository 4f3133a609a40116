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

pub(crate) use code::KernelCode;

/// The code of a kernel, if it exists for this processor and `set`.
pub(crate) fn code(kernel: Kernel, access: Access, set: InstructionSet) -> Option<KernelCode> {
    if !instruction_sets().contains(&set) {
        return None;
    }
    let code = match (access, set) {
        (Access::Strided, _) => by_line::strided(kernel),
        (Access::Random, _) => by_line::random(kernel),
        (Access::Sequential, InstructionSet::Scalar64) => scalar::code::<f64>(kernel),
        (Access::Sequential, InstructionSet::Scalar32) => scalar::code::<f32>(kernel),
        (Access::Sequential, _) => vector::code(kernel, set),
    }?;
    debug_assert_eq!(code.traffic, kernel.traffic(), "traffic of {kernel} in {set}");
    Some(code)
}

/// Instruction sets that this processor has and that have kernels, widest first.
pub(crate) fn instruction_sets() -> Vec<InstructionSet> {
    let mut sets = vector::instruction_sets();
    sets.extend([InstructionSet::Scalar64, InstructionSet::Scalar32]);
    sets
}
