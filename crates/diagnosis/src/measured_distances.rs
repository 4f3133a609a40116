//! Distances between nodes as they were measured, in the forms that firmware and hwloc have for them.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use zerohop_machine::{AccessClass, DistanceMatrix, Machine, NodeAccess, NodeId, NumaNode};
use zerohop_result::{Measure, Query, ResultFile};
use zerohop_units::{GigabytesPerSecond, Nanoseconds};

use crate::context::Given;
use crate::distance_doubt::DistanceDoubt;
use crate::experiments::{BANDWIDTH_MATRIX, LATENCY_MATRIX};
use crate::facts::Facts;

/// The distance that stands for a node's own memory (ACPI 6.5, 5.2.17).
const LOCAL: u32 = 10;

/// The largest distance; 255 is memory that cannot be reached.
const FARTHEST: u32 = 254;

/// Distances this near to each other are one: the kernel makes a level of scheduling of each distinct distance, and noise is none.
const ALIKE: f64 = 0.06;

/// Measured distances between nodes, next to the firmware's distances.
#[derive(Debug, Clone, PartialEq)]
pub struct MeasuredDistances {
    pub name: String,
    /// Distances in proportion to latencies, 10 for a node's own memory.
    pub measured: DistanceMatrix,
    /// Distances of the firmware, if it has any.
    pub stated: Option<DistanceMatrix>,
    /// Idle latencies from node to node.
    pub latencies: BTreeMap<(NodeId, NodeId), Nanoseconds>,
    /// Bandwidths from node to node, if they were measured.
    pub bandwidths: BTreeMap<(NodeId, NodeId), GigabytesPerSecond>,
    /// The machine, as described by the result.
    machine: Machine,
}

/// Reason why there are no measured distances.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoDistances {
    #[error("the result does not contain {0}")]
    Missing(String),
    /// A machine of one node has no distances.
    #[error("the machine of the result has only one node")]
    OneNode,
    /// Some pair was not measured, and the firmware has no distance for it.
    #[error("nothing is known about the path from node {0} to node {1}")]
    Hole(NodeId, NodeId),
}

impl NoDistances {
    /// Hint for the user.
    pub const fn hint(&self) -> Option<&'static str> {
        match self {
            Self::OneNode => None,
            Self::Missing(_) | Self::Hole(..) => {
                Some("`zerohop run latency-matrix` measures all pairs of nodes")
            }
        }
    }
}

impl MeasuredDistances {
    /// Measured distances of a result.
    ///
    /// # Errors
    /// If the result has no latencies that are not doubtful, or not enough of them.
    pub fn of(file: &ResultFile) -> Result<Self, NoDistances> {
        let facts = Facts::new(file, Given::default());
        let latency =
            facts.pairs(LATENCY_MATRIX, &Query::of(Measure::Latency)).map_err(NoDistances::Missing)?;
        let latencies: BTreeMap<(NodeId, NodeId), Nanoseconds> =
            latency.cells.iter().map(|(way, cell)| (*way, Nanoseconds(cell.estimate.median))).collect();
        let bandwidth = facts.pairs(BANDWIDTH_MATRIX, &Query::of(Measure::Bandwidth)).ok();
        let bandwidths = bandwidth.map(|pairs| pairs.cells).unwrap_or_default();
        let bandwidths =
            bandwidths.iter().map(|(way, cell)| (*way, GigabytesPerSecond(cell.estimate.median))).collect();
        let stated = file.machine.distances.clone();
        let of_firmware = stated.iter().flat_map(|matrix| matrix.nodes.iter().copied());
        let nodes: BTreeSet<NodeId> =
            latencies.keys().flat_map(|(from, to)| [*from, *to]).chain(of_firmware).collect();
        if nodes.len() < 2 {
            return Err(NoDistances::OneNode);
        }
        let nodes: Vec<NodeId> = nodes.into_iter().collect();
        let measured = distances(nodes, &latencies, stated.as_ref())?;
        let (name, machine) = (file.machine.name.clone(), file.machine.clone());
        Ok(Self { name, measured, stated, latencies, bandwidths, machine })
    }

    /// Pairs of nodes whose distance by firmware is another than the measured one.
    pub fn differing(&self) -> usize {
        let Some(stated) = &self.stated else { return 0 };
        let pairs = self.pairs();
        pairs.filter(|(from, to)| stated.get(*from, *to) != self.measured.get(*from, *to)).count()
    }

    /// Doubts about a firmware table with these rows, the worst first.
    pub fn doubts(&self) -> Vec<DistanceDoubt> {
        let rows = &self.measured.nodes;
        let has_gaps = rows.iter().zip(0..).any(|(node, rank)| node.0 != rank);
        let of_machine = |is: fn(&NumaNode) -> bool| -> Vec<NodeId> {
            self.machine.nodes.iter().filter(|node| is(node)).map(|node| node.id).collect()
        };
        let without_row: Vec<NodeId> =
            of_machine(|_| true).into_iter().filter(|node| !rows.contains(node)).collect();
        // A text may list nodes without saying what they have.
        let knows_cpus = self.machine.nodes.iter().any(|node| !node.pus.is_empty());
        let knows_memory = self.machine.nodes.iter().any(|node| node.memory.get() > 0);
        let without_cpus = of_machine(|node| node.pus.is_empty());
        let without_memory = of_machine(|node| node.memory.get() == 0);
        let doubts = [
            has_gaps.then(|| DistanceDoubt::Gaps(rows.clone())),
            (!without_row.is_empty()).then_some(DistanceDoubt::WithoutRow(without_row)),
            (knows_cpus && !without_cpus.is_empty()).then_some(DistanceDoubt::WithoutCpus(without_cpus)),
            (knows_memory && !without_memory.is_empty())
                .then_some(DistanceDoubt::WithoutMemory(without_memory)),
        ];
        doubts.into_iter().flatten().collect()
    }

    /// All pairs of nodes, in the order of rows.
    pub fn pairs(&self) -> impl Iterator<Item = (NodeId, NodeId)> {
        let nodes = &self.measured.nodes;
        nodes.iter().flat_map(move |from| nodes.iter().map(move |to| (*from, *to)))
    }

    /// The machine with measured distances, latencies and bandwidths in the place of the firmware's.
    pub fn machine(&self) -> Machine {
        let access = self.pairs().filter_map(|(from, to)| {
            let way = (from, to);
            let (latency, bandwidth) = (self.latencies.get(&way), self.bandwidths.get(&way));
            (latency.is_some() || bandwidth.is_some()).then(|| NodeAccess {
                target: to,
                initiators: vec![from],
                class: AccessClass::NearestCpu,
                read_latency: latency.copied(),
                write_latency: None,
                read_bandwidth: bandwidth.copied(),
                write_bandwidth: None,
            })
        });
        Machine { distances: Some(self.measured.clone()), access: access.collect(), ..self.machine.clone() }
    }

    /// The table of the firmware (SLIT) with measured distances, as `iasl` compiles it.
    pub fn slit(&self) -> String {
        let nodes = self.measured.nodes.len();
        let mut text = String::new();
        let mut field = |bytes: usize, name: &str, value: &str| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "[{bytes:04}] {name:>34} : {value}");
        };
        field(4, "Signature", "\"SLIT\"    [System Locality Information Table]");
        field(4, "Table Length", &format!("{:08X}", 44 + nodes * nodes));
        field(1, "Revision", "01");
        field(1, "Checksum", "00");
        field(6, "Oem ID", "\"OEMID \"");
        field(8, "Oem Table ID", "\"OEMTABLE\"");
        field(4, "Oem Revision", "00000002");
        field(4, "Asl Compiler ID", "\"INTL\"");
        field(4, "Asl Compiler Revision", "20200925");
        field(8, "Localities", &format!("{nodes:016X}"));
        for (rank, row) in self.measured.rows.iter().enumerate() {
            let row: Vec<String> = row.iter().map(|distance| format!("{distance:02X}")).collect();
            field(nodes, &format!("Locality {rank:3}"), &row.join(" "));
        }
        text
    }
}

/// Distances that follow from latencies, with those of the firmware where nothing was measured.
fn distances(
    nodes: Vec<NodeId>,
    latencies: &BTreeMap<(NodeId, NodeId), Nanoseconds>,
    stated: Option<&DistanceMatrix>,
) -> Result<DistanceMatrix, NoDistances> {
    let ratio = |from: NodeId, to: NodeId| {
        let (own, far) = (latencies.get(&(from, from))?, latencies.get(&(from, to))?);
        (own.get() > 0.0).then(|| far.get() / own.get())
    };
    let mut ratios: BTreeMap<(NodeId, NodeId), f64> = BTreeMap::new();
    for &from in &nodes {
        for &to in nodes.iter().filter(|to| **to != from) {
            // A node without CPUs issues no loads: the way back stands for the way there.
            let known = ratio(from, to).or_else(|| ratio(to, from));
            let of_firmware = || stated?.get(from, to).map(|distance| f64::from(distance) / f64::from(LOCAL));
            let known = known.or_else(of_firmware).ok_or(NoDistances::Hole(from, to))?;
            ratios.insert((from, to), known);
        }
    }
    let levels = levels(ratios.values().copied().collect());
    let distance = |from: NodeId, to: NodeId| {
        let Some(ratio) = ratios.get(&(from, to)) else { return LOCAL };
        let level = levels.iter().find(|level| level.last().is_some_and(|last| ratio <= last));
        let usual = level.map_or(*ratio, |level| level[level.len() / 2]);
        // The kernel refuses a table in which another node is as near as the own one.
        ((usual * f64::from(LOCAL)).round() as u32).clamp(LOCAL + 1, FARTHEST)
    };
    let rows = nodes.iter().map(|from| nodes.iter().map(|to| distance(*from, *to)).collect()).collect();
    Ok(DistanceMatrix { nodes, rows })
}

/// Ratios in groups of those that are alike, each group ascending.
fn levels(mut ratios: Vec<f64>) -> Vec<Vec<f64>> {
    ratios.sort_by(f64::total_cmp);
    let mut levels: Vec<Vec<f64>> = Vec::new();
    for ratio in ratios {
        match levels.last_mut() {
            Some(level) if ratio <= level[0] * (1.0 + ALIKE) => level.push(ratio),
            _ => levels.push(vec![ratio]),
        }
    }
    levels
}
