//! Facts about the machine.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_expectation::Knowledge;
use zerohop_machine::{MemoryDevice, NumaNode, PackageId, Setting};

use super::{PredicateResult, listing, numa_nodes, weights};
use crate::condition::MachineFact;
use crate::facts::Facts;
use crate::remaining_bandwidth;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::{listed, percent};

/// The processor's name contains one of these.
pub(crate) fn processor(facts: &Facts<'_>, names: &[String]) -> PredicateResult {
    let model = &facts.machine().processor.model;
    if model.is_empty() {
        return Err("the processor's name".to_owned());
    }
    let is = names.iter().any(|name| model.contains(name.as_str()));
    Ok(if is {
        TestOutcome::one(Match::fact([("processor", model.clone())]).shown_by(format!("processor: {model}")))
    } else {
        TestOutcome::No
    })
}

/// It has other numbers of parts than the stated machine: its values are held against another machine's.
fn unlike_stated(facts: &Facts<'_>) -> PredicateResult {
    match facts.given.expectations.map(|expectations| &expectations.knowledge) {
        Some(Knowledge::Model { stated: true, doubts, machine, .. }) => Ok(match doubts.as_slice() {
            [] => TestOutcome::No,
            [doubt, ..] => {
                let names = [("doubt", doubt.clone()), ("machine", machine.clone())];
                TestOutcome::one(
                    doubts.iter().fold(Match::fact(names), |found, doubt| found.shown_by(doubt.clone())),
                )
            }
        }),
        _ => Err("a stated machine (--machine)".to_owned()),
    }
}

/// A fact about the machine.
pub(crate) fn fact(facts: &Facts<'_>, fact: MachineFact, least: f64) -> PredicateResult {
    match fact {
        MachineFact::FewerNodesThanPackages => numa_nodes::fewer_than_packages(facts),
        MachineFact::FewerNodesThanDies => numa_nodes::fewer_than_dies(facts, least as usize),
        MachineFact::NodesNotTaken => numa_nodes::not_taken(facts),
        MachineFact::UnlikeStated => unlike_stated(facts),
        MachineFact::SharedCpus => listing::shared_cpus(facts),
        MachineFact::EqualDistances => listing::equal_distances(facts),
        MachineFact::AlternatingCpus => listing::alternating_cpus(facts),
        MachineFact::MisplacedCpus => listing::misplaced_cpus(facts),
        MachineFact::SizesUnlikeDimms => listing::sizes_unlike_dimms(facts),
        MachineFact::MemoryOnOneNode => listing::memory_on_one_node(facts),
        MachineFact::UnevenNodes => numa_nodes::uneven(facts),
        MachineFact::OneNode => numa_nodes::only_one(facts, least),
        MachineFact::SeveralNodes => Ok(numa_nodes::several(facts)),
        MachineFact::OnePair => Ok(numa_nodes::one_pair(facts)),
        MachineFact::NodeWithoutMemory => numa_nodes::without_memory(facts),
        MachineFact::ManyChannels => many_channels(facts, least as u32),
        MachineFact::UnevenMemory => uneven_memory(facts, least),
        MachineFact::UnevenChannels => uneven_channels(facts),
        MachineFact::DimmsBelowRated => below_rated(facts, least),
        MachineFact::UnequalDimms => unequal_dimms(facts),
        MachineFact::SlowMemoryNode => weights::slow_memory_node(facts, least),
        MachineFact::Virtual => Ok(match &facts.machine().system.hypervisor {
            Some(hypervisor) => TestOutcome::one(
                Match::fact([("hypervisor", hypervisor.clone())])
                    .shown_by(format!("hypervisor: {hypervisor}")),
            ),
            None if facts.machine().pus.is_empty() => return Err("whether the machine is virtual".to_owned()),
            None => TestOutcome::No,
        }),
        MachineFact::LinksStated => {
            let links = facts.machine().settings.iter().find(|setting| setting.name == "links");
            let shown = |links: &Setting| Match::fact([("links", links.value.clone())]);
            Ok(links.map_or(TestOutcome::No, |links| TestOutcome::one(shown(links))))
        }
        MachineFact::TransparentHugePages => {
            let mode = facts.machine().system.transparent_huge_pages.as_ref();
            let mode = mode.ok_or("the kernel's mode of transparent huge pages")?;
            let place = || Match::fact([("mode", mode.clone())]);
            let is_on = ["always", "madvise"].contains(&mode.as_str());
            Ok(if is_on {
                TestOutcome::one(place().shown_by(format!("transparent huge pages: {mode}")))
            } else {
                TestOutcome::No
            })
        }
        MachineFact::NumaBalancing => setting(
            facts.machine().system.numa_balancing.map(|on| (on, u32::from(on))),
            "kernel.numa_balancing",
        ),
        MachineFact::ZoneReclaim => {
            setting(facts.machine().system.zone_reclaim.map(|mode| (mode > 0, mode)), "vm.zone_reclaim_mode")
        }
        MachineFact::PartialCpuset => partial_cpuset(facts),
        MachineFact::SavingGovernor => {
            let governor = facts.machine().system.governor.as_ref().ok_or("the cpufreq governor")?;
            let saves = ["powersave", "conservative"].iter().any(|name| governor.contains(name));
            let driver = facts.machine().system.frequency_driver.as_deref().unwrap_or_default();
            // Drivers in which the processor decides call their ordinary governor `powersave`.
            let decides = driver.contains("pstate") || driver.contains("epp");
            Ok(if saves && !decides {
                TestOutcome::one(
                    Match::fact([("governor", governor.clone())])
                        .shown_by(format!("cpufreq governor: {governor}")),
                )
            } else {
                TestOutcome::No
            })
        }
    }
}

/// Each node has as many memory channels at least.
fn many_channels(facts: &Facts<'_>, least: u32) -> PredicateResult {
    let channels = remaining_bandwidth::channels_of_a_node(facts)
        .ok_or("the number of channels per node: a stated machine (--machine) or a list of DIMMs")?;
    if channels < least {
        return Ok(TestOutcome::No);
    }
    Ok(TestOutcome::one(Match::fact([("channels", channels.to_string())])))
}

/// A setting of the kernel: whether it is what a rule looks for, and its value.
fn setting(value: Option<(bool, u32)>, name: &'static str) -> PredicateResult {
    let (is, value) = value.ok_or_else(|| format!("the kernel's setting {name}"))?;
    let place = || Match::fact([("setting", name.to_owned()), ("value", value.to_string())]);
    Ok(if is { TestOutcome::one(place().shown_by(format!("{name} = {value}"))) } else { TestOutcome::No })
}

fn uneven_memory(facts: &Facts<'_>, least: f64) -> PredicateResult {
    let nodes: Vec<&NumaNode> =
        numa_nodes::with_cpus(facts)?.into_iter().filter(|node| node.memory.get() > 0).collect();
    if nodes.len() < 2 {
        return Err("two nodes with CPUs and memory".to_owned());
    }
    let most = nodes.iter().map(|node| node.memory).max().unwrap_or_default();
    let share = |node: &NumaNode| 1.0 - node.memory.get() as f64 / most.get() as f64;
    let place = |node: &&NumaNode| {
        let (id, memory) = (node.id, node.memory);
        let names = [
            ("node", id.to_string()),
            ("memory", memory.to_string()),
            ("most", most.to_string()),
            ("less", percent(share(node))),
        ];
        let words = format!("node {id} has {memory} of memory, others {most} (-{})", percent(share(node)));
        Match::fact(names).about([id]).shown_by(words)
    };
    Ok(TestOutcome::of(nodes.iter().filter(|node| share(node) >= least).map(place).collect()))
}

fn dimms<'a>(facts: &Facts<'a>) -> Result<Vec<&'a MemoryDevice>, String> {
    let machine = facts.machine();
    if machine.memory_devices.is_empty() {
        let why = machine.no_memory_devices.as_ref().map_or(String::new(), |why| format!(" ({why})"));
        return Err(format!("the list of DIMM slots{why}"));
    }
    Ok(machine.memory_devices.iter().filter(|device| device.size.get() > 0).collect())
}

fn uneven_channels(facts: &Facts<'_>) -> PredicateResult {
    let mut channels: BTreeMap<PackageId, BTreeSet<&str>> =
        facts.machine().packages.iter().map(|package| (package.id, BTreeSet::new())).collect();
    for device in dimms(facts)? {
        let (Some(package), Some(channel)) = (device.package, device.channel.as_deref()) else {
            return Err("the channels of the DIMM slots".to_owned());
        };
        channels.entry(package).or_default().insert(channel);
    }
    let most = channels.values().map(BTreeSet::len).max().unwrap_or_default();
    let fewer = channels.iter().filter(|(_, channels)| channels.len() < most);
    let nodes = numa_nodes::of_packages(facts);
    let place = |(package, channels): (&PackageId, &BTreeSet<&str>)| {
        let has = channels.len();
        let mut names =
            vec![("package", package.to_string()), ("has", has.to_string()), ("most", most.to_string())];
        let of_package = nodes.get(package).cloned().unwrap_or_default();
        // A package with a single node is that node.
        if let Some(node) = of_package.first().filter(|_| of_package.len() == 1) {
            names.push(("node", node.to_string()));
        }
        let words = format!("package {package} has DIMMs on {has} channels, others on {most}");
        Match { names: names.into_iter().collect(), ..Match::fact([]) }.about(of_package).shown_by(words)
    };
    Ok(TestOutcome::of(fewer.map(place).collect()))
}

fn below_rated(facts: &Facts<'_>, least: f64) -> PredicateResult {
    let speeds = dimms(facts)?.into_iter().filter_map(|device| Some((device.rated?, device.configured?)));
    let speeds: Vec<_> = speeds.collect();
    let share = |of: &(zerohop_units::TransfersPerSecond, zerohop_units::TransfersPerSecond)| {
        1.0 - of.1.get() / of.0.get()
    };
    let worst = speeds.iter().max_by(|one, other| share(one).total_cmp(&share(other)));
    let worst = worst.ok_or("the speed of the DIMMs")?;
    if share(worst) < least {
        return Ok(TestOutcome::No);
    }
    let names = [("rated", worst.0.to_string()), ("configured", worst.1.to_string())];
    let words = format!("DIMMs rated for {} run at {}", worst.0, worst.1);
    Ok(TestOutcome::one(Match::fact(names).shown_by(words)))
}

fn unequal_dimms(facts: &Facts<'_>) -> PredicateResult {
    let configured: BTreeSet<u64> =
        dimms(facts)?.into_iter().filter_map(|device| Some(device.configured?.get() as u64)).collect();
    let (Some(slow), Some(fast)) = (configured.first(), configured.last()) else {
        return Err("the speed of the DIMMs".to_owned());
    };
    if slow == fast {
        return Ok(TestOutcome::No);
    }
    let speed = |rate: &u64| zerohop_units::TransfersPerSecond(*rate as f64).to_string();
    let names = [("slow", speed(slow)), ("fast", speed(fast))];
    Ok(TestOutcome::one(Match::fact(names).shown_by(format!(
        "DIMMs run at {} and at {}",
        speed(slow),
        speed(fast)
    ))))
}

fn partial_cpuset(facts: &Facts<'_>) -> PredicateResult {
    if facts.machine().pus.is_empty() {
        return Err("the process's cpuset".to_owned());
    }
    let system = &facts.machine().system;
    let parts = [("cpuset.cpus", &system.cpuset_cpus), ("cpuset.mems", &system.cpuset_mems)];
    let parts: Vec<String> =
        parts.iter().filter_map(|(name, list)| Some(format!("{name} = {}", list.as_ref()?))).collect();
    if parts.is_empty() {
        return Ok(TestOutcome::No);
    }
    let part = listed(&parts);
    Ok(TestOutcome::one(Match::fact([("part", part.clone())]).shown_by(part)))
}
