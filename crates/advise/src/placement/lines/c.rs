//! libnuma and `mbind` in C.

use super::binding::Spot;
use super::line::{Kind, Line, Tool};
use crate::placement::candidate::{Memory, list};

const LIBNUMA: &str = "https://man7.org/linux/man-pages/man3/numa.3.html";

const MBIND: &str = "https://man7.org/linux/man-pages/man2/mbind.2.html";

pub(super) fn lines(spot: &Spot<'_>) -> Vec<Line> {
    let mut lines = Vec::new();
    lines.extend(libnuma(spot).map(|(text, note)| {
        Line::shell(Tool::Libnuma, text, LIBNUMA)
            .with(Kind::C)
            .note(format!("#include <numa.h>, link with -lnuma{note}"))
    }));
    lines.extend(mbind(spot).map(|text| {
        Line::shell(Tool::Mbind, text, MBIND)
            .with(Kind::C)
            .note("#include <numaif.h>, link with -lnuma; before the first touch of the pages from `data` on, which mmap returned")
    }));
    lines
}

fn libnuma(spot: &Spot<'_>) -> Option<(String, &'static str)> {
    Some(match spot.memory() {
        Memory::Local => (
            "numa_run_on_node(node);                 /* in each thread, with its node */\n\
             double *own = numa_alloc_local(bytes);"
                .to_owned(),
            "",
        ),
        Memory::OnNode { node } => (format!("double *data = numa_alloc_onnode(bytes, {node});"), ""),
        Memory::Preferred { node, .. } => {
            (format!("numa_set_preferred({node});\ndouble *data = numa_alloc(bytes);"), "")
        }
        Memory::Interleaved { nodes } => (
            format!(
                "struct bitmask *nodes = numa_parse_nodestring(\"{}\");\n\
                 double *data = numa_alloc_interleaved_subset(bytes, nodes);",
                list(nodes)
            ),
            "",
        ),
        Memory::Apart { threads_on, node } => (
            format!(
                "numa_run_on_node({threads_on});                    /* half of its threads: */\n\
                 double *own = numa_alloc_onnode(bytes, {node});"
            ),
            "; the other threads use numa_alloc_local",
        ),
        Memory::Weighted { .. } => return None,
    })
}

fn mbind(spot: &Spot<'_>) -> Option<String> {
    let (mode, nodes) = match spot.memory() {
        Memory::OnNode { node } => ("MPOL_BIND", vec![*node]),
        Memory::Preferred { node, .. } => ("MPOL_PREFERRED", vec![*node]),
        Memory::Interleaved { nodes } => ("MPOL_INTERLEAVE", nodes.clone()),
        Memory::Apart { node, .. } => ("MPOL_BIND", vec![*node]),
        Memory::Local | Memory::Weighted { .. } => return None,
    };
    // More nodes than bits in a word need an array, which nobody would paste.
    let mask = nodes.iter().try_fold(0u64, |mask, node| (node.0 < 63).then(|| mask | 1 << node.0))?;
    Some(format!(
        "unsigned long nodes = {mask:#x};\nmbind(data, bytes, {mode}, &nodes, 8 * sizeof nodes, 0);"
    ))
}
