//! The Java virtual machine.

use super::binding::Spot;
use super::line::{Line, Tool};
use super::numactl::memory_option;
use crate::placement::candidate::Memory;

const SOURCE: &str = "https://docs.oracle.com/en/java/javase/21/docs/specs/man/java.html";

pub(super) fn lines(spot: &Spot<'_>) -> Vec<Line> {
    let cpus = spot.cpu_list();
    let text = match spot.memory() {
        Memory::Local => {
            format!("numactl --physcpubind={cpus} java -XX:+UseParallelGC -XX:+UseNUMA -jar program.jar")
        }
        memory @ (Memory::OnNode { .. } | Memory::Preferred { .. } | Memory::Interleaved { .. }) => {
            let Some(option) = memory_option(memory) else { return Vec::new() };
            format!("numactl --physcpubind={cpus} {option} java -XX:+AlwaysPreTouch -jar program.jar")
        }
        Memory::Apart { .. } | Memory::Weighted { .. } => return Vec::new(),
    };
    vec![match spot.memory() {
        Memory::Local => Line::shell(Tool::Jvm, text, SOURCE)
            .note("UseNUMA gives each node a part of the young generation, from which its threads allocate"),
        _ => Line::shell(Tool::Jvm, text, SOURCE).note(
            "AlwaysPreTouch touches the heap at startup, so that all of it is placed before the program runs",
        ),
    }]
}
