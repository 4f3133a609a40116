//! Other differences between machines and runs, and whether they can explain different values.

use std::collections::BTreeSet;

use zerohop_machine::Machine;
use zerohop_result::{Dimension, ResultFile};
use zerohop_units::counted;

use super::configuration::Configuration;
use crate::comparison::{ComparedCell, Contrast, Explanation, Tendency};
use crate::fact::Fact;

/// A change may be larger by this share than what explains it, because values have errors.
const LEEWAY: f64 = 0.03;

/// What a trait acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Any,
    /// Bandwidths, and not the latency of an idle machine.
    Bandwidth,
    /// No compared value: the trait only describes the run.
    Nothing,
}

/// Something about a machine or a run that may differ.
struct Trait {
    what: &'static str,
    /// Value of the trait, in words.
    value: String,
    effect: Effect,
    /// A bandwidth that it limits, in GB/s: bandwidths change as much as it does, at most.
    limit: Option<f64>,
}

/// Differences from the base, and whether they can explain the `cells` that changed.
pub(super) fn contrasts(results: &[Configuration<'_>], cells: &[ComparedCell]) -> Vec<Contrast> {
    let [base, others @ ..] = results else { return Vec::new() };
    let ours = traits(base.result);
    let differing = others.iter().flat_map(|other| {
        let changes = Changes::of(other.name, cells);
        let pairs = ours.iter().zip(traits(other.result));
        let differing = pairs.filter(|(one, another)| one.value != another.value);
        let contrasts = differing.map(|(one, another)| Contrast {
            what: one.what.to_owned(),
            base: one.value.clone(),
            name: other.name.to_owned(),
            other: another.value.clone(),
            explains: changes.explained_by(one, &another),
        });
        contrasts.collect::<Vec<_>>()
    });
    differing.collect()
}

/// The cells of a result that are certainly better or worse.
#[derive(Debug, Default)]
struct Changes {
    /// Logarithms of the ratios of bandwidths.
    bandwidths: Vec<f64>,
    /// The number of other changes.
    others: usize,
}

impl Changes {
    fn of(name: &str, cells: &[ComparedCell]) -> Self {
        let mut changes = Self::default();
        for cell in cells {
            let own = cell.others.iter().find(|other| other.name == name);
            let Some(own) = own.filter(|own| own.tendency != Tendency::Same) else { continue };
            match cell.measure.dimension() {
                Dimension::Rate => changes.bandwidths.push(libm::log(own.ratio.value)),
                _ => changes.others += 1,
            }
        }
        changes
    }

    /// Whether a trait explains them; `None` if there are none.
    fn explained_by(&self, base: &Trait, other: &Trait) -> Option<Explanation> {
        if self.bandwidths.is_empty() && self.others == 0 {
            return None;
        }
        let limits = base.limit.zip(other.limit).filter(|_| !self.bandwidths.is_empty());
        Some(match (base.effect, limits) {
            (Effect::Nothing, _) => Explanation::No,
            (Effect::Bandwidth, _) if self.bandwidths.is_empty() => Explanation::No,
            (_, Some((one, another))) => self.fit(libm::log(another / one)),
            _ => Explanation::Possible,
        })
    }

    /// Whether a limit that changed by this explains the bandwidths.
    fn fit(&self, limit: f64) -> Explanation {
        let mean = self.bandwidths.iter().sum::<f64>() / self.bandwidths.len() as f64;
        if limit.abs() < 1e-9 {
            Explanation::Possible
        } else if mean * limit <= 0.0 {
            Explanation::No
        } else if mean.abs() <= limit.abs() + LEEWAY {
            Explanation::Fits
        } else {
            Explanation::TooSmall
        }
    }
}

/// Traits in words, without their effects.
pub(crate) fn traits_in_words(file: &ResultFile) -> Vec<zerohop_result::Trait> {
    let named = |one: Trait| zerohop_result::Trait { what: one.what.to_owned(), value: one.value };
    traits(file).into_iter().map(named).collect()
}

/// What may make values differ, in words.
fn traits(file: &ResultFile) -> Vec<Trait> {
    let (settings, machine, system) = (&file.settings, &file.machine, &file.machine.system);
    let list = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let set: Vec<String> = machine.settings.iter().map(ToString::to_string).collect();
    let switch = |on: Option<bool>| on.map(|on| if on { "on" } else { "off" }.to_owned());
    let huge_pages = [&system.transparent_huge_pages, &system.transparent_huge_page_defrag];
    let huge_pages: Vec<&str> = huge_pages.into_iter().flatten().map(String::as_str).collect();
    let any = |what, value| (what, value, Effect::Any);
    let named = [
        any("machine", Some(machine.name.clone())),
        any("set", Some(list(&set))),
        any("injected faults", Some(list(&machine.faults))),
        any("origin", Some(file.origin.kind().to_owned())),
        any("solver", file.origin.as_model().map(|model| model.solver.name().to_owned())),
        ("version", Some(file.produced_by.clone()), Effect::Nothing),
        any("effort", Some(settings.effort.clone())),
        any("pages", Some(format!("{:?}", settings.pages).to_lowercase())),
        any("buffer", settings.buffer.map(|buffer| buffer.to_string())),
        any("prefetchers off", Some(list(&settings.prefetchers_off))),
        any("kernel forms", Some(kernel_forms(file))),
        ("seed", settings.seed.map(|seed| seed.to_string()), Effect::Nothing),
        any("processor", Some(machine.processor.model.trim().to_owned())),
        any("stepping", machine.processor.stepping.map(|stepping| stepping.to_string())),
        any("nodes and cores", shape(machine)),
        any("platform", machine.platform.name()),
        any("firmware", machine.platform.firmware()),
        any("firmware's distances", distances(machine)),
        any("hypervisor", system.hypervisor.clone()),
        any("kernel", system.kernel.clone()),
        any("kernel parameters", Some(list(&system.kernel_parameters))),
        any("transparent huge pages", Some(huge_pages.join(", "))),
        any("automatic NUMA balancing", switch(system.numa_balancing)),
        any("zone reclaim", system.zone_reclaim.map(|mode| mode.to_string())),
        any("governor", system.governor.clone()),
        any("turbo", switch(system.turbo)),
        ("SMT", switch(system.smt), Effect::Bandwidth),
        any("clock source", system.clock_source.clone()),
        ("offline CPUs", system.offline_pus.clone(), Effect::Bandwidth),
        ("CPUs of the cpuset", system.cpuset_cpus.clone(), Effect::Bandwidth),
        any("memory of the cpuset", system.cpuset_mems.clone()),
        any("CPU quota", system.cpu_quota.map(|cpus| cpus.to_string())),
    ];
    let named = named.into_iter().map(|(what, value, effect)| {
        let value = value.filter(|value| !value.is_empty()).unwrap_or_else(|| "none".to_owned());
        Trait { what, value, effect, limit: None }
    });
    let peak = machine.theoretical_bandwidth().ok().map(|peak| peak.total.get());
    let dimms = machine.dimms();
    let value = if dimms.is_empty() { "not shown".to_owned() } else { dimms.join(", ") };
    named.chain([Trait { what: "DIMMs", value, effect: Effect::Any, limit: peak }]).collect()
}

/// The code that trials chose for each kernel, in words.
fn kernel_forms(file: &ResultFile) -> String {
    let cells = file.experiments.iter().flat_map(|one| one.cells.iter());
    let forms: BTreeSet<_> = cells.flat_map(|cell| &cell.evidence.kernel_forms).collect();
    let forms = forms.into_iter().map(|(kernel, form)| format!("{kernel}: {form}"));
    forms.collect::<Vec<_>>().join(", ")
}

fn shape(machine: &Machine) -> Option<String> {
    let cpus: Vec<usize> = machine.nodes.iter().map(|node| node.pus.len()).collect();
    let threads = cpus.iter().map(ToString::to_string).collect::<Vec<_>>().join("+");
    let shape = format!(
        "{}, {}, {threads} CPUs",
        counted(machine.nodes.len(), "node"),
        counted(machine.cores.len(), "core")
    );
    (!machine.nodes.is_empty()).then_some(shape)
}

/// The distances, as rows; they depend on no numbers of nodes if all are sorted.
fn distances(machine: &Machine) -> Option<String> {
    let mut rows: Vec<String> = machine
        .distances
        .as_ref()?
        .rows
        .iter()
        .map(|row| {
            let mut row = row.clone();
            row.sort_unstable();
            row.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
        })
        .collect();
    rows.sort();
    rows.dedup();
    Some(rows.join(" / "))
}

/// What identifies a machine or a run, and so explains nothing; and the injected faults of a model, which are what is to be found.
const NAMES: [&str; 4] = ["machine", "seed", "origin", "injected faults"];

/// Facts about a machine and its run, used to group the machines of a fleet and to distinguish them.
pub fn facts(file: &ResultFile) -> Vec<Fact> {
    let machine = &file.machine;
    let fact = |name: &str, value: String| Fact { name: name.to_owned(), value };
    let filled = machine.memory_devices.iter().filter(|device| device.size.get() > 0);
    let slots: Vec<&str> = filled.clone().map(|device| device.locator.trim()).collect();
    let parts: BTreeSet<&str> = filled.filter_map(|device| device.part.as_deref()).map(str::trim).collect();
    let parts: Vec<&str> = parts.into_iter().collect();
    let own = [
        ("packages", machine.package_count().map(|count| count.to_string())),
        ("microcode", machine.platform.microcode.clone()),
        ("DIMM parts", (!parts.is_empty()).then(|| parts.join(", "))),
        ("DIMM slots filled", (!slots.is_empty()).then(|| slots.join(", "))),
    ];
    let traits = traits(file).into_iter().filter(|one| !NAMES.contains(&one.what));
    let traits = traits.map(|one| fact(one.what, one.value));
    traits.chain(own.into_iter().filter_map(|(name, value)| Some(fact(name, value?)))).collect()
}
