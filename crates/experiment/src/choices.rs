//! What an experiment on placement leaves to whoever runs it: which threads stand where, and under which load.

mod background;
mod case;
mod load_place;
mod scenario;

pub use background::{Background, Subscription};
pub use case::{Case, ForegroundThread, ThreadMode};
pub use load_place::LoadPlace;
pub use scenario::{CaseChoice, Cases, Scenario};

/// In files, choices are the text that is typed.
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

/// The variant of that name, among variants and their names.
fn by_name<T: Copy>(text: &str, what: &str, names: &[(&str, T)]) -> Result<T, String> {
    let found = names.iter().find(|(name, _)| name.eq_ignore_ascii_case(text.trim()));
    found.map(|&(_, variant)| variant).ok_or_else(|| {
        let known: Vec<_> = names.iter().map(|(name, _)| *name).collect();
        format!("no {what} `{text}` (expected one of {})", known.join(", "))
    })
}

/// The name of a variant, among variants and their names.
fn name_of<T: PartialEq>(variant: &T, names: &'static [(&'static str, T)]) -> &'static str {
    names.iter().find(|(_, known)| known == variant).map_or("", |(name, _)| name)
}
