//! Measures and coordinates of files that people write. A result may have some of a later version; in a study or a sweep, what
//! this version does not know is a slip.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use zerohop_document::{At, Plain, Read, Reader, Sort, keys_as_read, suggest};
use zerohop_result::{Axis, Measure, Wanted};

/// A measure, by its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownMeasure(pub(crate) Measure);

/// An axis, by its name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KnownAxis(pub(crate) Axis);

/// Coordinates whose axes are known.
#[derive(Debug, Clone)]
pub(crate) struct KnownCoordinates(pub(crate) BTreeMap<Axis, Wanted>);

keys_as_read! {
    KnownMeasure: Sort::Other("measure");
    KnownAxis: Sort::Other("axis");
    KnownCoordinates: Sort::Other("coordinates");
}

impl Read for KnownMeasure {
    const EXAMPLE: Option<&'static str> = Some("\"bandwidth_gbps\"");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        let names = Measure::ALL.map(Measure::name);
        let rank = rank(reader, at, "measure", &names)?;
        Some(Self(Measure::ALL[rank]))
    }
}

impl Read for KnownAxis {
    const EXAMPLE: Option<&'static str> = Some("\"direction\"");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        let names = Axis::ALL.map(Axis::name);
        let rank = rank(reader, at, "axis", &names)?;
        Some(Self(Axis::ALL[rank]))
    }
}

impl Read for KnownCoordinates {
    const EXAMPLE: Option<&'static str> = Some("{ initiator = 0, target = 1 }");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        let names = Axis::ALL.map(Axis::name);
        let mut known = true;
        for entry in at.value.entries().into_iter().flatten() {
            if !names.contains(&entry.key.as_str()) {
                let message = format!("no axis `{}`", entry.key);
                reader.problems.add_with_hint(entry.place, message, suggest(&entry.key, names));
                known = false;
            }
        }
        let read = Plain::<BTreeMap<Axis, Wanted>>::read(reader, at)?;
        known.then_some(Self(read.value))
    }
}

/// The rank of the name that a text is; reports if it is none.
fn rank(reader: &mut Reader, at: &At<'_>, what: &str, names: &[&'static str]) -> Option<usize> {
    let Some(text) = at.value.text() else {
        reader.expect_word(at, names);
        return None;
    };
    let rank = names.iter().position(|name| name == text);
    if rank.is_none() {
        let hint = suggest(text, names.iter().copied());
        reader.problems.add_with_hint(at.value.place, format!("no {what} `{text}`"), hint);
    }
    rank
}

macro_rules! schema_of {
    ($($known:ident: $of:ty;)*) => {$(
        impl JsonSchema for $known {
            fn schema_name() -> Cow<'static, str> {
                <$of>::schema_name()
            }

            fn schema_id() -> Cow<'static, str> {
                <$of>::schema_id()
            }

            fn json_schema(generator: &mut SchemaGenerator) -> Schema {
                <$of>::json_schema(generator)
            }
        }
    )*};
}

schema_of! {
    KnownMeasure: Measure;
    KnownAxis: Axis;
    KnownCoordinates: BTreeMap<Axis, Wanted>;
}
