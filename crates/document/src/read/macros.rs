//! Tables and words of a document, each declared once: for reading, for the schema, and for who reads the code.

/// Declares tables of a document.
///
/// A key's type says whether it has to be there: `Option` and `Parts` do not.
#[macro_export]
macro_rules! tables {
    ($(
        $(#[$doc:meta])*
        $name:ident { $( $(#[$field_doc:meta])* $field:ident: $type:ty, )* }
    )*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, schemars::JsonSchema)]
        #[schemars(deny_unknown_fields, transform = $crate::loosen)]
        pub(crate) struct $name {
            /// Its key.
            #[schemars(skip)]
            #[allow(dead_code, reason = "not every table is pointed at")]
            pub(crate) place: $crate::Place,
            $( $(#[$field_doc])* pub(crate) $field: $type, )*
        }

        impl $crate::Read for $name {
            const EXAMPLE: Option<&'static str> = None;

            fn read(
                reader: &mut $crate::Reader,
                at: &$crate::At<'_>,
            ) -> Option<Self> {
                let known = reader.expect_keys(at, &[$( stringify!($field) ),*]);
                // All are read before any that is missing ends it.
                at.value.entries()?;
                $( let $field = reader.field(at, stringify!($field)); )*
                known?;
                Some(Self { place: at.key, $( $field: $field?, )* })
            }
        }
    )*};
}

/// Declares a value that is one of a few words.
#[macro_export]
macro_rules! words {
    ($(
        $(#[$doc:meta])*
        $name:ident { $( $(#[$word_doc:meta])* $variant:ident = $word:literal, )* }
    )*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, schemars::JsonSchema)]
        pub(crate) enum $name {
            $( $(#[$word_doc])* #[schemars(rename = $word)] $variant, )*
        }

        impl $crate::Read for $name {
            const EXAMPLE: Option<&'static str> = [$( Some(concat!("\"", $word, "\"")) ),*][0];

            fn read(
                reader: &mut $crate::Reader,
                at: &$crate::At<'_>,
            ) -> Option<Self> {
                const WORDS: &[&str] = &[$( $word ),*];
                match at.value.text().map(String::as_str) {
                    $( Some($word) => Some(Self::$variant), )*
                    found => {
                        let words = $crate::list(WORDS);
                        let found = found.map_or_else(|| at.value.kind().to_owned(), |text| format!("`{text}`"));
                        let message = format!("{} is one of {words}, not {found}", at.name());
                        reader.problems.add(at.value.place, message);
                        None
                    }
                }
            }
        }
    )*};
}
