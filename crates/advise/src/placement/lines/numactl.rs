//! `numactl`.

use super::binding::Spot;
use super::line::{Line, Tool};
use crate::placement::candidate::{Memory, list};

const SOURCE: &str = "https://man7.org/linux/man-pages/man8/numactl.8.html";

/// Where the kernel keeps the weights of nodes.
const WEIGHTS: &str = "/sys/kernel/mm/mempolicy/weighted_interleave";

pub(super) fn lines(spot: &Spot<'_>) -> Vec<Line> {
    let Some(memory) = memory_option(spot.memory()) else { return Vec::new() };
    let start = format!("numactl --physcpubind={} {memory} ./program", spot.cpu_list());
    let mut lines = Vec::new();
    let line = match spot.memory() {
        Memory::Weighted { weights } => {
            let set: Vec<String> =
                weights.iter().map(|(node, weight)| format!("echo {weight} > {WEIGHTS}/node{node}")).collect();
            let text = format!("{}\n{start}", set.join("\n"));
            Line::shell(Tool::Numactl, text, SOURCE)
                .note("the weights need root and Linux 6.9, and the option needs numactl 2.0.19; the weights apply to the whole machine")
        }
        Memory::Local => Line::shell(Tool::Numactl, start, SOURCE)
            .note("each thread must write its own data first, and stay on its node: pin it with OMP_PROC_BIND or the library"),
        _ => Line::shell(Tool::Numactl, start, SOURCE),
    };
    lines.push(line);
    lines
}

/// The option for where memory comes from; `None` where each thread needs its own.
pub(crate) fn memory_option(memory: &Memory) -> Option<String> {
    Some(match memory {
        Memory::Local => "--localalloc".to_owned(),
        Memory::OnNode { node } => format!("--membind={node}"),
        Memory::Preferred { node, .. } => format!("--preferred={node}"),
        Memory::Interleaved { nodes } => format!("--interleave={}", list(nodes)),
        Memory::Weighted { weights } => {
            let nodes: Vec<_> = weights.iter().map(|(node, _)| node).collect();
            format!("--weighted-interleave={}", list(&nodes))
        }
        Memory::Apart { .. } => return None,
    })
}
