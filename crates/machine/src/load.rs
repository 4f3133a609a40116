//! Reading a machine from `/sys` and `/proc`.
//!
//! Any source may be missing, forbidden or garbled. Its information is then listed as a line in [`Machine::gaps`].
//! Only a machine without a single PU is an error.

mod access;
mod arm;
mod caches;
mod cgroup;
mod error;
mod kernel_parameters;
mod limits;
mod memory_devices;
mod nodes;
mod platform;
mod processor;
mod pus;
mod reader;
mod settings;
mod slot;
mod smbios;
mod virtualization;

pub use error::LoadError;
pub use kernel_parameters::relevant as relevant_kernel_parameters;
pub use memory_devices::in_place as memory_devices_in_place;
pub use processor::relevant_instruction_sets;

pub(crate) use cgroup::anonymous_names;
pub(crate) use limits::is_kept as is_memory_limit;
pub(crate) use processor::KEYS as PROCESSOR_KEYS;
pub(crate) use settings::page_size_entry;
pub(crate) use smbios::memory_devices_only;

use zerohop_units::Bytes;

use crate::{FileTree, Machine, NumaNode, PuSet, StatedFacts};
use reader::Reader;

impl Machine {
    /// Reads the machine that `tree` describes.
    ///
    /// Its name is the host's, or empty if the tree does not contain it.
    ///
    /// # Errors
    /// The tree names no PU at all.
    pub fn load(tree: &dyn FileTree) -> Result<Self, LoadError> {
        let reader = Reader::new(tree);
        let online = pus::online(&reader)?;
        let processor = processor::load(&reader);
        let mut nodes = nodes::load(&reader, &online);
        let distances = nodes::distances(&reader, &nodes);
        let groups = cgroup::load(&reader);
        nodes::mark_allowed(&reader, &mut nodes, groups.memory_nodes.as_ref());
        let allowed = pus::allowed(&reader, &online, groups.pus.as_ref());
        let topology = pus::load(&reader, &online, &allowed, &nodes);
        let caches = caches::load(&reader, &online);
        let access = access::load(&reader, &nodes);
        let (memory_devices, no_memory_devices) = match memory_devices::load(&reader, &processor) {
            Ok(devices) => (devices, None),
            Err(why) => (Vec::new(), Some(why)),
        };
        let mut system = settings::load(&reader, &online);
        system.hypervisor = virtualization::hypervisor(&reader);
        system.cpu_quota = groups.cpu_quota;
        system.memory_limit = groups.memory;
        system.process_memory_limit = limits::memory(&reader);
        system.cpuset_cpus = (allowed != online).then(|| allowed.to_string());
        let usable: PuSet = nodes::numbers(nodes.iter().filter(|node| node.allowed));
        // The kernel lists nodes that have memory only: one without any is not kept from this process.
        let is_kept = |node: &NumaNode| !node.allowed && node.memory > Bytes(0);
        system.cpuset_mems = nodes.iter().any(is_kept).then(|| usable.to_string());
        Ok(Self {
            name: reader.text("/proc/sys/kernel/hostname").unwrap_or_default(),
            settings: Vec::new(),
            faults: Vec::new(),
            processor,
            platform: platform::load(&reader),
            packages: topology.packages,
            nodes,
            cores: topology.cores,
            pus: topology.pus,
            caches,
            distances,
            access,
            memory_devices,
            no_memory_devices,
            system,
            prediction: None,
            stated: StatedFacts::default(),
            gaps: reader.into_gaps(),
        })
    }
}
