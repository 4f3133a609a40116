//! Facts of a machine that decide on its bandwidths, and that no operating system shows.

use serde::Serialize;

use crate::MachineOption;

/// A fact of a machine that decides on its bandwidths, and that no operating system shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OpenFact {
    /// Name of the fact, as `--set` accepts it: `links`, `channels`.
    pub name: String,
    pub value: u32,
    /// Largest value on such a machine.
    pub most: u32,
    /// Whether it was stated; otherwise `value` is the default.
    pub stated: bool,
    /// Name of the counted parts (`UPI links`).
    pub noun: String,
}

impl OpenFact {
    /// Names of such facts, and of the counted parts if nothing more specific is known.
    pub(crate) const NAMES: [(&'static str, &'static str); 2] =
        [("links", "links"), ("channels", "memory channels")];

    /// The fact that an option of a machine file chooses, if it is one. A choice other than the default was stated.
    pub(crate) fn of_option(option: &MachineOption) -> Option<Self> {
        let (name, noun) = Self::NAMES.into_iter().find(|(name, _)| *name == option.name)?;
        let values: Option<Vec<u32>> = option.values.iter().map(|value| value.parse().ok()).collect();
        Some(Self {
            name: name.to_owned(),
            value: option.chosen.parse().ok()?,
            most: values?.into_iter().max()?,
            stated: option.chosen != option.default,
            noun: noun.to_owned(),
        })
    }
}
