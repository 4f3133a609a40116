//! Parts that processors of every structure have.

use super::channel;
use super::draft::{Basis, Draft};
use super::plan::Plan;

/// Size of a kind of link's data packets: what they leave of the raw rate as data is what was measured.
const LINE: f64 = 64.0;

/// Text of a time.
pub(super) fn ns(time: f64) -> String {
    format!("\"{time:.2} ns\"")
}

/// The head of the file.
pub(super) fn head(draft: &mut Draft, plan: &Plan<'_>) {
    draft.text("title", &plan.heading());
    draft.source(&Basis::documented(&format!("template {}", plan.template)));
    draft.table("processor");
    draft.text("vendor", plan.vendor);
    draft.text("model", plan.model);
    draft.table("prediction");
    draft.text("template", plan.template);
    draft.plain("assumed", &zerohop_document::names(plan.assumed.iter().map(String::as_str)));
    if !plan.errors.is_empty() {
        draft.plain("errors", &zerohop_document::names(plan.errors.iter().map(String::as_str)));
    }
}

/// A kind of core.
pub(super) struct Cores {
    pub(super) name: &'static str,
    /// Number of cores that share a last-level cache.
    pub(super) sharing: u32,
    /// Size of the cache in bytes.
    pub(super) slice: u64,
    /// Last-level caches that the cores of a CPU die, or of a socket without dies, have.
    pub(super) groups: u32,
}

/// Writes a kind of core.
pub(super) fn core(draft: &mut Draft, plan: &Plan<'_>, cores: &Cores) {
    let &Cores { name: kind, sharing, slice, groups } = cores;
    let (known, generation) = (&plan.known, &plan.generation);
    let cycles = |cycles: u32| ns(f64::from(cycles) * 1e9 / known.clock.get());
    let (_, local) = plan.local();
    let solved = plan.basis(local).computed("chosen so that the idle local latency is as stated");
    draft.table(&format!("core.{kind}"));
    draft.value("clock", quantity(known.clock), &plan.basis("known.clock"));
    draft.value("threads", known.threads.to_string(), &plan.basis("known.threads"));
    draft.value(
        "issue",
        ns(0.0),
        &Basis::assumed("the lines in flight limit a core, not its rate of misses"),
    );
    draft.value("to_router", ns(0.6 * plan.times.core.get()), &solved);
    draft.value("from_router", ns(0.4 * plan.times.core.get()), &solved);
    draft.value("evictions", generation.evictions.to_string(), &plan.basis("generation.evictions"));
    let combining = plan.basis("generation.write_combining");
    draft.value("write_combining", generation.write_combining.to_string(), &combining);
    draft.table(&format!("core.{kind}.in_flight"));
    let alone = [
        ("sequential", generation.sequential, "generation.sequential"),
        ("strided", generation.random, "generation.random"),
        ("random", generation.random, "generation.random"),
    ];
    for (key, lines, path) in alone {
        draft.value(key, lines.to_string(), &plan.basis(path));
    }
    let caches = [
        ("l1i", 1, "instructions", generation.l1i.get(), "generation.l1i", None),
        (
            "l1d",
            1,
            "data",
            generation.l1d.get(),
            "generation.l1d",
            Some((cycles(generation.l1d_cycles), "generation.l1d_cycles")),
        ),
        (
            "l2",
            2,
            "both",
            generation.l2.get(),
            "generation.l2",
            Some((cycles(generation.l2_cycles), "generation.l2_cycles")),
        ),
        ("l3", 3, "both", slice, "known.l3", Some((ns(plan.l3_latency().get()), "generation.l3_latency"))),
    ];
    for (name, level, holds, size, path, latency) in caches {
        draft.table(&format!("core.{kind}.cache.{name}"));
        draft.plain("level", &level.to_string());
        draft.text("holds", holds);
        draft.value("size", format!("\"{size} B\""), &plan.basis(path));
        if name == "l3" {
            draft.value("shared_by", sharing.to_string(), &plan.basis("known.cores"));
            if let Some(misses) = generation.shared_misses {
                let basis = plan.basis("generation.shared_misses");
                draft.value("misses", (misses / groups).max(1).to_string(), &basis);
            }
        }
        if let Some((latency, path)) = latency {
            draft.value("latency", latency, &plan.basis(path));
        }
    }
}

/// The kinds of channel and home agent of its DIMMs.
pub(super) fn memory(draft: &mut Draft, plan: &Plan<'_>) {
    let kind = channel::Kind {
        name: "dimm",
        technology: plan.technology,
        dimms: plan.known.dimms,
        parts: plan.generation.parts,
        reads: plan.efficiency(),
        store_gap: Some((plan.generation.store_gap.get(), plan.basis("generation.store_gap")))
            .filter(|gap| gap.0 > 0.0),
        rate: ("rate", quantity(plan.known.rate), plan.basis("known.rate")),
    };
    channel::write(draft, plan, &kind);
    home(draft, "home");
    if let Some(lines) = plan.generation.cluster_lines.filter(|_| plan.known.nodes > 1) {
        let agents = plan.known.channels / plan.known.nodes * plan.generation.parts;
        let basis =
            plan.basis("generation.cluster_lines").computed("divided among the home agents of a node");
        draft.value("outbound_limit", lines.div_ceil(agents.max(1)).to_string(), &basis);
        draft.text("outbound_from", "router");
    }
}

/// A kind of home agent.
fn home(draft: &mut Draft, name: &str) {
    draft.table(&format!("home.{name}"));
    draft.source(&Basis::assumed("no limit: the channel is the narrower one"));
    draft.plain("latency", &ns(5.0));
    draft.plain("slot", &ns(0.3));
    for limit in ["table", "local_limit", "remote_limit"] {
        draft.plain(limit, "256");
    }
    draft.text("on_full", "wait");
}

/// The kind of link between sockets.
pub(super) fn socket_wire(draft: &mut Draft, plan: &Plan<'_>) {
    let (known, generation) = (&plan.known, &plan.generation);
    if known.sockets == 1 {
        return;
    }
    draft.table("wire.socket");
    draft.value("lanes", generation.link_bits.to_string(), &plan.basis("generation.link_bits"));
    draft.value("rate", quantity(known.link_rate), &plan.basis("known.link_rate"));
    let (_, remote) = plan.remote();
    let solved = plan.basis(remote).computed("chosen so that the idle remote latency is as stated");
    draft.value("latency", ns(plan.times.link.get()), &solved);
    draft.table("wire.socket.packets");
    let (link_data, basis) = plan.link_data();
    let data = basis.computed("a line as a share of the raw rate");
    let small = Basis::assumed("a slot of a flit");
    for packet in ["request", "probe", "response"] {
        draft.value(packet, "\"8 B\"", &small);
    }
    let bytes = (LINE / link_data).round();
    draft.value("data", format!("\"{bytes} B\""), &data);
    draft.value("write", format!("\"{} B\"", bytes + 8.0), &data.computed("and a request"));
    draft.value("credit", "\"0 B\"", &Basis::assumed("it is carried by flits that are sent anyway"));
    buffers(draft, "socket", 4096);
}

/// A kind of link within a package or to a device: lines pass at `read` and `write` GB/s.
pub(super) fn inner_wire(
    draft: &mut Draft,
    name: &str,
    read: &(f64, Basis),
    write: &(f64, Basis),
    latency: &(f64, Basis),
) {
    draft.table(&format!("wire.{name}"));
    draft.value("capacity", format!("\"{:.2} GB/s\"", read.0), &read.1);
    draft.value("latency", ns(latency.0), &latency.1);
    draft.table(&format!("wire.{name}.packets"));
    let own = Basis::assumed("requests have their own wires");
    for packet in ["request", "probe", "response"] {
        draft.value(packet, "\"1 B\"", &own);
    }
    draft.value("data", "\"64 B\"", &read.1);
    draft.value("write", format!("\"{} B\"", (LINE * read.0 / write.0).round()), &write.1);
    draft.value("credit", "\"0 B\"", &own);
    buffers(draft, name, 4096);
}

fn buffers(draft: &mut Draft, wire: &str, count: u32) {
    draft.table(&format!("wire.{wire}.buffers"));
    draft.source(&Basis::assumed("enough for a link without contention"));
    for kind in ["request", "write", "probe", "response"] {
        draft.plain(kind, &count.to_string());
    }
}

/// Routers of these names, and routers of memory without cores.
pub(super) fn routers(draft: &mut Draft, plan: &Plan<'_>, names: impl Iterator<Item = String>) {
    let hbm = if plan.known.hbm.is_some() { plan.known.sockets } else { 0 };
    let more = (plan.nodes()..plan.nodes() + hbm + plan.cxl()).map(|node| format!("M{node}"));
    for name in names.chain(more) {
        draft.table(&format!("router.{name}"));
    }
}

/// Links between sockets whose ends `hub` names.
pub(super) fn socket_links(draft: &mut Draft, plan: &Plan<'_>, hub: impl Fn(u32) -> String) {
    let (count, pairs) = plan.joined();
    for [one, other] in pairs {
        let ends = [hub(one), hub(other)];
        link(draft, &ends, "socket", count, &plan.basis("known.links"));
    }
}

pub(super) fn link(draft: &mut Draft, ends: &[String; 2], wire: &str, count: u32, basis: &Basis) {
    let [one, other] = ends;
    draft.table(&format!("link.{one}-{other}"));
    draft.source(basis);
    draft.plain("ends", &format!("[\"{one}\", \"{other}\"]"));
    draft.text("wire", wire);
    draft.plain("count", &count.to_string());
}

/// Nodes without cores: high-bandwidth memory, CXL devices. `hub` is where their links begin.
pub(super) fn more_memory(draft: &mut Draft, plan: &Plan<'_>, hub: impl Fn(u32) -> String) {
    let mut next = plan.nodes();
    if let (Some(size), Some(read)) = (plan.known.hbm, plan.generation.hbm_read) {
        let basis = plan.basis("generation.hbm_read");
        let latency =
            plan.basis("generation.hbm_adds").computed("chosen so that its idle latency is as stated");
        let wide = 4.0 * read.get();
        let each = read.get() / f64::from(HBM_CHANNELS) / channel::reads(HBM);
        let kind = channel::Kind {
            name: "hbm",
            technology: HBM,
            dimms: 1,
            parts: 1,
            reads: None,
            store_gap: None,
            rate: ("bandwidth", format!("\"{each:.2} GB/s\""), basis.clone()),
        };
        channel::write(draft, plan, &kind);
        inner_wire(
            draft,
            "hbm",
            &(wide, basis.clone()),
            &(wide, basis.clone()),
            &(plan.times.hbm.get(), latency),
        );
        for socket in 0..plan.known.sockets {
            link(draft, &[hub(socket), format!("M{next}")], "hbm", 1, &basis);
            bare_node(draft, next, size.get(), ("hbm", HBM_CHANNELS), "home", &plan.basis("known.hbm"));
            next += 1;
        }
    }
    if plan.cxl() == 0 {
        return;
    }
    let read = plan.known.cxl_read.map_or(CXL_READ, zerohop_units::GigabytesPerSecond::get);
    let basis = plan.basis("known.cxl_read");
    let latency = plan.basis("known.cxl_adds").computed("chosen so that its idle latency is as stated");
    let inside = Basis::assumed("its link is narrower than its memory");
    let kind = channel::Kind {
        name: "cxl",
        technology: "DDR5",
        dimms: 1,
        parts: 1,
        reads: None,
        store_gap: None,
        rate: ("bandwidth", "\"38.4 GB/s\"".to_owned(), inside),
    };
    channel::write(draft, plan, &kind);
    home(draft, "cxl");
    inner_wire(
        draft,
        "cxl",
        &(read, basis.clone()),
        &(read, basis.clone()),
        &(plan.times.cxl.get(), latency),
    );
    let far = far_wire(draft, plan, read);
    for _ in 0..plan.cxl() {
        link(draft, &[hub(plan.cxl_socket()), format!("M{next}")], "cxl", 1, &basis);
        for socket in (0..plan.known.sockets).filter(|socket| far && *socket != plan.cxl_socket()) {
            let basis = plan.basis("generation.cxl_far_read");
            link(draft, &[hub(socket), format!("M{next}")], "cxl-far", 1, &basis);
        }
        bare_node(draft, next, CXL_MEMORY, ("cxl", 1), "cxl", &plan.basis("known.cxl"));
        next += 1;
    }
}

/// The kind of link by which other sockets reach a CXL device, if something narrower than the links between sockets limits them.
/// What limits them is not public: a link of their own has the bandwidth and the latency that were measured.
fn far_wire(draft: &mut Draft, plan: &Plan<'_>, near: f64) -> bool {
    let generation = &plan.generation;
    let (Some(read), Some(adds)) = (generation.cxl_far_read, generation.cxl_far_adds) else { return false };
    let sending = LINE / read.get() - LINE / near;
    let latency = plan.times.cxl.get() + (0.5 * (adds.get() - sending)).max(0.0);
    let basis = plan.basis("generation.cxl_far_read");
    let latency = (latency, plan.basis("generation.cxl_far_adds"));
    inner_wire(draft, "cxl-far", &(read.get(), basis.clone()), &(read.get(), basis), &latency);
    true
}

/// The high-bandwidth memory of a Xeon Max, and the pseudo channels of its four stacks.
const HBM: &str = "HBM2";
const HBM_CHANNELS: u32 = 64;

/// Capacity of a CXL device: it matters for nothing but how large a buffer may be.
const CXL_MEMORY: u64 = 128 << 30;

/// Read bandwidth of a CXL device of eight lanes.
const CXL_READ: f64 = 17.6;

fn bare_node(draft: &mut Draft, node: u32, memory: u64, channels: (&str, u32), home: &str, basis: &Basis) {
    let (kind, count) = channels;
    draft.table(&format!("node.{node}"));
    draft.source(basis);
    draft.text("router", &format!("M{node}"));
    draft.plain("memory", &format!("\"{memory} B\""));
    draft.plain("channels", &format!("{{ kind = \"{kind}\", count = {count}, interleave = \"256 B\" }}"));
    draft.plain("homes", &format!("{{ kind = \"{home}\", count = {count}, interleave = \"256 B\" }}"));
}

/// The rest: routes, coherence, what an operating system shows.
pub(super) fn tail(draft: &mut Draft, plan: &Plan<'_>) {
    draft.table("routing");
    draft.text("kind", "shortest");
    draft.value("traversal", ns(1.0), &Basis::assumed("the rest of a path's latency is that of its wires"));
    draft.table("coherence");
    draft.text("kind", if plan.broadcast { "broadcast" } else { "directory" });
    draft.value("lookup", ns(0.0), &Basis::assumed("part of the idle latency"));
    if plan.broadcast {
        draft.text("collector", "requester");
    }
    draft.table("system");
    draft.text("numbering", "thread");
    draft.value("page", "\"4 KiB\"", &Basis::documented("Linux"));
}

/// A value with its unit, as TOML writes it.
pub(super) fn quantity(value: impl std::fmt::Display) -> String {
    format!("\"{value}\"")
}
