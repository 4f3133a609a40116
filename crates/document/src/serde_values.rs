//! Values of types that other crates define, read by `serde`.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{DeserializeOwned, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use crate::declaration::Sort;
use crate::declared_key::Key;
use crate::problems::Span;
use crate::reader::{At, Read, Reader};
use crate::tree::{Content, Entry, Value};

/// A value of a type that `serde` reads, and where it stands.
#[derive(Debug, Clone)]
pub struct Plain<T> {
    pub value: T,
    pub place: Span,
}

impl<T: DeserializeOwned> Read for Plain<T> {
    const EXAMPLE: Option<&'static str> = Some("…");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        match T::deserialize(Of(at.value)) {
            Ok(value) => Some(Self { value, place: at.value.place }),
            Err(Wrong { place, message }) => {
                let message = format!("{}: {message}", at.name());
                reader.problems.add(place.unwrap_or(at.value.place), message);
                None
            }
        }
    }
}

impl<T: DeserializeOwned + JsonSchema + Clone + 'static> Key for Plain<T> {
    type Written = Self;

    fn of(written: &Self) -> Self {
        written.clone()
    }

    fn sort() -> Sort {
        Sort::Other("value")
    }
}

impl<T: JsonSchema> JsonSchema for Plain<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn schema_id() -> Cow<'static, str> {
        T::schema_id()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// An error from `serde`, with its place if it is known.
#[derive(Debug)]
struct Wrong {
    place: Option<Span>,
    message: String,
}

impl Wrong {
    /// At this place, unless a place within it is known.
    fn at(mut self, place: Span) -> Self {
        self.place.get_or_insert(place);
        self
    }
}

impl std::error::Error for Wrong {}

impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl serde::de::Error for Wrong {
    fn custom<M: fmt::Display>(message: M) -> Self {
        Self { place: None, message: message.to_string() }
    }
}

/// Presents a value to `serde`.
struct Of<'de>(&'de Value);

impl<'de> Deserializer<'de> for Of<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        let read = match &self.0.content {
            Content::Text(text) => visitor.visit_str(text),
            Content::Integer(integer) => visitor.visit_i64(*integer),
            Content::Other { text, .. } => match (text.parse::<bool>(), text.parse::<f64>()) {
                (Ok(boolean), _) => visitor.visit_bool(boolean),
                (_, Ok(float)) => visitor.visit_f64(float),
                _ => visitor.visit_str(text),
            },
            Content::List(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Of))),
            Content::Table(entries) => visitor.visit_map(MapDeserializer::new(entries.iter().map(pair))),
        };
        read.map_err(|wrong| wrong.at(self.0.place))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let word =
            self.0.text().ok_or_else(|| Wrong::custom(format!("expected a word, not {}", self.0.kind())));
        let word = word.map_err(|wrong| wrong.at(self.0.place))?;
        visitor.visit_enum(word.as_str().into_deserializer()).map_err(|wrong: Wrong| wrong.at(self.0.place))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Wrong> for Of<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

/// Presents a key to `serde`; an error has the place of the key.
struct KeyOf<'de>(&'de Entry);

fn pair(entry: &Entry) -> (KeyOf<'_>, Of<'_>) {
    (KeyOf(entry), Of(&entry.value))
}

impl<'de> IntoDeserializer<'de, Wrong> for KeyOf<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for KeyOf<'de> {
    type Error = Wrong;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Wrong> {
        visitor.visit_str(&self.0.key).map_err(|wrong: Wrong| wrong.at(self.0.place))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Wrong> {
        let key: serde::de::value::StrDeserializer<'de, Wrong> = self.0.key.as_str().into_deserializer();
        visitor.visit_enum(key).map_err(|wrong| wrong.at(self.0.place))
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any option newtype_struct
    }
}
