//! Writing hwloc's XML.

use std::collections::BTreeSet;
use std::fmt::Write;

use zerohop_units::{Bytes, GigabytesPerSecond, Nanoseconds};

use super::element::CPU_LESS;
use super::objects::{Object, ObjectKind, locality, tree};
use crate::mask;
use crate::xml::xml_text;
use crate::{Cache, CacheKind, Machine, MemorySideCache, NodeAccess, NodeId, NumaNode, PuSet};

/// The machine as hwloc's XML (version 2), for `lstopo --if xml`.
pub fn hwloc_xml(machine: &Machine) -> String {
    let mut writer = Writer { machine, text: String::new(), depth: 1, last_index: 0, nodes: Vec::new() };
    writer.line(0, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
    writer.line(0, "<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">");
    writer.line(0, "<topology version=\"2.0\">");
    writer.object(&tree(machine));
    writer.distances();
    writer.memory_attributes();
    writer.line(0, "</topology>");
    writer.text
}

struct Writer<'machine> {
    machine: &'machine Machine,
    text: String,
    depth: usize,
    /// hwloc refers to objects by a separate number (`gp_index`).
    last_index: u32,
    nodes: Vec<(NodeId, u32)>,
}

impl Writer<'_> {
    fn line(&mut self, depth: usize, line: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * depth);
    }

    fn open(&mut self, attributes: &str) {
        self.line(self.depth, &format!("<object {attributes}>"));
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth -= 1;
        self.line(self.depth, "</object>");
    }

    fn info(&mut self, name: &str, value: &str) {
        if !value.is_empty() {
            self.line(self.depth, &format!("<info name=\"{name}\" value=\"{}\"/>", xml_text(value)));
        }
    }

    fn object(&mut self, object: &Object<'_>) {
        let sets = self.sets(&object.pus, &self.nodes_of(&object.pus));
        let attributes = match object.kind {
            ObjectKind::Machine => {
                let allowed = self.machine.pus.iter().filter(|pu| pu.allowed).map(|pu| pu.id.0).collect();
                let nodes = self.machine.nodes.iter().filter(|node| node.allowed).map(|node| node.id.0);
                let (allowed, nodes) = (mask::print(&allowed), mask::print(&nodes.collect()));
                format!(
                    "type=\"Machine\" os_index=\"0\" {sets} allowed_cpuset=\"{allowed}\" allowed_nodeset=\"{nodes}\""
                )
            }
            ObjectKind::Group => format!("type=\"Group\" {sets} kind=\"0\" subkind=\"0\""),
            ObjectKind::Package(package) => format!("type=\"Package\" os_index=\"{}\" {sets}", package.id),
            ObjectKind::Die(number) => format!("type=\"Die\" os_index=\"{number}\" {sets}"),
            ObjectKind::Cache(cache) => format!("{} {sets}", cache_attributes(cache)),
            ObjectKind::Core(core) => format!("type=\"Core\" os_index=\"{}\" {sets}", core.id),
            ObjectKind::Pu(pu) => format!("type=\"PU\" os_index=\"{}\" {sets}", pu.id),
        };
        self.open(&attributes);
        match object.kind {
            ObjectKind::Machine => self.describe_machine(),
            ObjectKind::Package(_) => self.describe_package(),
            _ => {}
        }
        for node in &object.memory {
            self.memory(node, &object.pus);
        }
        for child in &object.children {
            self.object(child);
        }
        self.close();
    }

    fn describe_machine(&mut self) {
        self.info("OSName", "Linux");
        self.info("OSRelease", self.machine.system.kernel.as_deref().unwrap_or_default());
        self.info("HostName", &self.machine.name);
    }

    fn describe_package(&mut self) {
        let processor = &self.machine.processor;
        let number = |value: Option<u32>| value.map(|value| value.to_string()).unwrap_or_default();
        self.info("CPUVendor", &processor.vendor);
        self.info("CPUFamilyNumber", &number(processor.family));
        self.info("CPUModelNumber", &number(processor.model_number));
        self.info("CPUModel", &processor.model);
        self.info("CPUStepping", &number(processor.stepping));
    }

    /// A node, inside its memory-side caches; hwloc gives it the PUs of the object that it is attached to.
    fn memory(&mut self, node: &NumaNode, pus: &PuSet) {
        let sets = |writer: &mut Self| writer.sets(pus, &BTreeSet::from([node.id.0]));
        let mut caches: Vec<&MemorySideCache> = node.memory_side_caches.iter().collect();
        caches.sort_by_key(|cache| std::cmp::Reverse(cache.level));
        for cache in &caches {
            let sets = sets(self);
            let (size, line) = (cache.size.get(), cache.line.get());
            self.open(&format!(
                "type=\"MemCache\" {sets} cache_size=\"{size}\" depth=\"{}\" cache_linesize=\"{line}\" \
                 cache_associativity=\"0\" cache_type=\"0\"",
                cache.level
            ));
        }
        let sets = sets(self);
        self.nodes.push((node.id, self.last_index));
        let (id, memory) = (node.id, node.memory.get());
        self.open(&format!("type=\"NUMANode\" os_index=\"{id}\" {sets} local_memory=\"{memory}\""));
        self.pages(node);
        if node.pus.is_empty() {
            self.info(CPU_LESS, "1");
        }
        self.close();
        caches.iter().for_each(|_| self.close());
    }

    /// The number of pages of each size on the node; all other memory is in base pages.
    fn pages(&mut self, node: &NumaNode) {
        let Some(base) = self.machine.system.base_page.filter(|base| base.get() > 0) else { return };
        let huge: Bytes = node.huge_pages.iter().map(|pool| pool.page * pool.total).sum();
        let small = (node.memory - huge).get() / base.get();
        let pools = node.huge_pages.iter().map(|pool| (pool.page, pool.total));
        for (size, count) in [(base, small)].into_iter().chain(pools) {
            self.line(self.depth, &format!("<page_type size=\"{}\" count=\"{count}\"/>", size.get()));
        }
    }

    fn sets(&mut self, pus: &PuSet, nodes: &BTreeSet<u32>) -> String {
        self.last_index += 1;
        let cpuset = mask::print(&pus.iter().map(|pu| pu.0).collect());
        let nodeset = mask::print(nodes);
        format!(
            "cpuset=\"{cpuset}\" complete_cpuset=\"{cpuset}\" nodeset=\"{nodeset}\" complete_nodeset=\"{nodeset}\" \
             gp_index=\"{}\"",
            self.last_index
        )
    }

    /// The nodes whose memory is local to some of `pus`.
    fn nodes_of(&self, pus: &PuSet) -> BTreeSet<u32> {
        let is_local = |node: &&NumaNode| !locality(self.machine, node).intersection(pus).is_empty();
        self.machine.nodes.iter().filter(is_local).map(|node| node.id.0).collect()
    }

    fn distances(&mut self) {
        let Some(distances) = self.machine.distances.as_ref().filter(|matrix| matrix.nodes.len() > 1) else {
            return;
        };
        let nodes: Vec<u32> = distances.nodes.iter().map(|node| node.0).collect();
        let values: Vec<u32> = distances.rows.iter().flatten().copied().collect();
        // Kind 5: from the operating system, and a latency.
        self.line(
            1,
            &format!(
                "<distances2 type=\"NUMANode\" nbobjs=\"{}\" kind=\"5\" name=\"NUMALatency\" indexing=\"os\">",
                nodes.len()
            ),
        );
        self.numbers("indexes", &nodes);
        self.numbers("u64values", &values);
        self.line(1, "</distances2>");
    }

    /// Numbers in elements of ten numbers, each element with the length of its text.
    fn numbers(&mut self, element: &str, numbers: &[u32]) {
        for chunk in numbers.chunks(10) {
            let text: String = chunk.iter().map(|number| format!("{number} ")).collect();
            self.line(2, &format!("<{element} length=\"{}\">{text}</{element}>", text.len()));
        }
    }

    fn memory_attributes(&mut self) {
        let nanoseconds = |latency: Option<Nanoseconds>| latency.map(Nanoseconds::get);
        let megabytes = |rate: Option<GigabytesPerSecond>| rate.map(|value| value.get() * 1e3);
        let same = |read: Option<f64>, write: Option<f64>| read.filter(|_| read == write);
        // Flags: 1 higher is better, 2 lower is better, 4 one value for each initiator.
        self.attribute("Bandwidth", 5, |access| {
            same(megabytes(access.read_bandwidth), megabytes(access.write_bandwidth))
        });
        self.attribute("Latency", 6, |access| {
            same(nanoseconds(access.read_latency), nanoseconds(access.write_latency))
        });
        self.attribute("ReadLatency", 6, |access| nanoseconds(access.read_latency));
        self.attribute("WriteLatency", 6, |access| nanoseconds(access.write_latency));
        self.attribute("ReadBandwidth", 5, |access| megabytes(access.read_bandwidth));
        self.attribute("WriteBandwidth", 5, |access| megabytes(access.write_bandwidth));
    }

    fn attribute(&mut self, name: &str, flags: u8, value: impl Fn(&NodeAccess) -> Option<f64>) {
        let mut lines = Vec::new();
        for &(node, index) in &self.nodes {
            let values = self.machine.access.iter().filter(|access| access.target == node);
            let values: Vec<_> = values.filter_map(|access| Some((access, value(access)?))).collect();
            // All initiators in hwloc are CPUs, hence `access1` if the kernel reports it.
            let class = values.iter().map(|(access, _)| access.class).max();
            for (access, value) in values.into_iter().filter(|(access, _)| Some(access.class) == class) {
                let initiators = access.initiators.iter().filter_map(|&id| self.machine.node(id));
                let pus: BTreeSet<u32> = initiators.flat_map(|node| node.pus.iter()).map(|pu| pu.0).collect();
                if !pus.is_empty() {
                    let cpuset = mask::print(&pus);
                    lines.push(format!(
                        "<memattr_value target_obj_gp_index=\"{index}\" target_obj_type=\"NUMANode\" \
                         value=\"{value:.0}\" initiator_cpuset=\"{cpuset}\"/>"
                    ));
                }
            }
        }
        if lines.is_empty() {
            return;
        }
        self.line(1, &format!("<memattr name=\"{name}\" flags=\"{flags}\">"));
        for line in lines {
            self.line(2, &line);
        }
        self.line(1, "</memattr>");
    }
}

fn cache_attributes(cache: &Cache) -> String {
    let (suffix, kind) = match cache.kind {
        CacheKind::Unified => ("", 0),
        CacheKind::Data => ("", 1),
        CacheKind::Instruction => ("i", 2),
    };
    format!(
        "type=\"L{level}{suffix}Cache\" cache_size=\"{}\" depth=\"{level}\" cache_linesize=\"{}\" \
         cache_associativity=\"{}\" cache_type=\"{kind}\"",
        cache.size.get(),
        cache.line.get(),
        cache.ways.unwrap_or_default(),
        level = cache.level,
    )
}
