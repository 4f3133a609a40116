//! Settings of Linux: what they are on a machine, and what documents recommend.

use std::collections::BTreeMap;

use zerohop_machine::{FileTree, Machine, NodeId};
use zerohop_result::{Axis, Measure, ResultFile};

use super::advice::SystemSetting;
use super::goal::{Goal, WorkloadKind};
use super::kind::{Advice, Kind};
use super::probe::MATRIX;
use super::remedy::{Facts, remedies};
use super::settings_files::on_file;

/// The folder of the weights of weighted interleave.
const WEIGHTS: &str = "/sys/kernel/mm/mempolicy/weighted_interleave";

/// Bandwidths of nodes that differ by less need no weights.
const EVEN: f64 = 1.1;

/// Largest weight that is recommended: with larger ones, pages come in long runs on one node.
const LARGEST_WEIGHT: u32 = 16;

/// The memory bandwidth that each node was seen to give, and the weights that the kernel has now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// GB/s by node.
    pub bandwidths: BTreeMap<NodeId, f64>,
    /// Weights by node; empty where the kernel shows none.
    pub weights: BTreeMap<NodeId, u32>,
}

impl Measured {
    /// The bandwidths of a result: the best that any initiator gets from each node.
    pub fn of(result: &ResultFile) -> Self {
        let mut bandwidths: BTreeMap<NodeId, f64> = BTreeMap::new();
        let matrix = result.experiments.iter().filter(|one| one.experiment.as_str() == MATRIX);
        let cells = matrix.flat_map(|one| &one.cells);
        for cell in cells.filter(|cell| cell.measure == Measure::Bandwidth && cell.at.is_whole()) {
            let target = cell.at.number(Axis::Target).and_then(|node| u32::try_from(node).ok());
            let value = cell.estimate.median;
            if let Some(node) = target.filter(|_| value.is_finite() && value > 0.0) {
                let best = bandwidths.entry(NodeId(node)).or_insert(value);
                *best = best.max(value);
            }
        }
        Self { bandwidths, weights: BTreeMap::new() }
    }

    /// The same, and the weights that a kernel has now.
    #[must_use]
    pub fn with_weights(mut self, machine: &Machine, tree: &dyn FileTree) -> Self {
        let weight = |node: NodeId| {
            let bytes = tree.read(&format!("{WEIGHTS}/node{node}")).ok()?;
            String::from_utf8(bytes).ok()?.trim().parse().ok()
        };
        self.weights = machine.targets().filter_map(|node| Some((node.id, weight(node.id)?))).collect();
        self
    }
}

/// Small weights in proportion to bandwidths; nothing if the nodes are alike, or there are fewer than two.
pub fn weights(bandwidths: &BTreeMap<NodeId, f64>) -> Option<BTreeMap<NodeId, u32>> {
    let least = bandwidths.values().copied().fold(f64::INFINITY, f64::min);
    let most = bandwidths.values().copied().fold(0.0, f64::max);
    if bandwidths.len() < 2 || most < EVEN * least || least <= 0.0 {
        return None;
    }
    let rounded = |scale: u32| -> BTreeMap<NodeId, u32> {
        let weight = |bandwidth: f64| {
            let share = bandwidth / most * f64::from(scale);
            (share.round() as u32).max(1)
        };
        bandwidths.iter().map(|(node, bandwidth)| (*node, weight(*bandwidth))).collect()
    };
    // The bandwidth of the whole is that of the node whose share is too large for it.
    let reached = |weights: &BTreeMap<NodeId, u32>| {
        let all: u32 = weights.values().sum();
        let of = |(node, weight): (&NodeId, &u32)| bandwidths[node] * f64::from(all) / f64::from(*weight);
        weights.iter().map(of).fold(f64::INFINITY, f64::min)
    };
    let scales = (1..=LARGEST_WEIGHT).map(rounded);
    // Of equally good ones the smallest: a page more counts only if it gains a percent.
    scales.fold(None, |best: Option<BTreeMap<NodeId, u32>>, weights| match best {
        Some(best) if reached(&weights) <= 1.01 * reached(&best) => Some(best),
        _ => Some(weights),
    })
}

/// Linux's settings on a machine: those that its kernel shows.
pub fn system_settings(
    machine: &Machine,
    measured: &Measured,
    goal: Goal,
    workload: WorkloadKind,
) -> Vec<SystemSetting> {
    let kinds = on_file().kinds.iter();
    kinds.filter_map(|kind| system_setting(kind, machine, measured, goal, workload)).collect()
}

fn system_setting(
    kind: &Kind,
    machine: &Machine,
    measured: &Measured,
    goal: Goal,
    workload: WorkloadKind,
) -> Option<SystemSetting> {
    let State { shown, value } = state(&kind.id, machine, measured)?;
    let several = machine.targets().count() > 1;
    let about_nodes = matches!(kind.id.as_str(), "numa-balancing" | "zone-reclaim" | "weighted-interleave");
    let applies = several || !about_nodes;
    let advice = kind.advice_for(goal, workload, &machine.processor.model).next().filter(|_| applies);
    let mut setting = SystemSetting {
        kind: kind.id.clone(),
        title: kind.title.clone(),
        now: shown,
        recommended: None,
        why: None,
        source: kind.source.clone(),
        caution: None,
        commands: Vec::new(),
        reboot: false,
    };
    if kind.id == "weighted-interleave" {
        weigh(&mut setting, measured);
        return Some(setting);
    }
    if let Some(Advice { value: wanted, why, source, .. }) = advice
        && value.as_deref() != Some(wanted.as_str())
    {
        let remedies = remedies(&kind.id, Some(wanted), None, &Facts::default());
        let commands = remedies.iter().flat_map(|remedy| &remedy.commands);
        let mut commands: Vec<String> = commands.filter_map(|command| command.write.clone()).collect();
        // What holds at once comes first, and is enough.
        commands.truncate(1);
        setting.reboot = remedies.iter().all(|remedy| remedy.reboot);
        setting.recommended = Some(wanted.clone());
        setting.why = Some(why.clone());
        setting.source.clone_from(source);
        setting.caution.clone_from(&kind.caution);
        setting.commands = commands;
    }
    Some(setting)
}

/// The weights that measured bandwidths ask for.
fn weigh(setting: &mut SystemSetting, measured: &Measured) {
    let Some(wanted) = weights(&measured.bandwidths).filter(|wanted| *wanted != measured.weights) else {
        return;
    };
    let list: Vec<String> = wanted.iter().map(|(node, weight)| format!("node {node}: {weight}")).collect();
    let rates: Vec<String> =
        measured.bandwidths.iter().map(|(node, rate)| format!("node {node} {rate:.0} GB/s")).collect();
    setting.recommended = Some(list.join(", "));
    setting.why = Some(format!("in proportion to measured bandwidth: {}", rates.join(", ")));
    setting.caution =
        Some("only programs with this policy use them: `numactl --weighted-interleave`".to_owned());
    setting.commands = wanted
        .iter()
        .map(|(node, weight)| format!("echo {weight} | sudo tee {WEIGHTS}/node{node}"))
        .collect();
}

/// What a setting is.
struct State {
    /// As the kernel shows it.
    shown: String,
    /// In the words of its kind, if these have it.
    value: Option<String>,
}

impl State {
    fn new(shown: impl Into<String>, value: Option<&str>) -> Self {
        Self { shown: shown.into(), value: value.map(str::to_owned) }
    }
}

/// What a setting is on a machine; nothing if its kernel does not show that.
fn state(kind: &str, machine: &Machine, measured: &Measured) -> Option<State> {
    let system = &machine.system;
    let on = |flag: bool| if flag { "on" } else { "off" };
    match kind {
        "transparent-huge-pages" => {
            let mode = system.transparent_huge_pages.as_ref()?;
            Some(State::new(mode, Some(mode)))
        }
        "numa-balancing" => system.numa_balancing.map(|flag| State::new(on(flag), Some(on(flag)))),
        "zone-reclaim" => system.zone_reclaim.map(|mode| State::new(mode.to_string(), Some(on(mode != 0)))),
        "governor" => {
            let governor = system.governor.as_ref()?;
            let driver =
                system.frequency_driver.as_ref().map_or(String::new(), |driver| format!(" ({driver})"));
            Some(State::new(format!("{governor}{driver}"), Some(governor)))
        }
        "kernel-numa" => {
            system.kernel.as_ref()?;
            let modes = system.kernel_parameters.iter().filter_map(|one| one.strip_prefix("numa="));
            let modes: Vec<&str> = modes.flat_map(|modes| modes.split(',')).collect();
            let value = if modes.contains(&"off") {
                "off"
            } else if system.fakes_nodes() {
                "fake"
            } else {
                "firmware"
            };
            let shown =
                if modes.is_empty() { "no numa=".to_owned() } else { format!("numa={}", modes.join(",")) };
            Some(State::new(shown, Some(value)))
        }
        "huge-pages" => {
            let pools =
                machine.nodes.iter().flat_map(|node| node.huge_pages.iter().map(move |pool| (node.id, pool)));
            let reserved = pools.filter(|(_, pool)| pool.total > 0);
            let shown: Vec<String> = reserved
                .map(|(node, pool)| {
                    format!("node {node}: {} × {}, {} free", pool.total, pool.page, pool.free)
                })
                .collect();
            system.kernel.as_ref()?;
            match shown.is_empty() {
                true => Some(State::new("none reserved", Some("none"))),
                false => Some(State::new(shown.join("; "), Some("reserved"))),
            }
        }
        "weighted-interleave" => {
            let list: Vec<String> =
                measured.weights.iter().map(|(node, weight)| format!("node {node}: {weight}")).collect();
            match list.is_empty() {
                true => weights(&measured.bandwidths).map(|_| State::new("not known", None)),
                false => Some(State::new(list.join(", "), None)),
            }
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use zerohop_machine::{NumaNode, OperatingSystem};
    use zerohop_units::Bytes;

    use super::*;

    fn machine(nodes: u32) -> Machine {
        let node = |id| NumaNode {
            id: NodeId(id),
            pus: [zerohop_machine::PuId(id)].into_iter().collect(),
            memory: Bytes(1 << 30),
            free: Bytes(0),
            huge_pages: Vec::new(),
            memory_side_caches: Vec::new(),
            allowed: true,
        };
        let system = OperatingSystem {
            kernel: Some("6.12.0".to_owned()),
            transparent_huge_pages: Some("madvise".to_owned()),
            numa_balancing: Some(true),
            zone_reclaim: Some(1),
            governor: Some("powersave".to_owned()),
            kernel_parameters: vec!["numa=off".to_owned()],
            ..OperatingSystem::default()
        };
        Machine { nodes: (0..nodes).map(node).collect(), system, ..Machine::default() }
    }

    fn recommended(nodes: u32, workload: WorkloadKind) -> Vec<(String, Option<String>)> {
        let settings = system_settings(&machine(nodes), &Measured::default(), Goal::Bandwidth, workload);
        settings.into_iter().map(|one| (one.kind, one.recommended)).collect()
    }

    fn of(found: &[(String, Option<String>)], kind: &str) -> Option<String> {
        found.iter().find(|(one, _)| one == kind).unwrap().1.clone()
    }

    #[test]
    fn programs_decide_whether_pages_should_move() {
        let aware = recommended(2, WorkloadKind::NumaAware);
        assert_eq!(of(&aware, "numa-balancing").as_deref(), Some("off"));
        assert_eq!(of(&aware, "zone-reclaim").as_deref(), Some("off"));
        assert_eq!(of(&aware, "kernel-numa").as_deref(), Some("firmware"));
        assert_eq!(of(&aware, "governor").as_deref(), Some("performance"));
        let unaware = recommended(2, WorkloadKind::NumaUnaware);
        assert_eq!(of(&unaware, "numa-balancing"), None, "it is on already");
        let one = recommended(1, WorkloadKind::NumaAware);
        assert_eq!(of(&one, "numa-balancing"), None, "there is nowhere to move pages to");
    }

    #[test]
    fn commands_can_be_pasted() {
        let settings =
            system_settings(&machine(2), &Measured::default(), Goal::Latency, WorkloadKind::NumaAware);
        let commands: Vec<&str> =
            settings.iter().flat_map(|one| one.commands.iter().map(String::as_str)).collect();
        assert_eq!(
            commands,
            [
                "echo always | sudo tee /sys/kernel/mm/transparent_hugepage/enabled",
                "sudo sysctl -w kernel.numa_balancing=0",
                "sudo sysctl -w vm.zone_reclaim_mode=0",
                "sudo cpupower frequency-set -g performance",
                "no numa= in the boot loader's kernel command line",
            ]
        );
    }

    #[test]
    fn weights_follow_bandwidths() {
        let of = |rates: &[f64]| {
            let rates = rates.iter().zip(0..).map(|(rate, node)| (NodeId(node), *rate)).collect();
            weights(&rates).map(|weights| weights.into_values().collect::<Vec<_>>())
        };
        assert_eq!(of(&[200.0, 200.0]), None);
        assert_eq!(of(&[200.0]), None);
        assert_eq!(of(&[200.0, 100.0]), Some(vec![2, 1]));
        assert_eq!(of(&[250.0, 100.0]), Some(vec![5, 2]));
        assert_eq!(of(&[400.0, 17.6]).map(|weights| weights[1]), Some(1));
    }

    proptest! {
        #[test]
        fn weights_reach_nearly_all_of_what_nodes_can_give(rates in prop::collection::vec(20.0f64..300.0, 2..6)) {
            let rates: BTreeMap<NodeId, f64> = rates.into_iter().zip(0..).map(|(rate, node)| (NodeId(node), rate)).collect();
            if let Some(found) = weights(&rates) {
                let all: u32 = found.values().sum();
                let reached = found.iter().map(|(node, weight)| rates[node] * f64::from(all) / f64::from(*weight)).fold(f64::INFINITY, f64::min);
                let sum: f64 = rates.values().sum();
                let even = rates.values().copied().fold(f64::INFINITY, f64::min) * rates.len() as f64;
                prop_assert!(found.values().all(|weight| (1..=LARGEST_WEIGHT).contains(weight)));
                prop_assert!(reached > 0.7 * sum && reached >= 0.99 * even, "{found:?}: {reached} of {sum}");
            }
        }
    }
}
