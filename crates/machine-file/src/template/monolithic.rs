//! Processors whose cores and memory controllers share one fabric, perhaps divided into clusters (SNC, COD, dies).

use super::draft::{Basis, Draft};
use super::parts::{self, Cores, inner_wire, link, more_memory, socket_links, socket_wire};
use super::plan::Plan;

/// Writes the machine file.
pub(super) fn write(plan: &Plan<'_>) -> String {
    let mut draft = Draft::default();
    let known = &plan.known;
    parts::head(&mut draft, plan);
    // 128 cores on three dies are 43, 43 and 42: a last-level cache that fewer cores share makes them another kind.
    let (cores, more) = (known.cores / known.nodes, known.cores % known.nodes);
    let slice = known.l3.get() / u64::from(known.nodes);
    let kinds = [(true, "core"), (false, if more > 0 { "fewer" } else { "core" })];
    for (is_larger, name) in kinds.into_iter().filter(|(is_larger, _)| !is_larger || more > 0) {
        let sharing = cores + u32::from(is_larger);
        parts::core(&mut draft, plan, &Cores { name, sharing, slice, groups: known.nodes });
    }
    parts::memory(&mut draft, plan);
    socket_wire(&mut draft, plan);
    // Where the links to other sockets and to CXL devices begin.
    let is_star = known.nodes > 1 && !plan.is_row();
    let hub = |socket: u32| match is_star {
        true => format!("S{socket}"),
        false => plan.node(socket, (known.nodes - 1) / 2).to_string(),
    };
    let nodes = (0..plan.nodes()).map(|node| node.to_string());
    let hubs = (0..known.sockets).filter(|_| is_star).map(hub);
    parts::routers(&mut draft, plan, nodes.chain(hubs));
    if known.nodes > 1 {
        clusters(&mut draft, plan, &hub);
    }
    match plan.cluster_links() {
        Some(count) => {
            for rank in 0..known.nodes {
                let ends = [0, 1].map(|socket| plan.node(socket, rank).to_string());
                link(&mut draft, &ends, "socket", count, &plan.basis("generation.cluster_links"));
            }
        }
        None => socket_links(&mut draft, plan, hub),
    }
    for node in 0..plan.nodes() {
        let channels = known.channels / known.nodes;
        let memory = u64::from(channels * known.dimms) * known.dimm.get();
        draft.table(&format!("node.{node}"));
        draft.source(&plan.basis("known.channels"));
        draft.plain("package", &(node / known.nodes).to_string());
        let is_larger = node % known.nodes < more;
        let (kind, count) = if is_larger { ("core", cores + 1) } else { (kinds[1].1, cores) };
        draft.plain("cores", &format!("{{ kind = \"{kind}\", count = {count} }}"));
        draft.plain("memory", &format!("\"{memory} B\""));
        let parts = channels * plan.generation.parts;
        for (key, kind) in [("channels", "dimm"), ("homes", "home")] {
            draft.plain(key, &format!("{{ kind = \"{kind}\", count = {parts}, interleave = \"256 B\" }}"));
        }
    }
    more_memory(&mut draft, plan, hub);
    parts::tail(&mut draft, plan);
    draft.into_text()
}

/// Wires between the clusters of a socket: a star or a row.
fn clusters(draft: &mut Draft, plan: &Plan<'_>, hub: &impl Fn(u32) -> String) {
    // Without a limit of its own, a wire passes whatever the whole socket's memory delivers.
    let (read, basis) = match plan.generation.cluster_read {
        Some(read) => (read.get(), plan.basis("generation.cluster_read")),
        None => (1000.0, Basis::assumed("the fabric is no bottleneck")),
    };
    let latency = plan
        .basis("generation.cluster")
        .computed("chosen so that the idle latency of another cluster is as stated");
    inner_wire(
        draft,
        "cluster",
        &(read, basis.clone()),
        &(read, basis.clone()),
        &(plan.times.cluster.get(), latency),
    );
    let first = u32::from(plan.is_row());
    for socket in 0..plan.known.sockets {
        for rank in first..plan.known.nodes {
            let near = if plan.is_row() { plan.node(socket, rank - 1).to_string() } else { hub(socket) };
            let ends = [near, plan.node(socket, rank).to_string()];
            link(draft, &ends, "cluster", 1, &plan.basis("known.nodes"));
        }
    }
}
