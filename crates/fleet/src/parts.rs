//! Parts that can fail: a machine may have fewer, or slower ones, than others of its kind.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_machine::{Machine, MemoryDevice};
use zerohop_units::{Bytes, TransfersPerSecond, counted};

use zerohop_compare::Fact;

/// The value of a fact that a machine does not show.
pub(super) const NOT_SHOWN: &str = "not shown";

/// A part that can fail, or a counted property of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Number of DIMMs in slots.
    Dimms,
    /// Total capacity of the DIMMs, in bytes.
    DimmCapacity,
    /// Transfer rate of the slowest DIMM, in MT/s (millions of transfers per second).
    DimmRate,
    /// Memory available to the kernel, in bytes.
    Memory,
    /// Number of cores with a CPU online.
    Cores,
}

/// Amount of each part in a machine, as far as it shows that.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Parts(pub BTreeMap<Part, u64>);

/// A part of which a machine has less than usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Shortfall {
    /// The part.
    pub part: Part,
    /// Amount in the machine.
    pub found: u64,
    /// Usual amount.
    pub usual: u64,
}

/// Build of a machine: facts that do not break, and parts that do.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Build {
    /// Processor, packages and NUMA nodes.
    pub(super) kind: Vec<Fact>,
    pub(super) parts: Parts,
    /// Whether somebody may have bought it so: all packages have the same cores and DIMMs, and all nodes the same memory.
    pub(super) is_even: bool,
    /// Whether DIMMs run below the rate that they are made for.
    pub(super) is_below_rating: bool,
}

/// The fact that is the number of NUMA nodes.
pub(super) const NUMA_NODES: &str = "NUMA nodes";

/// Memory that kernels and firmware take for themselves differs: a loss is this share at least, and this much. A DIMM of 32 is 3.1 %.
const MEMORY_LOST: (f64, u64) = (0.03, 3 << 30);

/// Rates are rounded in tables (2933 and 2934), and never differ by so little otherwise.
const RATE_LOST: f64 = 0.01;

/// Nodes that should be alike differ by this share of their memory, at most: one of 16 DIMMs is more.
const EVEN: f64 = 0.05;

impl Build {
    pub(super) fn of(machine: &Machine) -> Self {
        let count = |count: Option<usize>| count.filter(|count| *count > 0);
        let fact = |name: &str, value: Option<String>| Fact {
            name: name.to_owned(),
            value: value.unwrap_or_else(|| NOT_SHOWN.to_owned()),
        };
        let processor = machine.processor.model.trim();
        let number = |number: Option<usize>| count(number).map(|number| number.to_string());
        Self {
            kind: vec![
                fact("processor", (!processor.is_empty()).then(|| processor.to_owned())),
                fact("packages", number(machine.package_count())),
                fact(NUMA_NODES, number(Some(machine.nodes.len()))),
            ],
            parts: Parts::of(machine),
            is_even: is_even(machine),
            is_below_rating: dimms(machine).any(|dimm| match (dimm.configured, dimm.rated) {
                (Some(configured), Some(rated)) => configured.get() < rated.get() * (1.0 - RATE_LOST),
                _ => false,
            }),
        }
    }

    /// Whether a machine of this build with less than usual may have been bought like this, rather than having lost something.
    pub(super) fn may_be_bought(&self, usual: &Parts) -> bool {
        let lost = self.parts.short_of(usual);
        let is_slowed = self.is_below_rating && lost.iter().any(|one| one.part == Part::DimmRate);
        lost.is_empty() || (self.is_even && !is_slowed)
    }
}

fn dimms(machine: &Machine) -> impl Iterator<Item = &MemoryDevice> {
    machine.memory_devices.iter().filter(|dimm| dimm.size.get() > 0)
}

/// Whether all packages have as many cores and DIMMs, and all nodes as much memory, as far as that is shown.
fn is_even(machine: &Machine) -> bool {
    let mut cores = BTreeMap::new();
    machine.cores.iter().for_each(|core| *cores.entry(core.package).or_insert(0) += 1);
    let mut held = BTreeMap::new();
    for (package, dimm) in dimms(machine).filter_map(|dimm| Some((dimm.package?, dimm))) {
        *held.entry(package).or_insert(0) += dimm.size.get();
    }
    let all_held = held.is_empty() || held.len() == machine.packages.len();
    let memory = || machine.nodes.iter().filter(|node| !node.pus.is_empty()).map(|node| node.memory.get());
    let (least, most) = (memory().min().unwrap_or(0), memory().max().unwrap_or(0));
    let rates = || dimms(machine).filter_map(|dimm| dimm.configured).map(TransfersPerSecond::get);
    let one_rate = rates().all(|rate| Some(rate) == rates().next());
    same(&cores) && same(&held) && all_held && one_rate && least as f64 >= most as f64 * (1.0 - EVEN)
}

fn same<K>(counts: &BTreeMap<K, u64>) -> bool {
    counts.values().all(|count| Some(count) == counts.values().next())
}

impl Parts {
    fn of(machine: &Machine) -> Self {
        let sum = |sizes: &mut dyn Iterator<Item = Bytes>| sizes.map(Bytes::get).sum::<u64>();
        let rates = dimms(machine).filter_map(|dimm| dimm.configured).map(TransfersPerSecond::get);
        let shown = [
            (Part::Dimms, dimms(machine).count() as u64),
            (Part::DimmCapacity, sum(&mut dimms(machine).map(|dimm| dimm.size))),
            (Part::DimmRate, rates.reduce(f64::min).map_or(0, |rate| (rate / 1e6).round() as u64)),
            (Part::Memory, sum(&mut machine.nodes.iter().map(|node| node.memory))),
            (Part::Cores, machine.core_count().unwrap_or(0) as u64),
        ];
        Self(shown.into_iter().filter(|(_, amount)| *amount > 0).collect())
    }

    /// Usual amounts of these machines: for each part, the amount that more than half of the machines that show it have.
    pub(super) fn usual<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        let mut shown: BTreeMap<Part, Vec<u64>> = BTreeMap::new();
        all.flat_map(|parts| &parts.0)
            .for_each(|(part, amount)| shown.entry(*part).or_default().push(*amount));
        let usual = shown.into_iter().filter_map(|(part, mut amounts)| {
            amounts.sort_unstable();
            let (count, amount) = match part {
                // No two machines have the very same.
                Part::Memory => {
                    let middle = amounts[amounts.len() / 2];
                    (amounts.iter().filter(|one| is_about(**one, middle)).count(), middle)
                }
                _ => amounts.chunk_by(u64::eq).map(|same| (same.len(), same[0])).max()?,
            };
            (count > 1 && 2 * count > amounts.len()).then_some((part, amount))
        });
        Self(usual.collect())
    }

    /// Parts of which there is less than usual, as far as both are shown. A missing DIMM is not reported again as missing capacity.
    pub fn short_of(&self, usual: &Self) -> Vec<Shortfall> {
        self.beside(usual).filter(Shortfall::is_less).fold(Vec::new(), |mut lost: Vec<Shortfall>, one| {
            let told = |part| lost.iter().any(|known| known.part == part);
            let is_told = match one.part {
                Part::DimmCapacity => told(Part::Dimms),
                Part::Memory => told(Part::Dimms) || told(Part::DimmCapacity),
                _ => false,
            };
            lost.extend((!is_told).then_some(one));
            lost
        })
    }

    /// Parts of which there is more than usual, as a shortfall of the others.
    pub fn beyond(&self, usual: &Self) -> Vec<Shortfall> {
        let turned = |one: Shortfall| Shortfall { found: one.usual, usual: one.found, ..one };
        self.beside(usual).map(turned).filter(Shortfall::is_less).collect()
    }

    /// Distance from the usual amounts: a logarithm for each part.
    pub(super) fn distance(&self, usual: &Self) -> f64 {
        self.beside(usual).map(|one| libm::log(one.found as f64 / one.usual as f64).abs()).sum()
    }

    fn beside(&self, usual: &Self) -> impl Iterator<Item = Shortfall> {
        let both = |(part, usual): (&Part, &u64)| {
            Some(Shortfall { part: *part, found: *self.0.get(part)?, usual: *usual })
        };
        usual.0.iter().filter_map(both)
    }
}

impl Shortfall {
    fn is_less(&self) -> bool {
        let Self { part, found, usual } = *self;
        let below = usual.saturating_sub(found);
        let (share, least) = match part {
            Part::Memory => MEMORY_LOST,
            Part::DimmRate => (RATE_LOST, 1),
            Part::Dimms | Part::DimmCapacity | Part::Cores => (0.0, 1),
        };
        below >= least && below as f64 >= share * usual as f64
    }
}

impl Part {
    /// `24 DIMMs`.
    pub fn words(self, amount: u64) -> String {
        match self {
            Self::Dimms => counted(amount as usize, "DIMM"),
            Self::DimmCapacity => format!("{} of DIMMs", Bytes(amount)),
            Self::DimmRate => format!("DIMMs at {amount} MT/s"),
            Self::Memory => format!("{} memory", gib(amount)),
            Self::Cores => counted(amount as usize, "core"),
        }
    }
}

/// `15 of 24 DIMMs`.
impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { part, found, usual } = *self;
        match part {
            Part::Dimms => write!(f, "{found} of {}", counted(usual as usize, "DIMM")),
            Part::DimmCapacity => write!(f, "DIMMs with {} of {}", Bytes(found), Bytes(usual)),
            Part::DimmRate => write!(f, "DIMMs at {found} of {usual} MT/s"),
            Part::Memory => write!(f, "{} of {} memory", gib(found), gib(usual)),
            Part::Cores => write!(f, "{found} of {}", counted(usual as usize, "core")),
        }
    }
}

/// Whether two machines have the same memory, but for what kernels and firmware keep for themselves.
pub(super) fn is_about(one: u64, other: u64) -> bool {
    one.abs_diff(other) as f64 <= MEMORY_LOST.0 * one.max(other) as f64
}

/// What a kernel has is no round number.
fn gib(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / (1_u64 << 30) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts<const N: usize>(of: [(Part, u64); N]) -> Parts {
        Parts(of.into())
    }

    #[test]
    fn what_is_missing_is_named_once_and_what_one_side_does_not_show_is_not_compared() {
        let usual = parts([
            (Part::Dimms, 24),
            (Part::DimmCapacity, 96 << 35),
            (Part::DimmRate, 4800),
            (Part::Cores, 64),
        ]);
        let words = |own: &Parts| own.short_of(&usual).iter().map(ToString::to_string).collect::<Vec<_>>();
        let lost = parts([
            (Part::Dimms, 15),
            (Part::DimmCapacity, 60 << 35),
            (Part::DimmRate, 4800),
            (Part::Cores, 64),
        ]);
        assert_eq!(words(&lost), ["15 of 24 DIMMs"]);
        assert_eq!(words(&parts([(Part::DimmRate, 3200)])), ["DIMMs at 3200 of 4800 MT/s"]);
        assert_eq!(words(&parts([(Part::Cores, 32)])), ["32 of 64 cores"]);
        assert_eq!(words(&parts([(Part::DimmRate, 4799), (Part::Memory, 1)])), [""; 0]);
        assert_eq!(parts([(Part::Cores, 80)]).beyond(&usual).len(), 1);
    }

    #[test]
    fn the_memory_of_a_kernel_may_differ_by_what_it_keeps_for_itself() {
        let usual = parts([(Part::Memory, 256 << 30)]);
        let lost = |gib: u64| !parts([(Part::Memory, gib << 30)]).short_of(&usual).is_empty();
        assert_eq!([256, 250, 248, 240].map(lost), [false, false, true, true]);
        // A crash kernel on a small machine is no broken DIMM.
        let small = parts([(Part::Memory, 8 << 30)]);
        assert!(parts([(Part::Memory, 7 << 30)]).short_of(&small).is_empty());
    }

    #[test]
    fn what_is_usual_is_what_more_than_half_have() {
        let of = |counts: &[u64]| {
            let all: Vec<Parts> = counts.iter().map(|count| parts([(Part::Dimms, *count)])).collect();
            Parts::usual(all.iter()).0.get(&Part::Dimms).copied()
        };
        assert_eq!(of(&[24, 24, 15]), Some(24));
        assert_eq!(of(&[24, 15]), None);
        assert_eq!(of(&[24]), None);
        assert_eq!(of(&[]), None);
        let memory = |gib: &[u64]| {
            let all: Vec<Parts> = gib.iter().map(|gib| parts([(Part::Memory, gib << 30)])).collect();
            Parts::usual(all.iter()).0.get(&Part::Memory).map(|bytes| bytes >> 30)
        };
        assert_eq!(memory(&[128, 128, 252, 256, 255]), Some(252));
        assert_eq!(memory(&[128, 128, 252, 256]), None, "of two halves nobody knows which is usual");
    }
}
