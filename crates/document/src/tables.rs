//! Tables and words of a document, each declared once: reader, schema, documentation and plain struct follow.

/// Declares tables of a document.
///
/// ```
/// use zerohop_document::{Problems, Reader, parse, tables, words};
/// use zerohop_units::Nanoseconds;
///
/// tables! {
///     /// A door.
///     DoorTable => DoorParameters {
///         /// From the knock to the answer.
///         latency: Nanoseconds,
///         /// How many people fit through it at once.
///         width: u32 [1..=4] = 1,
///         /// People that may wait in front of it. Without it, any number.
///         queue: Option<u32>,
///         /// What becomes of those who come late.
///         late: Late = Late::Wait,
///     }
/// }
///
/// words! {
///     /// What becomes of those who come late.
///     pub Late {
///         /// They wait.
///         Wait = "wait",
///         /// They go home.
///         Leave = "leave",
///     }
/// }
///
/// let text = "latency = \"5 ns\"\nsource = \"a guess\"";
/// let mut problems = Problems::of("door.toml", text);
/// let tree = parse(0, "write TOML", &mut problems);
/// let mut reader = Reader::new("the door", problems);
/// let door: DoorTable = reader.root(&tree).unwrap();
/// let door = zerohop_document::Key::of(&door);
/// let DoorParameters { latency, width, queue, late } = door;
/// assert_eq!((latency, width, queue, late), (Nanoseconds(5.0), 1, None, Late::Wait));
/// ```
///
/// The comment on a key is its meaning everywhere. A key is required unless its type is `Option`, [`ByName`](crate::ByName) or
/// [`List`](crate::List), or it has a default after `=`. `[LEAST..=MOST]` narrows its bounds.
///
/// `Table` holds what was read, with its place. The struct after `=>` is public and has the same keys as plain values, to compute
/// with; it serializes as the document writes it. If a key of the document is not a value to compute with (a bandwidth may be
/// given as a rate and a width), declare it in a block `+ { … }`, before the `=>` or at the end: `Table` has it, and the plain
/// struct does not.
#[macro_export]
macro_rules! tables {
    ($(
        $(#[doc = $doc:literal])*
        $table:ident $(+ { $($first:tt)* })? $(=> $plain:ident)? { $($keys:tt)* } $(+ { $($last:tt)* })?
    )*) => {$(
        $crate::table! { @ { $($doc)* } $table { $($($first)*)? } { $($keys)* } { $($($last)*)? } $(=> $plain)? }
    )*};
}

/// One table. The keys that its plain struct has are between those that are only read.
#[doc(hidden)]
#[macro_export]
macro_rules! table {
    // If the plain struct is public, so is the table that is read for it.
    (@ $doc:tt $table:ident $first:tt $keys:tt $last:tt) => {
        $crate::table! { pub(crate) $table $doc $first $keys $last }
    };
    (@ $doc:tt $table:ident $first:tt $keys:tt $last:tt => $plain:ident) => {
        $crate::table! { pub $table $doc $first $keys $last => $plain }
    };
    (
        $vis:vis $table:ident { $($doc:literal)* }
        { $( $(#[doc = $first_doc:literal])* $first:ident: $first_type:ty $([$first_bounds:expr])? $(= $first_default:expr)?, )* }
        { $( $(#[doc = $key_doc:literal])* $key:ident: $type:ty $([$bounds:expr])? $(= $default:expr)?, )* }
        { $( $(#[doc = $last_doc:literal])* $last:ident: $last_type:ty $([$last_bounds:expr])? $(= $last_default:expr)?, )* }
        $(=> $plain:ident)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone)]
        #[allow(unreachable_pub, reason = "as above")]
        $vis struct $table {
            /// Its key.
            #[allow(dead_code, reason = "not every table is pointed at")]
            $vis table_place: $crate::Span,
            $( $(#[doc = $first_doc])* $vis $first: <$first_type as $crate::Key>::Written, )*
            $( $(#[doc = $key_doc])* $vis $key: <$type as $crate::Key>::Written, )*
            $( $(#[doc = $last_doc])* $vis $last: <$last_type as $crate::Key>::Written, )*
        }

        impl $table {
            /// Its declaration as data.
            #[allow(unreachable_pub, reason = "as above")]
            $vis fn declaration() -> $crate::Declaration {
                $crate::Declaration {
                    name: stringify!($table),
                    meaning: $crate::sentence(&[$($doc),*]),
                    keys: vec![
                        $( $crate::declared!($($first_doc)*; $first: $first_type; $([$first_bounds])?; $($first_default)?), )*
                        $( $crate::declared!($($key_doc)*; $key: $type; $([$bounds])?; $($default)?), )*
                        $( $crate::declared!($($last_doc)*; $last: $last_type; $([$last_bounds])?; $($last_default)?), )*
                    ],
                }
            }
        }

        impl $crate::Read for $table {
            const EXAMPLE: Option<&'static str> = None;

            fn read(reader: &mut $crate::Reader, at: &$crate::At<'_>) -> Option<Self> {
                let known = reader.expect_keys(at, &[$( stringify!($first), )* $( stringify!($key), )* $( stringify!($last), )*]);
                // All keys are read first, so that all mistakes are found.
                at.value.entries()?;
                $( let $first = $crate::read_key!(reader, at, $first: $first_type; $([$first_bounds])?; $($first_default)?); )*
                $( let $key = $crate::read_key!(reader, at, $key: $type; $([$bounds])?; $($default)?); )*
                $( let $last = $crate::read_key!(reader, at, $last: $last_type; $([$last_bounds])?; $($last_default)?); )*
                known?;
                Some(Self { table_place: at.key, $( $first: $first?, )* $( $key: $key?, )* $( $last: $last?, )* })
            }
        }

        impl $crate::macros::JsonSchema for $table {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($table).into()
            }

            fn json_schema(generator: &mut $crate::macros::SchemaGenerator) -> $crate::macros::Schema {
                Self::declaration().schema(generator)
            }
        }

        impl $crate::Key for $table {
            type Written = Self;

            fn of(written: &Self) -> Self {
                written.clone()
            }

            fn sort() -> $crate::Sort {
                $crate::Sort::Table(Self::declaration)
            }
        }

        $crate::plain! {
            { $($doc)* } $table { $( $(#[doc = $key_doc])* $key: $type, )* } $(=> $plain)?
        }
    };
}

/// The plain struct of a table, if it has one.
#[doc(hidden)]
#[macro_export]
macro_rules! plain {
    ({ $($doc:literal)* } $table:ident { $($keys:tt)* }) => {};
    ({ $($doc:literal)* } $table:ident { $( $(#[doc = $key_doc:literal])* $key:ident: $type:ty, )* } => $plain:ident) => {
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq)]
        pub struct $plain {
            $( $(#[doc = $key_doc])* pub $key: $type, )*
        }

        impl $crate::Key for $plain {
            type Written = $table;

            fn of(written: &$table) -> Self {
                Self { $( $key: <$type as $crate::Key>::of(&written.$key), )* }
            }

            fn sort() -> $crate::Sort {
                $crate::Sort::Table($table::declaration)
            }
        }

        impl $crate::macros::Serialize for $plain {
            /// As the document writes it. Keys that were left out and have no default are left out.
            fn serialize<S: $crate::macros::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                use $crate::macros::SerializeMap;

                let mut map = serializer.serialize_map(None)?;
                $(
                    if !$crate::Key::is_absent(&self.$key) {
                        map.serialize_entry(stringify!($key), &self.$key)?;
                    }
                )*
                map.end()
            }
        }

        impl $crate::macros::JsonSchema for $plain {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($plain).into()
            }

            fn json_schema(generator: &mut $crate::macros::SchemaGenerator) -> $crate::macros::Schema {
                $crate::plain_schema(
                    &[$($doc),*],
                    vec![$( (
                        stringify!($key),
                        $crate::sentence(&[$($key_doc),*]),
                        <$type as $crate::Key>::OPTIONAL,
                        generator.subschema_for::<$type>(),
                    ), )*],
                )
            }
        }
    };
}

/// The declaration of a key as data.
#[doc(hidden)]
#[macro_export]
macro_rules! declared {
    ($($doc:literal)*; $key:ident: $type:ty; $([$bounds:expr])?; $($default:expr)?) => {
        $crate::KeyDeclaration {
            key: stringify!($key),
            meaning: $crate::sentence(&[$($doc),*]),
            sort: <$type as $crate::Key>::sort(),
            optional: <$type as $crate::Key>::OPTIONAL,
            default: $crate::optionally!($({
                let default: $type = $default;
                ($crate::Defaulted::shown(&default), $crate::Defaulted::json(&default))
            })?),
            bounds: $crate::optionally!($({
                let bounds: $crate::Bounds<$type> = $bounds;
                [bounds.start(), bounds.end()]
                    .map(|bound| ($crate::Defaulted::shown(bound), $crate::Defaulted::json(bound)))
            })?),
            schema: <$type as $crate::Key>::schema,
        }
    };
}

/// Reads the value of a key.
#[doc(hidden)]
#[macro_export]
macro_rules! read_key {
    ($reader:ident, $at:ident, $key:ident: $type:ty; $([$bounds:expr])?;) => {{
        let read = $reader.field::<$type>($at, stringify!($key));
        $( let read = read.and_then(|read| $reader.within::<$type>(&$at.child(stringify!($key)), read, &$bounds)); )?
        read
    }};
    ($reader:ident, $at:ident, $key:ident: $type:ty; $([$bounds:expr])?; $default:expr) => {{
        let read = $reader.field_or::<$type>($at, stringify!($key), $default);
        $( let read = read.and_then(|read| $reader.within::<$type>(&$at.child(stringify!($key)), read, &$bounds)); )?
        read
    }};
}

/// `Some` of the argument, `None` without one.
#[doc(hidden)]
#[macro_export]
macro_rules! optionally {
    () => {
        None
    };
    ($value:expr) => {
        Some($value)
    };
}

/// Declares a choice of words.
#[macro_export]
macro_rules! words {
    ($(
        $(#[doc = $doc:literal])*
        $vis:vis $name:ident { $( $(#[doc = $word_doc:literal])* $variant:ident = $word:literal, )* }
    )*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name {
            $( $(#[doc = $word_doc])* $variant, )*
        }

        impl $name {
            /// Its spelling in a document.
            $vis const fn word(self) -> &'static str {
                match self {
                    $( Self::$variant => $word, )*
                }
            }
        }

        impl $crate::Read for $name {
            const EXAMPLE: Option<&'static str> = [$( Some(concat!("\"", $word, "\"")) ),*][0];

            fn read(reader: &mut $crate::Reader, at: &$crate::At<'_>) -> Option<Self> {
                match at.value.text().map(String::as_str) {
                    $( Some($word) => Some(Self::$variant), )*
                    _ => {
                        reader.expect_word(at, &[$( $word ),*]);
                        None
                    }
                }
            }
        }

        impl $crate::Key for $name {
            type Written = Self;

            fn of(written: &Self) -> Self {
                *written
            }

            fn sort() -> $crate::Sort {
                $crate::Sort::Words(vec![$( ($word, $crate::sentence(&[$($word_doc),*])), )*])
            }
        }

        impl $crate::Defaulted for $name {
            fn written(self, _: $crate::Span) -> Self {
                self
            }

            fn shown(&self) -> String {
                format!("\"{}\"", self.word())
            }

            fn json(&self) -> $crate::macros::JsonValue {
                self.word().into()
            }
        }

        impl $crate::macros::Serialize for $name {
            fn serialize<S: $crate::macros::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.word())
            }
        }

        impl $crate::macros::JsonSchema for $name {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut $crate::macros::SchemaGenerator) -> $crate::macros::Schema {
                $crate::word_schema(&[$($doc),*], &[$( ($word, $crate::sentence(&[$($word_doc),*])) ),*])
            }
        }
    )*};
}
