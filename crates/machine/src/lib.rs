//! What a machine **is**: packages, NUMA nodes, cores, PUs, caches, distances, memory devices, and the settings of
//! firmware and kernel that decide how its memory behaves.
//!
//! A [`Machine`] is loaded from a [`FileTree`] (this host's `/sys` and `/proc`, a copy of them, or a [`Capture`]), or
//! read from hwloc's XML. [`Machine::gaps`] reports what could not be read.

#![forbid(unsafe_code)]

mod bounds;
mod capture;
mod counts;
mod fault;
mod file;
mod hardware;
mod hexadecimal;
mod hwloc;
mod identity;
mod load;
mod lstopo;
mod machine;
mod mask;
mod memory;
mod open_fact;
mod peak;
mod platform;
mod privacy;
mod pu_set;
mod stated;
mod symmetry;
mod system;
mod template;
mod topology;
mod tree;
mod xml;

pub use capture::{Capture, CaptureError};
pub use counts::TakenMemory;
pub use fault::{Fault, FaultError, LinkState, MeasuringFault, OneNodeWord, ParseFaultError};
pub use file::{
    Combinations, Library, MachineFile, MachineFileError, ParseSettingError, Setting, Settings,
    machine_file_keys, machine_file_schema, technologies, technology_efficiency,
};
pub use hardware::{
    AddressHash, Buffers, CacheLatency, Channel, ChannelParameters, Coherence, Collector, Control, CoreKind,
    CoreParameters, CorePlace, DirectedLink, Hardware, HomeAgent, HomeAgentParameters, IdlePart, IdleRead,
    InFlight, LINE, Link, MachineOption, Narrowing, Networks, NodeMemory, OnFull, OutboundFrom, Packets,
    PagesInUse, PassesOn, Refresh, Release, Router, Routes, SideCache, SideCacheParameters, Spread,
    TagReadBy, Turnaround, WireParameters,
};
pub use hwloc::{ParseHwlocError, hwloc_xml, parse_hwloc_xml};
pub use identity::{CoreId, NodeId, PackageId, PuId};
pub use load::{LoadError, memory_devices_in_place, relevant_instruction_sets, relevant_kernel_parameters};
pub use machine::{Machine, Prediction};
pub use memory::{AccessClass, MemoryDevice, MemorySideCache, NodeAccess};
pub use open_fact::OpenFact;
pub use peak::{NoPeak, PackageBandwidth, TheoreticalBandwidth};
pub use platform::Platform;
pub use pu_set::{ParsePuSetError, PuSet};
pub use stated::{FreeMemory, MemoryState, StatedCache, StatedFacts, StatedNode, StatedProcess, UsedMemory};
pub use symmetry::{Symmetry, symmetries};
pub use system::{HugePagePool, OperatingSystem, Processor, SecondLevelTlb};
pub use template::{KnownFact, Template, TemplateParameter};
pub use topology::{Cache, CacheKind, Core, DistanceMatrix, NumaNode, Package, Pu};
pub use tree::{FileTree, ReadError};
pub use xml::xml_text;
pub use zerohop_document::{Bits, FigureId, FittedTo, FractionalBytes, Grade, KeyValue, Parameter, Share};
