//! Properties that a machine shows, in the terms of a template.

use zerohop_machine::{CacheKind, Machine, Setting};

use super::error::TemplateError;
use crate::built_in::template_names;

/// Properties that a machine shows.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    /// Name by which the processor identifies itself.
    pub(super) model: String,
    /// The template of its processors, if one is known.
    pub(super) template: Option<&'static str>,
    pub(super) settings: Vec<Setting>,
}

impl Seen {
    /// Error for a processor without a known template.
    pub(super) fn no_template(&self) -> TemplateError {
        match self.model.as_str() {
            "" => TemplateError::NotShown,
            model => TemplateError::NotKnown { model: model.to_owned() },
        }
    }
}

/// Families and models (x86), or implementers and parts (Arm), of templates.
const PROCESSORS: [(&str, u32, &[u32], &str); 21] = [
    ("GenuineIntel", 6, &[26, 30, 37, 44, 46, 47], "xeon-nehalem"),
    ("GenuineIntel", 6, &[45, 62], "xeon-ivy-bridge"),
    ("GenuineIntel", 6, &[63], "xeon-haswell"),
    ("GenuineIntel", 6, &[79, 86], "xeon-broadwell"),
    ("GenuineIntel", 6, &[106, 108], "xeon-ice-lake"),
    ("GenuineIntel", 6, &[143], "xeon-sapphire-rapids"),
    ("GenuineIntel", 6, &[207], "xeon-emerald-rapids"),
    ("GenuineIntel", 6, &[173, 174], "xeon-granite-rapids"),
    ("AuthenticAMD", 21, &[1, 2], "opteron-6200"),
    ("AuthenticAMD", 23, &[1], "epyc-7001"),
    ("AuthenticAMD", 23, &[49], "epyc-7002"),
    ("AuthenticAMD", 25, &[1], "epyc-7003"),
    ("AuthenticAMD", 25, &[17, 160], "epyc-9004"),
    ("AuthenticAMD", 26, &[2, 17], "epyc-9005"),
    ("ARM", 0x41, &[0xd0c], "ampere-altra"),
    ("ARM", 0x41, &[0xd40], "graviton3"),
    ("ARM", 0x41, &[0xd4f], "grace"),
    ("Fujitsu", 0x46, &[0x001], "a64fx"),
    // Skylake and Cascade Lake share a model number: their steppings differ.
    ("GenuineIntel", 6, &[85], "xeon-skylake"),
    ("GenuineIntel", 6, &[85], "xeon-cascade-lake"),
    ("GenuineIntel", 6, &[85], "xeon-cascade-lake"),
];

/// The first stepping of Cascade Lake.
const CASCADE_LAKE: u32 = 5;

/// Last-level caches of a CPU die, where dies surround an I/O die.
fn caches_of_a_die(template: &str) -> Option<usize> {
    match template {
        "epyc-7002" => Some(2),
        "epyc-7003" | "epyc-9004" | "epyc-9005" => Some(1),
        _ => None,
    }
}

/// Template of the model that `machine` comes from, if it is a built-in one.
pub(super) fn modeled(machine: &Machine) -> Option<&'static str> {
    let prediction = machine.prediction.as_ref()?;
    template_names().find(|name| *name == prediction.template)
}

/// Properties that `machine` shows.
pub(super) fn of(machine: &Machine) -> Seen {
    let processor = &machine.processor;
    let number = (processor.family.unwrap_or(0), processor.model_number.unwrap_or(0));
    let mut of_it =
        PROCESSORS.iter().filter(|(_, family, models, _)| *family == number.0 && models.contains(&number.1));
    let template = match processor.stepping.unwrap_or(0) >= CASCADE_LAKE {
        true => of_it.next_back(),
        false => of_it.next(),
    };
    let template_name = template.map(|(.., name)| *name);
    let mut settings = Vec::new();
    if machine.cores.is_empty() {
        // A text of another tool may show the processor's name, and nothing else.
        return Seen { model: processor.model.clone(), template: template_name, settings };
    }
    let mut set = |name: &str, value: String| settings.push(Setting::new(name, value));
    let sockets = machine.packages.len().max(1);
    let with_cores = machine.nodes.iter().filter(|node| !node.pus.is_empty()).count().max(1);
    set("sockets", sockets.to_string());
    let cores = machine.cores.len() / sockets;
    set("cores", cores.max(1).to_string());
    set("threads", (machine.pus.len() / machine.cores.len().max(1)).max(1).to_string());
    set("nodes", (with_cores / sockets).max(1).to_string());
    let shared =
        machine.caches.iter().filter(|cache| cache.level == 3 && cache.kind != CacheKind::Instruction);
    let l3: u64 = shared.map(|cache| cache.size.get()).sum();
    if l3 > 0 {
        set("l3", format!("{} B", l3 / sockets as u64));
    }
    if let Some(of_die) = template_name.or_else(|| modeled(machine)).and_then(caches_of_a_die) {
        let caches = machine.caches.iter().filter(|cache| cache.level == 3).count();
        // A virtual machine may have fewer cores than dies.
        let dies = (caches / sockets / of_die).max(1);
        if caches > 0 && cores.is_multiple_of(dies) {
            set("ccds", dies.to_string());
        }
    }
    memory(machine, sockets, &mut set);
    Seen { model: processor.model.clone(), template: template_name, settings }
}

/// Channels and DIMMs, as far as the firmware lists them.
fn memory(machine: &Machine, sockets: usize, set: &mut impl FnMut(&str, String)) {
    let there: Vec<_> = machine.memory_devices.iter().filter(|device| device.size.get() > 0).collect();
    let Some(first) = there.first() else { return };
    set("dimm", format!("{} B", first.size.get()));
    if let Some(rate) = first.configured.or(first.rated) {
        set("rate", rate.to_string());
    }
    // Without the firmware's word on channels, every DIMM may have one of its own.
    let mut channels: Vec<_> = there.iter().map(|device| (device.package, &device.channel)).collect();
    if channels.iter().all(|(_, channel)| channel.is_some()) {
        channels.sort();
        channels.dedup();
        set("channels", (channels.len() / sockets).max(1).to_string());
        set("dimms", (there.len() / channels.len()).max(1).to_string());
    }
}
