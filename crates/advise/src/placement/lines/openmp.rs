//! OpenMP's environment variables.

use super::binding::Spot;
use super::line::{Line, Tool};
use super::numactl::memory_option;
use crate::placement::candidate::Memory;

const SOURCE: &str = "https://www.openmp.org/spec-html/5.2/openmpch21.html";

pub(crate) fn lines(spot: &Spot<'_>) -> Vec<Line> {
    let places: Vec<String> = spot.in_order().iter().map(|pu| format!("{{{pu}}}")).collect();
    let variables =
        format!("OMP_NUM_THREADS={} OMP_PLACES='{}' OMP_PROC_BIND=close", places.len(), places.join(","));
    let prefix = match spot.memory() {
        Memory::Apart { .. } => return Vec::new(),
        Memory::Local => String::new(),
        memory => memory_option(memory).map_or_else(String::new, |option| format!("numactl {option} ")),
    };
    let line = Line::shell(Tool::OpenMp, format!("{variables} {prefix}./program"), SOURCE);
    vec![match spot.memory() {
        Memory::Local => line
            .note("initialize arrays in a parallel loop with the same schedule as the loops that use them"),
        _ => line,
    }]
}
