//! Measures: name, unit, dimension, and whether larger is better. Each measure is declared once, here; engines, results, comparisons and pages derive
//! the rest from it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_units::{GigabytesPerSecond, Nanoseconds};

use crate::UnknownName;

/// Dimension of a measure, which determines the comparable values and the units in which it may be published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dimension {
    /// A time, in ns.
    Time,
    /// Bytes per time, in decimal GB/s.
    Rate,
    /// One quantity over another of the same dimension; 1 means equal.
    Ratio,
    /// A fraction of a whole, 0 to 1.
    Share,
    /// A count, or a mean of counts.
    Count,
    /// Events per second.
    PerSecond,
    /// A measure that this version does not know.
    Unknown,
}

/// Which of two values is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Better {
    Larger,
    Smaller,
}

/// Aspect that a measure describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aspect {
    /// Performance of the workload. Results are compared by it.
    Outcome,
    /// An outcome restated: seen from the memory bus, or relative to another outcome of the same result.
    Restated,
    /// Activity inside the machine during the workload.
    Inside,
}

/// The declaration of a measure.
struct Declaration {
    name: &'static str,
    words: &'static str,
    dimension: Dimension,
    better: Better,
    aspect: Aspect,
}

/// Generates the enum, the list and the lookup from one declaration per measure.
macro_rules! measures {
    ($($(#[$doc:meta])* $measure:ident = $name:literal, $words:literal, $dimension:ident, $better:ident, $aspect:ident;)*) => {
        /// Quantity that a cell measures, including the unit.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(expecting = "expected the name of a measure")]
        #[schemars(transform = crate::open_schema)]
        pub enum Measure {
            $($(#[$doc])* #[serde(rename = $name)] $measure,)*
            /// A measure of a later version, unknown to this one.
            #[serde(untagged)]
            Unknown(UnknownName),
        }

        impl Measure {
            /// All measures that this version knows.
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
    /// ns of one dependent load, or of a one-way cache-line transfer; at a stage, the time that a line fill spends there; in a
    /// ramp, the time of a whole line fill.
    Latency = "latency_ns", "latency", Time, Smaller, Outcome;
    /// ns between the fastest and the slowest of the cache lines that two cores pass to each other.
    LatencySpread = "latency_spread_ns", "spread over lines", Time, Smaller, Restated;
    /// Share of all loads, 0 to 1, whose time is in a range of a histogram.
    ShareOfLoads = "share_of_loads", "share of loads", Share, Smaller, Restated;
    /// Decimal GB/s of bytes that the program asked for.
    Bandwidth = "bandwidth_gbps", "bandwidth", Rate, Larger, Outcome;
    /// Decimal GB/s on the memory bus, including write allocates and write-backs.
    BusTraffic = "bus_traffic_gbps", "bus traffic", Rate, Larger, Restated;
    /// ns per line of a thread's array; for several threads, the sum.
    TimePerLine = "time_per_line_ns", "time per line", Time, Smaller, Outcome;
    /// Time per line over that of the base; 1 means equal.
    RelativeTime = "relative_time", "relative time", Ratio, Smaller, Restated;
    /// Bandwidth over the highest bandwidth.
    RelativeBandwidth = "relative_bandwidth", "relative bandwidth", Ratio, Larger, Restated;
    /// Decimal GB/s of all bytes on one direction of a link.
    LinkTraffic = "link_traffic_gbps", "link traffic", Rate, Larger, Inside;
    /// Decimal GB/s of data on one direction of a link, without headers.
    LinkData = "link_data_gbps", "link data", Rate, Larger, Inside;
    /// Share of the capacity of one direction of a link, or of a channel's bus time, 0 to 1.
    Utilization = "utilization", "utilization", Share, Smaller, Inside;
    /// Waiting packets, lines or requests, averaged over time.
    QueueLength = "queue_length", "queue length", Count, Smaller, Inside;
    /// Requests in a home agent's table, averaged over time.
    Occupancy = "occupancy", "occupancy", Count, Smaller, Inside;
    /// Requests per second that a home agent rejected because its table was full.
    Rejections = "rejections_per_s", "rejections", PerSecond, Smaller, Inside;
}

impl Dimension {
    /// Unit in files; empty if dimensionless.
    pub const fn unit(self) -> &'static str {
        match self {
            Self::Time => Nanoseconds::UNIT,
            Self::Rate => GigabytesPerSecond::UNIT,
            Self::PerSecond => "1/s",
            Self::Ratio | Self::Share | Self::Count | Self::Unknown => "",
        }
    }

    /// Unit for display; empty if dimensionless.
    pub const fn shown_unit(self) -> &'static str {
        if self.is_percent() { "%" } else { self.unit() }
    }

    /// Converts a value from the unit of files to the unit for display.
    pub fn shown(self, value: f64) -> f64 {
        if self.is_percent() { value * 100.0 } else { value }
    }

    /// Whether it is displayed in percent. Files store the plain ratio.
    pub const fn is_percent(self) -> bool {
        matches!(self, Self::Ratio | Self::Share)
    }
}

impl Measure {
    /// The measure of that name, which may be one of a later version.
    pub fn named(name: &str) -> Self {
        let known = Self::ALL.into_iter().find(|known| known.name() == name);
        known.unwrap_or_else(|| Self::Unknown(UnknownName::new(name)))
    }

    /// Name of the measure in files and column heads.
    pub const fn name(self) -> &'static str {
        self.declaration().name
    }

    /// Name of the measure in words.
    pub const fn words(self) -> &'static str {
        self.declaration().words
    }

    /// Dimension of the measure.
    pub const fn dimension(self) -> Dimension {
        self.declaration().dimension
    }

    /// Unit of the measure, as printed in column heads of files; empty if dimensionless.
    pub const fn unit(self) -> &'static str {
        self.dimension().unit()
    }

    /// Whether larger is better.
    pub const fn larger_is_better(self) -> bool {
        matches!(self.declaration().better, Better::Larger)
    }

    pub const fn aspect(self) -> Aspect {
        self.declaration().aspect
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
    fn every_measure_is_read_back_by_its_name_in_files() {
        for measure in Measure::ALL {
            assert_eq!(serde_json::to_value(measure).unwrap(), measure.name());
            assert_eq!(serde_json::from_value::<Measure>(measure.name().into()).unwrap(), measure);
        }
        let names: BTreeSet<&str> = Measure::ALL.iter().map(|measure| measure.name()).collect();
        assert_eq!(names.len(), Measure::ALL.len(), "no two measures share a name");
        for measure in Measure::ALL {
            assert_eq!(Measure::named(measure.name()), measure);
        }
        assert_eq!(Measure::named("later"), Measure::Unknown(UnknownName::new("later")));
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
        assert!(matches!(later, Measure::Unknown(_)));
        assert_eq!((later.name(), later.unit()), ("row_misses_per_s", ""));
        assert_eq!(serde_json::to_string(&later).unwrap(), "\"row_misses_per_s\"");
        assert_eq!(later, serde_json::from_str("\"row_misses_per_s\"").unwrap());
        assert!(serde_json::from_str::<Measure>("7").is_err(), "a measure is a name");
    }
}
