//! What to type for a placement: a file for each tool.
//!
//! Only options that the tool documents are used, and only where they put threads and pages where the placement says.

mod binding;
mod c;
mod databases;
mod jvm;
mod kubernetes;
mod line;
mod mpi;
mod numactl;
mod openmp;
mod running;
mod slurm;
mod taskset;

use zerohop_machine::Machine;

use super::candidate::Candidate;
use super::program::Program;

pub(crate) use binding::{Spot, cpu_list};
pub use line::{Kind, Line, Tool};
pub(crate) use openmp::lines as openmp_lines;

/// What each tool needs for a placement. A tool that cannot say it has no line.
pub(crate) fn lines(program: &Program, machine: &Machine, candidate: &Candidate) -> Vec<Line> {
    let spot = Spot::new(program, machine, candidate);
    let of_tools: [fn(&Spot<'_>) -> Vec<Line>; 10] = [
        numactl::lines,
        taskset::lines,
        openmp::lines,
        mpi::lines,
        slurm::lines,
        kubernetes::lines,
        c::lines,
        running::lines,
        jvm::lines,
        databases::lines,
    ];
    of_tools.into_iter().flat_map(|of_tool| of_tool(&spot)).collect()
}
