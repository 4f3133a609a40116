//! The choices of experiments on placement: which threads run where, and under which load.

mod background;
mod case;
mod load_place;
mod scenario;

pub use background::{Background, Subscription};
pub use case::{Case, ForegroundThread, ThreadMode};
pub use load_place::LoadPlace;
pub use scenario::{CaseChoice, Cases, Scenario};

/// In files, choices are written as on the command line.
macro_rules! written_as_typed {
    ($($choice:ty),+) => {$(
        impl serde::Serialize for $choice {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $choice {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    )+};
}

written_as_typed!(Background, Subscription, LoadPlace, Cases);

/// Looks up a variant by its name.
fn by_name<T: Copy>(text: &str, what: &str, names: &[(&str, T)]) -> Result<T, String> {
    let found = names.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
    found.map(|&(_, variant)| variant).ok_or_else(|| {
        let known: Vec<_> = names.iter().map(|(name, _)| *name).collect();
        format!("no {what} `{text}` (expected one of {})", known.join(", "))
    })
}

/// Looks up the name of a variant.
fn name_of<T: PartialEq>(variant: &T, names: &'static [(&'static str, T)]) -> &'static str {
    names.iter().find(|(_, known)| known == variant).map_or("", |(name, _)| name)
}
