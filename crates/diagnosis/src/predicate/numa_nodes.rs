//! Tests of the number of NUMA nodes that a machine shows.

use std::collections::{BTreeMap, BTreeSet};

use zerohop_expectation::Standing;
use zerohop_machine::{NodeId, NumaNode, PackageId};
use zerohop_result::{Measure, Query};
use zerohop_units::counted;

use super::PredicateResult;
use crate::condition::ExpectedValues;
use crate::context::AskedNodes;
use crate::experiments::{BANDWIDTH_MATRIX, LATENCY_MATRIX};
use crate::facts::Facts;
use crate::test_outcome::{Match, TestOutcome};
use crate::words::listed;

/// Nodes that have CPUs, if the machine lists CPUs.
pub(crate) fn with_cpus<'a>(facts: &Facts<'a>) -> Result<Vec<&'a NumaNode>, String> {
    let nodes: Vec<&NumaNode> = facts.machine().nodes.iter().filter(|node| !node.pus.is_empty()).collect();
    if nodes.is_empty() { Err("the nodes of the machine's CPUs".to_owned()) } else { Ok(nodes) }
}

pub(crate) fn fewer_than_packages(facts: &Facts<'_>) -> PredicateResult {
    // A matrix of fewer nodes than packages may be a part of all: only a machine that lists its nodes shows that there are no more.
    let packages = packages(facts)?;
    let stated = facts.machine().stated.nodes.map(|nodes| nodes as usize);
    let nodes = match with_cpus(facts) {
        _ if is_one_for_all(facts) => 1,
        Ok(nodes) => nodes.len(),
        Err(missing) => stated.ok_or(missing)?,
    };
    if nodes >= packages {
        return Ok(TestOutcome::No);
    }
    let names = [("nodes", nodes.to_string()), ("packages", packages.to_string())];
    let shown =
        if nodes == 1 { "1 NUMA node with CPUs".to_owned() } else { format!("{nodes} NUMA nodes with CPUs") };
    Ok(TestOutcome::one(Match::fact(names).shown_by(format!("{packages} packages, {shown}"))))
}

/// The nodes of each package.
pub(crate) fn of_packages(facts: &Facts<'_>) -> BTreeMap<PackageId, BTreeSet<NodeId>> {
    let mut of: BTreeMap<PackageId, BTreeSet<NodeId>> = BTreeMap::new();
    for pu in &facts.machine().pus {
        of.entry(pu.package).or_default().insert(pu.node);
    }
    of
}

/// Several nodes have CPUs.
pub(crate) fn several(facts: &Facts<'_>) -> TestOutcome {
    if facts.initiators().count() > 1 { TestOutcome::one(Match::fact([])) } else { TestOutcome::No }
}

/// The nodes of two packages have CPUs; where packages are unknown, two nodes have.
pub(crate) fn one_pair(facts: &Facts<'_>) -> TestOutcome {
    let packages = match of_packages(facts).len() {
        0 => facts.initiators().count(),
        // Two packages may show themselves as one node.
        known => known.min(facts.initiators().count()),
    };
    if packages == 2 { TestOutcome::one(Match::fact([])) } else { TestOutcome::No }
}

pub(crate) fn uneven(facts: &Facts<'_>) -> PredicateResult {
    let of_packages = of_packages(facts);
    if of_packages.len() < 2 {
        return if of_packages.is_empty() {
            Err("the machine's packages".to_owned())
        } else {
            Ok(TestOutcome::No)
        };
    }
    let counts: Vec<String> = of_packages.values().map(|nodes| nodes.len().to_string()).collect();
    let distinct: BTreeSet<&String> = counts.iter().collect();
    if distinct.len() == 1 {
        return Ok(TestOutcome::No);
    }
    let counts = listed(&counts);
    Ok(TestOutcome::one(
        Match::fact([("counts", counts.clone())]).shown_by(format!("packages have {counts} nodes")),
    ))
}

pub(crate) fn only_one(facts: &Facts<'_>, least: f64) -> PredicateResult {
    // A matrix of one node is a machine of one, as far as another tool's text shows it.
    if least == 0.0 && with_cpus(facts).is_err() && facts.initiators().count() == 1 {
        return Ok(TestOutcome::one(Match::fact([]).shown_by("values of one NUMA node")));
    }
    let stated = &facts.machine().stated;
    let (nodes, cpus) = match (with_cpus(facts), facts.machine().pu_count()) {
        (Ok(listed), _) => (listed.len(), facts.machine().pus.len()),
        (Err(missing), None) => return Err(missing),
        (Err(missing), Some(cpus)) => {
            // What a guest shows as one package is one node, unless it says otherwise.
            let of_guest = || stated.packages.filter(|_| facts.machine().system.hypervisor.is_some());
            (stated.nodes.or_else(of_guest).ok_or(missing)? as usize, cpus)
        }
    };
    if nodes > 1 || (cpus as f64) < least {
        return Ok(TestOutcome::No);
    }
    Ok(TestOutcome::one(
        Match::fact([("cpus", cpus.to_string())]).shown_by(format!("{cpus} CPUs in one NUMA node")),
    ))
}

pub(crate) fn without_memory(facts: &Facts<'_>) -> PredicateResult {
    let nodes = with_cpus(facts)?;
    let (without, with): (Vec<&NumaNode>, Vec<&NumaNode>) =
        nodes.into_iter().partition(|node| node.memory.get() == 0);
    if without.is_empty() || with.is_empty() {
        return Ok(TestOutcome::No);
    }
    let named: Vec<String> = without.iter().map(|node| node.id.to_string()).collect();
    let nodes = listed(&named);
    Ok(TestOutcome::one(
        Match::fact([("nodes", nodes.clone()), ("node", nodes.clone())])
            .about(without.iter().map(|node| node.id))
            .shown_by(format!("CPUs but no memory: node {nodes}")),
    ))
}

/// A package shows fewer nodes than it has dies with memory controllers.
pub(crate) fn fewer_than_dies(facts: &Facts<'_>, dies: usize) -> PredicateResult {
    let of_packages = of_packages(facts);
    if of_packages.is_empty() {
        return Err("the machine's packages".to_owned());
    }
    let fewest = of_packages.values().map(BTreeSet::len).min().unwrap_or_default();
    if fewest >= dies {
        return Ok(TestOutcome::No);
    }
    let shown = counted(fewest, "NUMA node");
    let names = [("nodes", shown.clone()), ("dies", dies.to_string())];
    let model = facts.machine().processor.model.trim();
    Ok(TestOutcome::one(
        Match::fact(names).shown_by(format!("{model}: {dies} dies with memory, {shown} per package")),
    ))
}

/// Another number of nodes per package than firmware was set to, or than the stated machine has.
pub(crate) fn not_taken(facts: &Facts<'_>) -> PredicateResult {
    let stated = facts.given.machine.and_then(AskedNodes::of_machine);
    let AskedNodes { per_package: asked, or_more, by } = facts
        .given
        .nodes
        .clone()
        .or(stated)
        .ok_or("the requested number of nodes per package: a stated machine (--machine) or firmware settings (--bios)")?;
    let (packages, nodes) = (packages(facts)?, seen(facts)?);
    if nodes < packages && with_cpus(facts).is_err() && !is_one_for_all(facts) {
        return Err("the nodes of all packages: the matrices may be incomplete".to_owned());
    }
    // One node for several packages is no node for each.
    let seen = if nodes < packages { 0 } else { nodes / packages };
    let is_taken = seen == asked || (or_more && seen > asked);
    if is_taken || (asked == 0 && packages == 1) {
        return Ok(TestOutcome::No);
    }
    let words = |per_package: usize| match per_package {
        0 => "one NUMA node for all packages".to_owned(),
        count => format!("{} per package", counted(count, "NUMA node")),
    };
    let names = [("asked", words(asked)), ("seen", words(seen)), ("by", by)];
    let shown = format!("{} in {}", counted(nodes, "NUMA node"), counted(packages, "package"));
    Ok(TestOutcome::one(Match::fact(names).shown_by(shown)))
}

/// The number of packages: the stated machine's where the result lists none.
fn packages(facts: &Facts<'_>) -> Result<usize, String> {
    let stated = facts.given.machine.map_or(0, |machine| machine.packages.len());
    let packages =
        [facts.machine().package_count().unwrap_or(0), stated].into_iter().find(|count| *count > 0);
    packages.ok_or_else(|| "the machine's packages".to_owned())
}

/// The number of nodes with CPUs. Where no CPUs are listed, only a whole matrix shows it: a text may have a part of it.
fn seen(facts: &Facts<'_>) -> Result<usize, String> {
    if let Ok(listed) = with_cpus(facts) {
        return Ok(listed.len());
    }
    if is_one_for_all(facts) {
        return Ok(1);
    }
    let initiators: BTreeSet<NodeId> = facts.initiators().collect();
    let all = || initiators.iter().flat_map(|from| initiators.iter().map(move |to| (*from, *to)));
    let is_whole = |(experiment, measure)| {
        let pairs = facts.pairs(experiment, &Query::of(measure));
        pairs.is_ok_and(|pairs| all().all(|(from, to)| pairs.get(from, to).is_some()))
    };
    let matrices = [(LATENCY_MATRIX, Measure::Latency), (BANDWIDTH_MATRIX, Measure::Bandwidth)];
    // One value alone, or one of each kind, may be those of a single node of several: published runs often have no more.
    let is_shown = initiators.len() > 1 && matrices.into_iter().any(is_whole);
    if is_shown { Ok(initiators.len()) } else { Err("the nodes of the machine's CPUs".to_owned()) }
}

/// Whether the only node of a text is that of all packages: it reads more than the memory of one package of the stated machine can deliver, or
/// more than such a node should, and waits longer for it than a node does for its own memory.
fn is_one_for_all(facts: &Facts<'_>) -> bool {
    /// The memory may be of a faster kind than stated, such as DDR5-5600 for DDR5-4800.
    const FASTER: f64 = 1.25;
    let Some(machine) = facts.given.machine.filter(|machine| machine.packages.len() > 1) else {
        return false;
    };
    let of_one = machine.theoretical_bandwidth().map(|peak| peak.total.get() / machine.packages.len() as f64);
    let mut initiators = facts.initiators();
    let (Some(node), None, Ok(of_one)) = (initiators.next(), initiators.next(), of_one) else { return false };
    let own = facts
        .pairs(BANDWIDTH_MATRIX, &Query::of(Measure::Bandwidth))
        .ok()
        .and_then(|pairs| pairs.get(node, node));
    let is_unlike = |values, standing| {
        let cells = facts.given.expectations.into_iter().flat_map(|known| &known.cells);
        let own = cells.filter(|cell| ExpectedValues::has(values, facts, cell));
        let mut own = own.filter(|cell| cell.expected.validated).peekable();
        own.peek().is_some() && own.all(|cell| cell.standing == standing)
    };
    own.is_some_and(|own| own > FASTER * of_one)
        || is_unlike(ExpectedValues::OwnLatency, Standing::Worse)
            && is_unlike(ExpectedValues::OwnBandwidth, Standing::Better)
}
