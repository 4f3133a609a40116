//! The types that a key of a declared table may have.

use std::ops::RangeInclusive;

use schemars::{JsonSchema, Schema, SchemaGenerator};

use crate::declaration::Sort;
use crate::number::Number;
use crate::problems::Span;
use crate::quantity::Quantity;
use crate::reader::Read;

/// The type of a declared key: the value that a program computes with, and the form in which it is read.
pub trait Key: Sized + 'static {
    /// The form in which it is read: the value with its place, so that a later check can point at it.
    type Written: Read + JsonSchema;

    /// Whether the key may be left out. It then has no value.
    const OPTIONAL: bool = false;

    /// The value that was read.
    fn of(written: &Self::Written) -> Self;

    /// The kind of value, for documentation.
    fn sort() -> Sort;

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<Self::Written>()
    }

    /// Whether this is the value of a key that was left out.
    fn is_absent(&self) -> bool {
        false
    }
}

/// A type of key that may have a default.
pub trait Defaulted: Key {
    /// The value as if it had been read at `place`.
    fn written(self, place: Span) -> Self::Written;

    /// As a document writes it.
    fn shown(&self) -> String;

    /// As a schema gives it.
    fn json(&self) -> serde_json::Value;
}

/// A type of key that may have bounds: a number, or one that may be left out.
pub trait Bounded: Key {
    type Number: Quantity + PartialOrd;

    /// The number that was read, if there is one.
    fn number(written: &Self::Written) -> Option<&Number<Self::Number>>;
}

/// The bounds of a key.
pub type Bounds<K> = RangeInclusive<<K as Bounded>::Number>;

impl<T: Quantity + PartialOrd> Bounded for T {
    type Number = T;

    fn number(written: &Number<T>) -> Option<&Number<T>> {
        Some(written)
    }
}

impl<T: Quantity + PartialOrd> Bounded for Option<T> {
    type Number = T;

    fn number(written: &Option<Number<T>>) -> Option<&Number<T>> {
        written.as_ref()
    }
}

impl<K: Key> Key for Option<K> {
    type Written = Option<K::Written>;

    const OPTIONAL: bool = true;

    fn of(written: &Self::Written) -> Self {
        written.as_ref().map(K::of)
    }

    fn sort() -> Sort {
        K::sort()
    }

    fn schema(generator: &mut SchemaGenerator) -> Schema {
        K::schema(generator)
    }

    fn is_absent(&self) -> bool {
        self.is_none()
    }
}

impl<T: Quantity> Key for T {
    type Written = Number<T>;

    fn of(written: &Number<T>) -> T {
        written.value.clone()
    }

    fn sort() -> Sort {
        Sort::Quantity { unit: T::UNIT, limits: T::limits() }
    }
}

impl<T: Quantity> Defaulted for T {
    fn written(self, place: Span) -> Number<T> {
        Number { value: self, place }
    }

    fn shown(&self) -> String {
        Quantity::shown(self)
    }

    fn json(&self) -> serde_json::Value {
        Quantity::json(self)
    }
}

/// Lets types that need no conversion be the types of keys.
#[macro_export]
macro_rules! keys_as_read {
    ($($type:ty: $sort:expr;)*) => {$(
        impl $crate::Key for $type {
            type Written = Self;

            fn of(written: &Self) -> Self {
                written.clone()
            }

            fn sort() -> $crate::Sort {
                $sort
            }
        }
    )*};
}
