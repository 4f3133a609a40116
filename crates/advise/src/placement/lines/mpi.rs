//! Open MPI's `mpirun`.

use super::binding::{Spot, cpu_list};
use super::line::{Line, Tool};
use super::numactl::memory_option;
use crate::placement::candidate::Memory;

const SOURCE: &str = "https://docs.open-mpi.org/en/v5.0.x/man-openmpi/man1/mpirun.1.html";

pub(super) fn lines(spot: &Spot<'_>) -> Vec<Line> {
    let Some(option) = memory_option(spot.memory()) else { return Vec::new() };
    if matches!(spot.memory(), Memory::Weighted { .. }) {
        // Its weights are set by another line; this one alone would be wrong.
        return Vec::new();
    }
    let wrapped = match spot.memory() {
        Memory::Local => "./program".to_owned(),
        _ => format!("numactl {option} ./program"),
    };
    let crowded = spot.shares_cores();
    if let Some(each) = spot.even_on_all().filter(|_| !crowded) {
        let text =
            format!("mpirun -n {} --map-by ppr:{each}:numa --bind-to core {wrapped}", spot.program.threads);
        return vec![Line::shell(Tool::OpenMpi, text, SOURCE).note("one process per thread")];
    }
    let parts: Vec<String> = spot
        .cpus
        .values()
        .map(|cpus| format!("-n {} numactl --physcpubind={} {option} ./program", cpus.len(), cpu_list(cpus)))
        .collect();
    // Its slots are cores: it refuses to start more processes.
    let slots = if crowded { "--map-by slot:OVERSUBSCRIBE " } else { "" };
    let text = format!("mpirun {slots}--bind-to none {}", parts.join(" : "));
    let mut note =
        "one process per thread; numactl binds the processes to their nodes instead of mpirun".to_owned();
    if crowded {
        note.push_str("; OVERSUBSCRIBE, because there are more processes than cores");
    }
    vec![Line::shell(Tool::OpenMpi, text, SOURCE).note(note)]
}
