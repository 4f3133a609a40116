//! A process that runs already.

use super::binding::Spot;
use super::line::{Kind, Line, Tool};
use crate::placement::candidate::Memory;

const MIGRATEPAGES: &str = "https://man7.org/linux/man-pages/man8/migratepages.8.html";

const MOVE_PAGES: &str = "https://man7.org/linux/man-pages/man2/move_pages.2.html";

const TASKSET: &str = "https://man7.org/linux/man-pages/man1/taskset.1.html";

pub(super) fn lines(spot: &Spot<'_>) -> Vec<Line> {
    let threads = format!("taskset -a -c -p {} PID", spot.cpu_list());
    match spot.memory() {
        Memory::OnNode { node } => {
            let text = format!("{threads}\nmigratepages PID all {node}");
            vec![Line::shell(Tool::Running, text, MIGRATEPAGES)
                .note("PID is the process; check the outcome with `zerohop where PID`; new pages follow first touch")]
        }
        Memory::Interleaved { nodes } => {
            let count = nodes.len();
            let names: Vec<String> = nodes.iter().map(ToString::to_string).collect();
            let text = format!(
                "int targets[{count}] = {{{}}};\n\
                 for (unsigned long i = 0; i < count; i++) nodes[i] = targets[i % {count}];\n\
                 move_pages(pid, count, pages, nodes, status, MPOL_MF_MOVE);",
                names.join(", ")
            );
            vec![
                Line::shell(Tool::Running, threads, TASKSET)
                    .note("PID is the process; its threads move at once, but its pages stay where they are"),
                Line::shell(Tool::MovePages, text, MOVE_PAGES).with(Kind::C).note(
                    "#include <numaif.h>, link with -lnuma; `pages` holds the addresses of `count` pages of process `pid`",
                ),
            ]
        }
        _ => vec![Line::shell(Tool::Running, threads, TASKSET).note(
            "PID is the process; its threads move at once, but its pages stay where they are: restart it to place them",
        )],
    }
}
