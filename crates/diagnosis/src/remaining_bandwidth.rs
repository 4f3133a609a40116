//! Bandwidth that remains with a cause: five of six channels leave five sixths, eight of sixteen lanes a half, and a lower rate any share.
//!
//! Each cause is a density over the remaining bandwidth; the likelihoods of causes are weighted by their densities at the share that was found. A
//! cause that allows few shares gains where one of them was found, and loses between them. The amount depends on the possible error of the reference
//! value: comparable nodes distinguish shares that a prediction does not.

use std::collections::BTreeSet;
use std::f64::consts::SQRT_2;

use schemars::JsonSchema;
use serde::Deserialize;
use zerohop_expectation::{Fact, Knowledge, Reading};

use crate::facts::Facts;
use zerohop_statistics::median;

/// Bandwidth that remains when a cause is present.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", expecting = "expected the performance that a cause leaves")]
pub enum RemainingBandwidth {
    /// Share of the channels that have DIMMs: any number of them may be empty.
    Channels,
    /// Share of the channels that still work, if DIMMs fail one by one.
    FailedChannels,
    /// Share of the links between two packages that are up.
    Links,
    /// Share of a link's lanes: links train with lanes in groups.
    Lanes,
    /// Any share from 0.45 to 0.98: rates of a technology come in small steps.
    Rate,
    /// Ratio of a lower DIMM rate to the machine's: DIMMs have few rates.
    DimmRate,
    /// Any share.
    Any,
}

/// Rates of a technology lie this close together: DDR4 has 1600 to 3200 MT/s, UPI 9.6 to 11.2 GT/s, xGMI 16 to 32 GT/s.
const RATES: (f64, f64) = (0.45, 0.98);

/// The rates of DDR3, DDR4 and DDR5 in MT/s.
const DIMM_RATES: [f64; 18] = [
    800.0, 1066.0, 1333.0, 1600.0, 1866.0, 2133.0, 2400.0, 2666.0, 2933.0, 3200.0, 3600.0, 4000.0, 4400.0,
    4800.0, 5200.0, 5600.0, 6000.0, 6400.0,
];

/// Rates of DIMMs where nobody knows the machine's.
const USUAL_DIMM_RATES: [f64; 6] = [2400.0, 2666.0, 2933.0, 3200.0, 4800.0, 5600.0];

/// How likely each lower one of them is, once the next higher one is not it.
const ANOTHER_RATE: f64 = 0.6;

/// No share is less likely than another.
const ANY: (f64, f64) = (0.05, 1.0);

/// What a narrow link keeps: a share of its lanes, or a width that links of every kind train to, and how often.
const KEPT: [(f64, f64); 3] = [(0.5, 0.3), (0.75, 0.2), (0.25, 0.1)];
const WIDTHS: [(u32, f64); 3] = [(8, 0.3), (4, 0.05), (2, 0.05)];

/// Lanes of a link where nobody knows how many there are: of HyperTransport, xGMI and data of UPI; of UPI 2.0.
const USUAL_LANES: [u32; 2] = [16, 24];

/// Channels of a node and links of a package where nobody knows how many there are.
const USUAL_CHANNELS: [u32; 6] = [2, 3, 4, 6, 8, 12];
const USUAL_LINKS: [u32; 3] = [2, 3, 4];

/// How likely another channel is to be missing once one is: DIMMs are bought and left out in groups, so any number is as likely.
const ANOTHER_CHANNEL: f64 = 1.0;

/// The same on a single node, where its sisters have what it lacks.
const ANOTHER_FAILED: f64 = 0.4;

/// How likely another link is to be down once one is: links fail one by one.
const ANOTHER_LINK: f64 = 0.1;

/// Shares of the parts that may be left, each with how likely it is.
type Shares = Vec<(f64, f64)>;

impl RemainingBandwidth {
    /// The density of this share, in which the value that it refers to may be off by `error`, by logarithm.
    pub(crate) fn density(self, share: f64, error: f64, facts: &Facts<'_>) -> f64 {
        let (found, error) = (libm::log(share), error.max(LEAST_ERROR));
        let between = |(low, high): (f64, f64)| {
            let (low, high) = (libm::log(low), libm::log(high));
            let below = |end: f64| 0.5 * (1.0 + libm::erf((end - found) / (error * SQRT_2)));
            (below(high) - below(low)) / (high - low)
        };
        let Some(shares) = self.shares(facts) else { return between(self.range()) };
        let near = |place: f64| {
            let (far, error) = self.far(found, place, error, facts);
            libm::exp(-0.5 * far * far) / (error * SQUARE_ROOT_OF_TWO_PI)
        };
        let whole: f64 = shares.iter().map(|(place, likely)| likely * near(*place)).sum();
        (1.0 - self.odd()) * whole + self.odd() * between(self.range())
    }

    /// Fit of this share to the nearest possible one: 1 for an exact match.
    pub(crate) fn fit(self, share: f64, error: f64, facts: &Facts<'_>) -> f64 {
        let (found, error) = (libm::log(share), error.max(LEAST_ERROR));
        let far = match self.shares(facts) {
            Some(shares) => {
                let far = shares.iter().map(|(place, _)| self.far(found, *place, error, facts).0.abs());
                far.fold(f64::INFINITY, f64::min)
            }
            None => {
                let (low, high) = self.range();
                (found - found.clamp(libm::log(low), libm::log(high))) / error
            }
        };
        libm::exp(-0.5 * far * far)
    }

    /// How many deviations what was found is from this share of the parts, by logarithm, and the deviation.
    fn far(self, found: f64, share: f64, error: f64, facts: &Facts<'_>) -> (f64, f64) {
        let fact = self.fact();
        let place = libm::log(through(facts, fact, share));
        let better = if whole_readings(facts, fact).is_empty() { LESS_IS_USED_BETTER } else { MODELED };
        let error = libm::hypot(error, better * place);
        ((found - place) / error, error)
    }

    /// Whose numbers models were run with.
    const fn fact(self) -> Fact {
        match self {
            // DIMMs of a lower rate lose in proportion, as channels do.
            Self::Channels | Self::FailedChannels | Self::DimmRate => Fact::Channels,
            Self::Links | Self::Lanes | Self::Rate | Self::Any => Fact::Links,
        }
    }

    /// The shares that are left where these are not as likely as all others.
    fn shares(self, facts: &Facts<'_>) -> Option<Shares> {
        Some(match self {
            Self::Channels => {
                let of = |count| fewer(count, ANOTHER_CHANNEL);
                channels_of_a_node(facts).map_or_else(|| mean(&USUAL_CHANNELS, of), of)
            }
            Self::FailedChannels => {
                // Most fail one by one; some were left out, or belong to one controller.
                let of = |count| {
                    mean(&[ANOTHER_CHANNEL, ANOTHER_FAILED, ANOTHER_FAILED], |another| fewer(count, another))
                };
                channels_of_a_node(facts).map_or_else(|| mean(&USUAL_CHANNELS, of), of)
            }
            Self::Links => {
                let of = |count| fewer(count, ANOTHER_LINK);
                wires(facts).map_or_else(|| mean(&USUAL_LINKS, of), of)
            }
            Self::Lanes => lanes(facts).map_or_else(|| mean(&USUAL_LANES, narrower), narrower),
            Self::DimmRate => {
                dimm_rate(facts).map_or_else(|| mean(&USUAL_DIMM_RATES, lower_rates), lower_rates)
            }
            Self::Rate | Self::Any => return None,
        })
    }

    /// What is left otherwise: any share in this range.
    const fn range(self) -> (f64, f64) {
        match self {
            Self::Rate | Self::DimmRate => RATES,
            _ => ANY,
        }
    }

    /// How often it is otherwise.
    const fn odd(self) -> f64 {
        match self {
            // Throttled DIMMs lose any share.
            Self::DimmRate => THROTTLED,
            _ => ODD,
        }
    }
}

/// The fewer parts there are, the better each is used: by this share of the logarithm of what is left, where no model says by how much.
const LESS_IS_USED_BETTER: f64 = 0.1;

/// The same beside a model.
const MODELED: f64 = 0.05;

/// How often a whole share shows as another one: parts differ, or something else is wrong as well.
const ODD: f64 = 0.2;

/// How often DIMMs that are slow run at no rate of the list.
const THROTTLED: f64 = 0.5;

/// No value repeats more closely.
const LEAST_ERROR: f64 = 0.01;

const SQUARE_ROOT_OF_TWO_PI: f64 = 2.506_628_274_631_000_2;

/// The shares of so many parts of which at least one works and one does not, with how likely each is.
fn fewer(count: u32, another: f64) -> Shares {
    let likely = |missing: u32| another.powi(missing as i32);
    let all: f64 = (1..count).map(likely).sum();
    (1..count).map(|missing| (f64::from(count - missing) / f64::from(count), likely(missing) / all)).collect()
}

/// The shares of the lanes of a link that a narrow one keeps, with how likely each is.
fn narrower(lanes: u32) -> Shares {
    let all = f64::from(lanes);
    let widths = WIDTHS.into_iter().filter(|(width, _)| *width < lanes);
    let widths = widths.map(|(width, likely)| (f64::from(width) / all, likely));
    let kept: Shares = KEPT.into_iter().chain(widths).collect();
    let whole: f64 = kept.iter().map(|(_, likely)| likely).sum();
    kept.into_iter().map(|(share, likely)| (share, likely / whole)).collect()
}

/// The lanes of the machine's links, if they are known.
fn lanes(facts: &Facts<'_>) -> Option<u32> {
    match facts.given.expectations?.knowledge {
        Knowledge::Model { lanes, .. } => lanes,
        _ => None,
    }
}

/// The rate of the machine's DIMMs in MT/s, if it is known.
fn dimm_rate(facts: &Facts<'_>) -> Option<f64> {
    let machine = facts.given.machine.unwrap_or_else(|| facts.machine());
    let rates = machine.memory_devices.iter().filter_map(|device| device.configured);
    rates.map(|rate| rate.0 / 1e6).reduce(f64::max)
}

/// The shares of a rate of DIMMs that lower rates are, with how likely each is.
fn lower_rates(rate: f64) -> Shares {
    let shares = DIMM_RATES.into_iter().rev().map(|lower| lower / rate);
    let shares: Vec<f64> = shares.filter(|share| (RATES.0..RATES.1).contains(share)).collect();
    let likely = |rank: usize| ANOTHER_RATE.powi(rank as i32);
    let all: f64 = (0..shares.len()).map(likely).sum();
    shares.into_iter().enumerate().map(|(rank, share)| (share, likely(rank) / all)).collect()
}

/// The shares that each of several numbers leaves, any of which is as likely.
fn mean<T: Copy>(of: &[T], shares: impl Fn(T) -> Shares) -> Shares {
    let each = 1.0 / of.len() as f64;
    of.iter().flat_map(|&one| shares(one)).map(|(share, likely)| (share, each * likely)).collect()
}

/// What is left of the bandwidth if this share of the parts is left: as models with fewer parts have it, because cores may ask for less than all
/// parts give; in proportion where there are none.
fn through(facts: &Facts<'_>, fact: Fact, share: f64) -> f64 {
    let readings = whole_readings(facts, fact);
    let Some(nominal) = readings.iter().find(|reading| reading.nominal) else { return share };
    // Where another number fits, what was found is that of the cells that tell the two apart.
    let ranks: Vec<usize> = match readings.iter().find(|reading| reading.fits_best && !reading.nominal) {
        Some(best) => best.ranks_apart_from(nominal).collect(),
        None => (0..nominal.cells.len()).collect(),
    };
    let mut points: Vec<(f64, f64)> = vec![(0.0, 0.0)];
    for reading in readings.iter().filter(|reading| reading.value <= nominal.value) {
        let left = ranks.iter().map(|&rank| reading.cells[rank].expected / nominal.cells[rank].expected);
        if let Some(left) = median(left) {
            points.push((f64::from(reading.value) / f64::from(nominal.value), left));
        }
    }
    if points.len() < 2 {
        return share;
    }
    points.sort_by(|one, other| one.0.total_cmp(&other.0));
    let above = points.iter().position(|point| point.0 >= share).unwrap_or(points.len() - 1).max(1);
    let ((from, low), (to, high)) = (points[above - 1], points[above]);
    low + (high - low) * (share - from) / (to - from)
}

/// The readings of a fact for the whole machine.
fn whole_readings<'a>(facts: &Facts<'a>, fact: Fact) -> Vec<&'a Reading> {
    let all = facts.given.expectations.map_or(&[][..], |expectations| expectations.readings());
    all.iter().filter(|reading| reading.fact == fact && reading.node.is_none()).collect()
}

fn nominal(facts: &Facts<'_>, fact: Fact) -> Option<u32> {
    whole_readings(facts, fact).into_iter().find(|reading| reading.nominal).map(|reading| reading.value)
}

/// The memory channels of each node with CPUs, if all have as many.
pub(crate) fn channels_of_a_node(facts: &Facts<'_>) -> Option<u32> {
    let machine = facts.given.machine.unwrap_or_else(|| facts.machine());
    let packages = machine.packages.len();
    let nodes = machine.nodes.iter().filter(|node| !node.pus.is_empty()).count();
    if packages == 0 {
        // A text of another tool may show the processor and no packages. A node is one of these, or a part of one, whose shares are among those of
        // the whole.
        return nominal(facts, Fact::Channels).filter(|count| *count > 1);
    }
    if nodes == 0 {
        return None;
    }
    let listed = || {
        let channels =
            machine.memory_devices.iter().map(|device| (device.package, device.channel.as_deref()));
        let channels: BTreeSet<_> = channels.filter(|(_, channel)| channel.is_some()).collect();
        Some(channels.len()).filter(|count| *count > 0)
    };
    let all = nominal(facts, Fact::Channels).map(|count| count as usize * packages).or_else(listed)?;
    u32::try_from(all / nodes).ok().filter(|count| *count > 1 && all.is_multiple_of(nodes))
}

/// The links between two packages, if these are all and somebody knows.
fn wires(facts: &Facts<'_>) -> Option<u32> {
    let machine = facts.given.machine.unwrap_or_else(|| facts.machine());
    nominal(facts, Fact::Links).filter(|_| machine.packages.len() == 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_lanes_of_sixteen_are_a_half_and_of_twenty_four_a_third() {
        let likely = |lanes, share: f64| -> f64 {
            let all = narrower(lanes);
            assert!((all.iter().map(|(_, likely)| likely).sum::<f64>() - 1.0).abs() < 1e-12);
            all.iter().filter(|(kept, _)| (kept - share).abs() < 1e-9).map(|(_, likely)| likely).sum()
        };
        assert!((likely(16, 0.5) - 0.6).abs() < 1e-9 && (likely(16, 0.25) - 0.15).abs() < 1e-9);
        assert!((likely(24, 1.0 / 3.0) - 0.3).abs() < 1e-9 && (likely(24, 0.5) - 0.3).abs() < 1e-9);
        assert!(likely(16, 1.0 / 3.0) == 0.0 && likely(8, 1.0) == 0.0);
    }
}
