//! CPU dies around an I/O die of four quadrants, each with a quarter of the memory channels.

use super::draft::{Basis, Draft};
use super::parts::{self, Cores, inner_wire, link, more_memory, socket_links, socket_wire};
use super::plan::Plan;

/// Quadrants of an I/O die.
pub(super) const QUADRANTS: u32 = 4;

/// Writes the machine file.
pub(super) fn write(plan: &Plan<'_>) -> String {
    let mut draft = Draft::default();
    let (known, generation) = (&plan.known, &plan.generation);
    let ccds = known.ccds.unwrap_or(1);
    let groups = ccds * generation.l3_per_ccd;
    let sharing = (known.cores / groups).max(1);
    parts::head(&mut draft, plan);
    let slice = known.l3.get() / u64::from(groups);
    parts::core(&mut draft, plan, &Cores { name: "core", sharing, slice, groups: generation.l3_per_ccd });
    parts::memory(&mut draft, plan);
    socket_wire(&mut draft, plan);
    wires(&mut draft, plan);
    let hub = |socket: u32| format!("S{socket}");
    let names = |socket: u32| {
        let quadrants = (0..QUADRANTS).map(move |quadrant| name(socket, quadrant));
        let dies = (0..ccds).map(move |ccd| ccd_name(socket, ccd));
        std::iter::once(hub(socket)).chain(quadrants).chain(dies)
    };
    parts::routers(&mut draft, plan, (0..known.sockets).flat_map(names));
    socket_links(&mut draft, plan, hub);
    for socket in 0..known.sockets {
        for quadrant in 0..QUADRANTS {
            let ends = [hub(socket), name(socket, quadrant)];
            link(&mut draft, &ends, "fabric", 1, &Basis::assumed("quadrants around a switch"));
        }
        for ccd in 0..ccds {
            let ends = [name(socket, ccd % QUADRANTS), ccd_name(socket, ccd)];
            link(&mut draft, &ends, "gmi", known.gmi.unwrap_or(1), &plan.basis("known.gmi"));
        }
        for rank in 0..known.nodes {
            node(&mut draft, plan, socket, rank);
        }
    }
    more_memory(&mut draft, plan, hub);
    parts::tail(&mut draft, plan);
    draft.into_text()
}

fn wires(draft: &mut Draft, plan: &Plan<'_>) {
    let generation = &plan.generation;
    let wide = Basis::assumed("the fabric of the I/O die is no bottleneck");
    let across = match generation.cluster {
        Some(_) => plan
            .basis("generation.cluster")
            .computed("chosen so that the idle latency of another quadrant is as stated"),
        None => Basis::assumed("another quadrant adds about ten nanoseconds"),
    };
    inner_wire(
        draft,
        "fabric",
        &(1000.0, wide.clone()),
        &(1000.0, wide),
        &(plan.times.cluster.get(), across),
    );
    let read = generation.gmi_read.map_or(50.0, zerohop_units::GigabytesPerSecond::get);
    let write = generation.gmi_write.map_or(read / 2.0, zerohop_units::GigabytesPerSecond::get);
    inner_wire(
        draft,
        "gmi",
        &(read, plan.basis("generation.gmi_read")),
        &(write, plan.basis("generation.gmi_write")),
        &(2.0, Basis::assumed("short wires within the package")),
    );
}

fn node(draft: &mut Draft, plan: &Plan<'_>, socket: u32, rank: u32) {
    let known = &plan.known;
    let quadrants = QUADRANTS / known.nodes;
    let first = rank * quadrants;
    let own = |quadrant: u32| (first..first + quadrants).contains(&quadrant);
    let populated = known.channels / known.nodes;
    let channels = populated * plan.generation.parts;
    // Channels of a quadrant one after the other, as evenly as possible.
    let at: Vec<String> =
        (0..channels).map(|channel| name(socket, first + channel * quadrants / channels)).collect();
    let ccds = (0..known.ccds.unwrap_or(1)).filter(|ccd| own(ccd % QUADRANTS));
    let ccds: Vec<String> = ccds.map(|ccd| ccd_name(socket, ccd)).collect();
    let cores = known.cores / known.ccds.unwrap_or(1) * u32::try_from(ccds.len()).unwrap_or(0);
    draft.table(&format!("node.{}", plan.node(socket, rank)));
    draft.source(&plan.basis("known.channels"));
    draft.plain("router", &format!("\"{}\"", name(socket, first)));
    draft.plain("package", &socket.to_string());
    draft.plain("cores", &format!("{{ kind = \"core\", count = {cores}, at = {} }}", names(&ccds)));
    let memory = u64::from(populated * known.dimms) * known.dimm.get();
    draft.plain("memory", &format!("\"{memory} B\""));
    for (key, kind) in [("channels", "dimm"), ("homes", "home")] {
        draft.plain(
            key,
            &format!(
                "{{ kind = \"{kind}\", count = {channels}, at = {}, interleave = \"256 B\" }}",
                names(&at)
            ),
        );
    }
}

fn name(socket: u32, quadrant: u32) -> String {
    format!("S{socket}Q{quadrant}")
}

fn ccd_name(socket: u32, ccd: u32) -> String {
    format!("S{socket}C{ccd}")
}

fn names(list: &[String]) -> String {
    zerohop_document::names(list.iter().map(String::as_str))
}
