//! One object of hwloc's XML, in any version.

use std::str::FromStr;

use roxmltree::Node;

use crate::bounds::MOST_PUS;
use crate::mask;
use crate::{PuId, PuSet};

/// The `info` by which an export marks a node without PUs. hwloc shows such a node at the PUs nearest to it, and so
/// cannot distinguish it from the node that these PUs belong to.
pub(super) const CPU_LESS: &str = "CPULess";

/// One `object` element.
pub(super) struct Element<'xml> {
    pub(super) xml: Node<'xml, 'xml>,
    /// Its type, under its name in version 2.
    pub(super) kind: &'xml str,
    pub(super) pus: PuSet,
}

impl<'xml> Element<'xml> {
    fn of(xml: Node<'xml, 'xml>) -> Self {
        let kind = match xml.attribute("type").unwrap_or_default() {
            // These are names of hwloc before 1.11.
            "Socket" => "Package",
            kind => kind,
        };
        let pus = xml.attribute("cpuset").and_then(mask::parse).unwrap_or_default();
        Self { xml, kind, pus: pus.into_iter().map(PuId).collect() }
    }

    /// The operating system's number; hwloc writes -1 for none.
    pub(super) fn number(&self) -> Option<u32> {
        self.attribute("os_index").filter(|&number| number != u32::MAX)
    }

    /// The operating system's number of a PU or a node; nothing if it is beyond any machine's, because each set that
    /// holds a number takes memory proportional to it.
    pub(super) fn place(&self) -> Option<u32> {
        self.number().filter(|&number| (number as usize) < MOST_PUS)
    }

    /// Whether an export by this crate marks it as a node without PUs.
    pub(super) fn is_cpu_less(&self) -> bool {
        self.info(CPU_LESS).is_some()
    }

    /// Whether it is a cache between cores and memory. Version 1 has a single type for all levels.
    pub(super) fn is_cache(&self) -> bool {
        self.kind == "Cache" || (self.kind.starts_with('L') && self.kind.ends_with("Cache"))
    }

    /// The number by which other elements refer to it: `gp_index`, or the `id` that version 3 adds.
    pub(super) fn reference(&self) -> Option<u64> {
        self.attribute("gp_index").or_else(|| self.xml.attribute("id")?.strip_prefix("obj")?.parse().ok())
    }

    pub(super) fn info(&self, name: &str) -> Option<&'xml str> {
        info(self.xml, name)
    }

    pub(super) fn attribute<T: FromStr>(&self, name: &str) -> Option<T> {
        self.xml.attribute(name)?.parse().ok()
    }
}

/// Every object, in document order.
pub(super) fn objects<'xml>(topology: Node<'xml, 'xml>) -> Vec<Element<'xml>> {
    topology.descendants().filter(|node| node.has_tag_name("object")).map(Element::of).collect()
}

/// The value of an element's `info` with this name.
pub(super) fn info<'xml>(element: Node<'xml, 'xml>, name: &str) -> Option<&'xml str> {
    let mut infos = element.children().filter(|node| node.has_tag_name("info"));
    infos.find(|info| info.attribute("name") == Some(name))?.attribute("value")
}
