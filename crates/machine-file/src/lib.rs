//! Machines described in files: the hardware of a model, the files that state it, templates that write such files, and faults.
//!
//! ```text
//! machines/NAME.toml ──┐
//! template + spec sheet ┴─> MachineFile ── settings ──> Hardware ── faults ──> what `model` simulates
//! ```

#![forbid(unsafe_code)]

mod fault;
mod file;
mod hardware;
mod open_fact;
mod symmetry;
mod template;

pub use fault::{Fault, FaultError, LinkState, MeasuringFault, OneNodeWord, ParseFaultError};
pub use file::{
    Combinations, Library, MachineFile, MachineFileError, machine_file_keys, machine_file_schema,
    technologies, technology_efficiency,
};
pub use hardware::{
    AddressHash, Buffers, CacheLatency, Channel, ChannelParameters, Coherence, Collector, Control, CoreKind,
    CoreParameters, CorePlace, DirectedLink, Hardware, HomeAgent, HomeAgentParameters, IdlePart, IdleRead,
    InFlight, LINE, Link, MachineOption, Narrowing, Networks, NodeMemory, OnFull, OutboundFrom, Packets,
    PagesInUse, PassesOn, Refresh, Release, Router, Routes, SideCache, SideCacheParameters, Spread,
    TagReadBy, Turnaround, WireParameters,
};
pub use open_fact::OpenFact;
pub use symmetry::{Symmetry, symmetries};
pub use template::{KnownFact, Template, TemplateParameter};
