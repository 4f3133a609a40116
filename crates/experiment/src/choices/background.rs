//! Background threads: the rate that they demand, and how many there are.

use std::fmt;
use std::str::FromStr;

use zerohop_units::GigabytesPerSecond;

use super::{by_name, name_of};

/// The rate at which every background thread reads its local memory.
///
/// The levels are those of AMD's application note 40555. It states two rates, 0.5 GB/s for low and 4 GB/s for very high. Our
/// copy of the text lacks the table with the others; 1.5 and 2.5 GB/s are our choice.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub enum Background {
    /// There are no background threads.
    #[default]
    None,
    /// 0.5 GB/s each.
    Low,
    /// 1.5 GB/s each.
    Medium,
    /// 2.5 GB/s each.
    High,
    /// 4 GB/s each.
    VeryHigh,
    /// Another rate each.
    Rate(GigabytesPerSecond),
}

/// The number of cores with a thread, foreground and background together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subscription {
    #[default]
    None,
    /// One background thread on most nodes: on the first free core of every node if the foreground threads run on several
    /// nodes, or of every other node if they all run on one.
    High,
    /// A background thread on every free core.
    Full,
}

impl Background {
    /// The named levels, in ascending order.
    const NAMES: [(&'static str, Self); 5] = [
        ("none", Self::None),
        ("low", Self::Low),
        ("medium", Self::Medium),
        ("high", Self::High),
        ("very-high", Self::VeryHigh),
    ];

    /// The rate that each thread demands; `None` without background threads.
    pub const fn rate(self) -> Option<GigabytesPerSecond> {
        match self {
            Self::None => None,
            Self::Low => Some(GigabytesPerSecond(0.5)),
            Self::Medium => Some(GigabytesPerSecond(1.5)),
            Self::High => Some(GigabytesPerSecond(2.5)),
            Self::VeryHigh => Some(GigabytesPerSecond(4.0)),
            Self::Rate(rate) => Some(rate),
        }
    }
}

impl fmt::Display for Background {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate(rate) => f.pad(&rate.to_string()),
            level => f.pad(name_of(level, &Self::NAMES)),
        }
    }
}

impl FromStr for Background {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if !text.trim_start().starts_with(|first: char| first.is_ascii_digit() || first == '.') {
            return by_name(text, "level", &Self::NAMES)
                .map_err(|error| format!("{error}, or a rate such as `1.2 GB/s`"));
        }
        let rate: GigabytesPerSecond = text.parse().map_err(|error| format!("{error}"))?;
        if rate.get() > 0.0 { Ok(Self::Rate(rate)) } else { Ok(Self::None) }
    }
}

impl Subscription {
    /// The named levels, in ascending order.
    const NAMES: [(&'static str, Self); 3] =
        [("none", Self::None), ("high", Self::High), ("full", Self::Full)];

    /// All subscriptions, in ascending order.
    pub const ALL: [Self; 3] = [Self::None, Self::High, Self::Full];

    /// Name of the subscription on the command line and in results.
    pub fn name(self) -> &'static str {
        name_of(&self, &Self::NAMES)
    }
}

impl fmt::Display for Subscription {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Subscription {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        by_name(text, "subscription", &Self::NAMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_rise_and_read_back() {
        let rates: Vec<_> = Background::NAMES
            .iter()
            .map(|(_, level)| level.rate().map_or(0.0, GigabytesPerSecond::get))
            .collect();
        assert!(rates.is_sorted());
        assert_eq!((rates[1], rates[4]), (0.5, 4.0));
        for (name, level) in Background::NAMES {
            assert_eq!((level.to_string().as_str(), name.parse()), (name, Ok(level)));
        }
        for subscription in Subscription::ALL {
            assert_eq!(subscription.to_string().parse(), Ok(subscription));
        }
    }

    #[test]
    fn any_rate_is_accepted() {
        let rate = Background::Rate(GigabytesPerSecond(1.2));
        assert_eq!("1.2 GB/s".parse(), Ok(rate));
        assert_eq!(rate.to_string(), "1.2 GB/s");
        assert_eq!("0 GB/s".parse(), Ok(Background::None));
        assert!("1.2".parse::<Background>().unwrap_err().contains("`1.2` is not a bandwidth"));
        assert!("lots".parse::<Background>().unwrap_err().contains("very-high), or a rate"));
        assert!("half".parse::<Subscription>().unwrap_err().contains("none, high, full"));
    }
}
