//! Faults that a text cannot tell apart: others at the same place whose model gives the same values but for noise.

use std::collections::BTreeMap;

use zerohop_machine_file::Hardware;
use zerohop_model::Solver;
use zerohop_result::{Axis, ResultFile};

use crate::bench::{MATRICES, expectations, is_machine, machine};
use crate::mlc_texts::{NOISE, Values, Wrong, values_of};

/// Two texts of one machine differ by as much: each of them may be off by its noise.
const AGREES: f64 = 2.0 * NOISE;

/// Mean-value analysis is off by less, and solves in no time what is then simulated.
const ROUGHLY: f64 = 0.3;

/// Rates of DIMMs in MT/s.
pub(crate) const RATES: [f64; 17] = [
    800.0, 1066.0, 1333.0, 1600.0, 1866.0, 2133.0, 2400.0, 2666.0, 2933.0, 3200.0, 3600.0, 4000.0, 4400.0,
    4800.0, 5200.0, 5600.0, 6000.0,
];

/// Rates of links in GT/s: of QPI, UPI, and xGMI.
const LINK_RATES: [&str; 16] = [
    "4.8", "5.86", "6.4", "7.2", "8", "9.333", "9.6", "10.4", "10.667", "11.2", "13", "16", "18", "20", "24",
    "25",
];

const WIDTHS: [u32; 4] = [2, 4, 8, 12];

/// A text of a machine with something wrong.
pub(crate) struct Text<'a> {
    pub(crate) machine: &'a str,
    pub(crate) wrong: &'a [Wrong],
    pub(crate) values: Values,
    pub(crate) file: &'a ResultFile,
}

/// Something else that gives the same text.
#[derive(Debug)]
pub(crate) struct Twin {
    /// The machine, if it is another one.
    pub(crate) machine: String,
    /// What is wrong with it.
    pub(crate) wrong: Vec<Wrong>,
    /// Whether each value is the same but for noise. Otherwise, all values of a kind are off by a share that predictions may be off by.
    pub(crate) is_same: bool,
}

impl Text<'_> {
    /// What else may be wrong if these values are all that is known: another fault at the place of one of the faults, or one fault less.
    pub(crate) fn twins(&self, is_stated: bool) -> Vec<Twin> {
        let others = others(&machine(self.machine), self.wrong).into_iter().chain(self.without_one());
        others.filter_map(|wrong| self.twin(self.machine, wrong, is_stated)).collect()
    }

    /// The same machine with another number of links or channels, or another rate of DIMMs, without one of the faults or without all, if it
    /// gives the same text.
    pub(crate) fn other_machines(&self) -> Vec<Twin> {
        let variants = self.variants();
        let twins = variants.iter().flat_map(|name| {
            let wrongs = std::iter::once(Vec::new()).chain(self.without_one());
            wrongs.filter_map(|wrong| self.twin(name, wrong, false))
        });
        twins.collect()
    }

    /// The faults without each of them, where there are two.
    fn without_one(&self) -> Vec<Vec<Wrong>> {
        match self.wrong {
            [one, other] => vec![vec![other.clone()], vec![one.clone()]],
            _ => Vec::new(),
        }
    }

    /// This machine with what is wrong, if it gives the same text.
    fn twin(&self, machine: &str, wrong: Vec<Wrong>, is_stated: bool) -> Option<Twin> {
        let roughly = values_of(machine, &wrong, Solver::Flow)?;
        if !(self.agrees(&roughly, ROUGHLY) || is_stated && self.is_near(&roughly, ROUGHLY)) {
            return None;
        }
        let values = values_of(machine, &wrong, Solver::Auto)?;
        let is_same = self.values.len() == values.len() && self.agrees(&values, AGREES);
        let is_twin = is_same || is_stated && self.is_near(&values, AGREES);
        is_twin.then(|| Twin { machine: machine.to_owned(), wrong, is_same })
    }

    /// Whether each of these values is that of the text, but for a share.
    fn agrees(&self, values: &Values, share: f64) -> bool {
        let is_same = |one: &f64, other: &f64| (one / other - 1.0).abs() <= share;
        values.iter().all(|(place, value)| self.values.get(place).is_some_and(|own| is_same(own, value)))
    }

    /// Whether each of these values is that of the text but for a share, if all values of a kind may be off by one factor, as predictions are known
    /// to be.
    fn is_near(&self, values: &Values, share: f64) -> bool {
        let expectations = expectations(self.machine, self.file, true);
        let mut kinds: BTreeMap<String, (f64, Vec<f64>)> = BTreeMap::new();
        for cell in &expectations.cells {
            let Some(experiment) = MATRICES.into_iter().find(|known| cell.experiment.as_str() == *known)
            else {
                continue;
            };
            let ends = cell.at.number(Axis::Initiator).zip(cell.at.number(Axis::Target));
            let Some(place) = ends.map(|(from, to)| (experiment, from, to)) else { continue };
            let Some((own, other)) = self.values.get(&place).zip(values.get(&place)) else { continue };
            let error = cell.expected.value / cell.expected.low - 1.0;
            kinds.entry(format!("{:?}", cell.kind)).or_insert((error, Vec::new())).1.push(own / other);
        }
        kinds.into_values().all(|(error, mut ratios)| {
            ratios.sort_by(f64::total_cmp);
            let middle = ratios[ratios.len() / 2];
            let is_off = |ratio: &f64| (ratio / middle - 1.0).abs() > share;
            (middle - 1.0).abs() <= error + share - AGREES && !ratios.iter().any(is_off)
        })
    }

    /// Machines of the same generation with another number of links or channels, or another rate of DIMMs: what its faults may look like.
    fn variants(&self) -> Vec<String> {
        let mut settings = Vec::new();
        for fault in self.wrong.iter().filter_map(text_of) {
            if fault.starts_with("link") {
                settings.extend((1..=4).map(|count| format!("links={count}")));
            } else {
                settings.extend((1..=12).map(|count| format!("channels={count}")));
                settings.extend(RATES.map(|rate| format!("rate={rate:.0} MT/s")));
            }
        }
        settings.sort();
        settings.dedup();
        let with = |setting: String| {
            let key = setting.split_once('=').map_or("", |(key, _)| key).to_owned();
            let others = self.machine.split(',').filter(|word| !word.starts_with(&format!("{key}=")));
            others.chain([setting.as_str()]).collect::<Vec<_>>().join(",")
        };
        settings.into_iter().map(with).filter(|name| is_machine(name)).collect()
    }
}

/// Each of these faults in turn with another one at its place; the same fault on each node where each node has the same.
fn others(hardware: &Hardware, wrong: &[Wrong]) -> Vec<Vec<Wrong>> {
    let nodes: Option<Vec<&str>> = wrong.iter().map(|one| node(text_of(one)?)).collect();
    if let Some(nodes) = nodes.filter(|nodes| nodes.len() > 1) {
        let on_each = |state: String| {
            nodes.iter().map(|node| Wrong::Fault(state.replacen("NODE", node, 1))).collect::<Vec<_>>()
        };
        return of_a_node(hardware, "NODE", nodes[0]).into_iter().map(on_each).collect();
    }
    let mut all = Vec::new();
    for (rank, fault) in wrong.iter().enumerate() {
        let Some(fault) = text_of(fault) else { continue };
        let here = match node(fault) {
            Some(node) => of_a_node(hardware, node, node),
            None => of_a_link(fault.split_once('=').map_or("", |(link, _)| link)),
        };
        all.extend(here.into_iter().map(|other| {
            let mut others = wrong.to_vec();
            others[rank] = Wrong::Fault(other);
            others
        }));
    }
    all
}

fn text_of(wrong: &Wrong) -> Option<&str> {
    match wrong {
        Wrong::Fault(fault) => Some(fault),
        Wrong::Direction { .. } => None,
    }
}

/// `node1` of `channels:node1=5`.
fn node(fault: &str) -> Option<&str> {
    let (what, _) = fault.split_once('=')?;
    what.strip_prefix("channels:").or_else(|| what.strip_prefix("slow-dimm:"))
}

/// Faults of a node's memory, which are written with `name`.
fn of_a_node(hardware: &Hardware, name: &str, node: &str) -> Vec<String> {
    let number: u32 = node.trim_start_matches("node").parse().unwrap();
    let memory = hardware.memories.iter().find(|memory| memory.node.0 == number).unwrap();
    let fewer = (1..memory.channels.len()).map(|working| format!("channels:{name}={working}"));
    let slower = RATES.iter().map(|rate| format!("slow-dimm:{name}={rate:.0}"));
    fewer.chain(slower).collect()
}

fn of_a_link(link: &str) -> Vec<String> {
    let narrow = WIDTHS.iter().map(|width| format!("{link}=x{width}"));
    let slow = LINK_RATES.iter().map(|rate| format!("{link}={rate}"));
    narrow.chain(slow).chain([format!("{link}=down")]).collect()
}
