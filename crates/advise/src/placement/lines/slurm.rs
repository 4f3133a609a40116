//! Slurm's `srun`.

use super::binding::Spot;
use super::line::{Line, Tool};
use super::numactl::memory_option;
use crate::placement::candidate::{Memory, list};

const SOURCE: &str = "https://slurm.schedmd.com/srun.html";

pub(super) fn lines(spot: &Spot<'_>) -> Vec<Line> {
    let cpus = list(&spot.in_order());
    let start =
        format!("srun --exclusive --nodes=1 --ntasks={} --cpu-bind=map_cpu:{cpus}", spot.program.threads);
    let text = match spot.memory() {
        Memory::Local => format!("{start} --mem-bind=local ./program"),
        Memory::OnNode { node } => format!("{start} --mem-bind=map_mem:{node} ./program"),
        Memory::Preferred { .. } | Memory::Interleaved { .. } => match memory_option(spot.memory()) {
            Some(option) => format!("{start} numactl {option} ./program"),
            None => return Vec::new(),
        },
        Memory::Apart { .. } | Memory::Weighted { .. } => return Vec::new(),
    };
    vec![
        Line::shell(Tool::Slurm, text, SOURCE).note(
            "one task per thread; needs task/affinity or task/cgroup in TaskPlugin, and the whole node",
        ),
    ]
}
