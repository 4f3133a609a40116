//! `taskset`.

use super::binding::Spot;
use super::line::{Line, Tool};

const SOURCE: &str = "https://man7.org/linux/man-pages/man1/taskset.1.html";

pub(super) fn lines(spot: &Spot<'_>) -> Vec<Line> {
    // It says nothing of memory: the kernel's default has to be what is meant.
    if !spot.is_first_touch() {
        return Vec::new();
    }
    let line = Line::shell(Tool::Taskset, format!("taskset -c {} ./program", spot.cpu_list()), SOURCE);
    vec![line.note("memory follows first touch")]
}
