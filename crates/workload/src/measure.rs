//! What a number is: its name, its unit, its dimension, and whether more of it is better. Each measure is declared once, here;
//! engines, results, comparisons and pages ask it for the rest.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{GigabytesPerSecond, Nanoseconds};

use crate::UnknownName;

/// What kind of quantity a number is: what it may be compared with and published in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// A time, in ns.
    Time,
    /// Bytes per time, in decimal GB/s.
    Rate,
    /// One quantity over another of the same dimension; 1 is as much.
    Ratio,
    /// A part of a whole, 0 to 1.
    Share,
    /// A number of things, also a mean one.
    Count,
    /// Events per second.
    PerSecond,
    /// A measure that this version does not know.
    Unknown,
}

/// Which of two numbers is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Better {
    /// The larger.
    Larger,
    /// The smaller.
    Smaller,
}

/// What a measure says of a workload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aspect {
    /// What the workload reached: two results can be compared by it.
    Outcome,
    /// An outcome once more: seen from the memory bus, or relative to another outcome of the same result.
    Restated,
    /// What happened inside the machine meanwhile.
    Inside,
}

/// All there is to say about a measure.
struct Declaration {
    name: &'static str,
    words: &'static str,
    dimension: Dimension,
    better: Better,
    aspect: Aspect,
}

/// Makes the enum, the list and the lookup from one declaration a measure.
macro_rules! measures {
    ($($(#[$doc:meta])* $measure:ident = $name:literal, $words:literal, $dimension:ident, $better:ident, $aspect:ident;)*) => {
        /// What a cell's number is. The unit is part of it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[schemars(transform = crate::open_schema)]
        pub enum Measure {
            $($(#[$doc])* #[serde(rename = $name)] $measure,)*
            /// One that this version does not know, from a result of a later one.
            #[serde(untagged)]
            Unknown(UnknownName),
        }

        impl Measure {
            /// Every one that this version knows.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$measure),*];

            const fn declaration(self) -> Declaration {
                match self {
                    $(Self::$measure => Declaration {
                        name: $name,
                        words: $words,
                        dimension: Dimension::$dimension,
                        better: Better::$better,
                        aspect: Aspect::$aspect,
                    },)*
                    Self::Unknown(name) => Declaration {
                        name: name.as_str(),
                        words: name.as_str(),
                        dimension: Dimension::Unknown,
                        better: Better::Smaller,
                        aspect: Aspect::Inside,
                    },
                }
            }
        }
    };
}

measures! {
    /// ns of one dependent load, or of one cache-line transfer one way; at a stage, the time that a line fill spends there; of a
    /// ramp, the time of a whole line fill.
    Latency = "latency_ns", "latency", Time, Smaller, Outcome;
    /// Decimal GB/s of bytes that the program asked for.
    Bandwidth = "bandwidth_gbps", "bandwidth", Rate, Larger, Outcome;
    /// Decimal GB/s that the memory bus carries for it.
    BusTraffic = "bus_traffic_gbps", "bus traffic", Rate, Larger, Restated;
    /// ns that a thread takes for one line of its array; of several threads, the sum.
    TimePerLine = "time_per_line_ns", "time per line", Time, Smaller, Outcome;
    /// Time per line over that of the base: 1 is as long.
    RelativeTime = "relative_time", "relative time", Ratio, Smaller, Restated;
    /// Bandwidth over the highest.
    RelativeBandwidth = "relative_bandwidth", "relative bandwidth", Ratio, Larger, Restated;
    /// Decimal GB/s of all bytes on one direction of a link.
    LinkTraffic = "link_traffic_gbps", "link traffic", Rate, Larger, Inside;
    /// Decimal GB/s of data on one direction of a link, without headers.
    LinkData = "link_data_gbps", "link data", Rate, Larger, Inside;
    /// Share of the capacity of a link's direction, or of the time of a channel's bus, 0 to 1.
    Utilization = "utilization", "utilization", Share, Smaller, Inside;
    /// Packets, lines or requests that wait, mean over time.
    QueueLength = "queue_length", "queue length", Count, Smaller, Inside;
    /// Requests in a home agent's table, mean over time.
    Occupancy = "occupancy", "occupancy", Count, Smaller, Inside;
    /// Requests a second that a home agent sent back for want of room.
    Rejections = "rejections_per_s", "rejections", PerSecond, Smaller, Inside;
}

impl Dimension {
    /// Its unit in files; empty for a bare number.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Time => Nanoseconds::UNIT,
            Self::Rate => GigabytesPerSecond::UNIT,
            Self::PerSecond => "1/s",
            Self::Ratio | Self::Share | Self::Count | Self::Unknown => "",
        }
    }

    /// The unit in which people read it; empty for a bare number.
    pub const fn shown_unit(self) -> &'static str {
        if self.is_percent() { "%" } else { self.unit() }
    }

    /// A number in the unit of files, in the unit in which people read it.
    pub fn shown(self, value: f64) -> f64 {
        if self.is_percent() { value * 100.0 } else { value }
    }

    /// Whether people read it in percent. Files keep the bare number.
    pub const fn is_percent(self) -> bool {
        matches!(self, Self::Ratio | Self::Share)
    }
}

impl Measure {
    /// Its name in files and column heads.
    pub const fn name(self) -> &'static str {
        self.declaration().name
    }

    /// Its name in words.
    pub const fn words(self) -> &'static str {
        self.declaration().words
    }

    /// What kind of quantity it is.
    pub const fn dimension(self) -> Dimension {
        self.declaration().dimension
    }

    /// Its unit, as printed in column heads of files; empty for a bare number.
    pub const fn unit(self) -> &'static str {
        self.dimension().unit()
    }

    /// Whether a larger number is better.
    pub const fn larger_is_better(self) -> bool {
        matches!(self.declaration().better, Better::Larger)
    }

    /// What it says of a workload.
    pub const fn aspect(self) -> Aspect {
        self.declaration().aspect
    }

    /// Whether this version knows it.
    pub const fn is_known(self) -> bool {
        !matches!(self, Self::Unknown(_))
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.words())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_measure_is_known_by_its_name_in_files() {
        for measure in Measure::ALL {
            assert_eq!(serde_json::to_value(measure).unwrap(), measure.name());
            assert_eq!(serde_json::from_value::<Measure>(measure.name().into()).unwrap(), measure);
            assert!(measure.is_known());
        }
        let names: BTreeSet<&str> = Measure::ALL.iter().map(|measure| measure.name()).collect();
        assert_eq!(names.len(), Measure::ALL.len(), "no two share a name");
    }

    #[test]
    fn a_measure_s_unit_is_that_of_its_dimension() {
        assert_eq!((Measure::Latency.unit(), Measure::Latency.dimension().shown_unit()), ("ns", "ns"));
        assert_eq!((Measure::Utilization.unit(), Measure::Utilization.dimension().shown_unit()), ("", "%"));
        assert_eq!(Dimension::Ratio.shown(1.25), 125.0);
        assert_eq!(Measure::Rejections.unit(), "1/s");
    }

    #[test]
    fn a_measure_of_a_later_version_keeps_its_name() {
        let later: Measure = serde_json::from_str("\"row_misses_per_s\"").unwrap();
        assert!(!later.is_known());
        assert_eq!((later.name(), later.unit()), ("row_misses_per_s", ""));
        assert_eq!(serde_json::to_string(&later).unwrap(), "\"row_misses_per_s\"");
        assert_eq!(later, serde_json::from_str("\"row_misses_per_s\"").unwrap());
        assert!(serde_json::from_str::<Measure>("7").is_err(), "a measure is a word");
    }
}
