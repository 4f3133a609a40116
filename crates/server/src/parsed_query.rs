//! Parameters of a request: the ones that its operation declares, and no others.

use std::borrow::Cow;

use axum::http::StatusCode;
use percent_encoding::percent_decode_str;
use zerohop_result::{
    LONGEST_NAME, LONGEST_WORDS, MachineNameError, Timestamp, is_obeyed, machine_name, plain_text,
};

use crate::refusal::Refusal;

/// A parameter of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: &'static str,
    pub(crate) place: Place,
    pub(crate) kind: Kind,
    pub(crate) words: &'static str,
}

/// Position of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Path,
    /// In the query, at most once.
    Query,
    /// In the query, required.
    Needed,
    /// In the query, any number of times.
    Repeated,
}

/// Type of a parameter's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text on one line.
    Text,
    /// The name of a machine, or of something else.
    Name,
    /// A name that is given to a machine.
    NewName,
    /// Id of a result, or its beginning.
    Id,
    OneOf(&'static [&'static str]),
    /// A whole number from 1 to this.
    UpTo(u64),
    /// A day, or a point in time.
    Time,
    /// A share such as 0.02.
    Share,
}

/// Characters of a wrong value that a message shows, at most.
const SHOWN: usize = 40;

/// Parameters of a request, at most.
const MOST: usize = 64;

/// The values of a request's parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct QueryParameters(Vec<(&'static str, String)>);

impl QueryParameters {
    /// Reads the parameters of a request: from its path and its query. An empty value is ignored, because forms send it.
    ///
    /// # Errors
    /// If one is unknown, repeated too often, missing, or has an invalid value.
    pub(crate) fn read(
        parameters: &'static [Parameter],
        path: &[(String, String)],
        query: &str,
    ) -> Result<Self, Refusal> {
        let in_path =
            path.iter().map(|(name, value)| (Cow::from(name.as_str()), Cow::from(value.as_str()), true));
        let in_query = form_urlencoded::parse(query.as_bytes()).map(|(name, value)| (name, value, false));
        let mut asked = Self::default();
        for (name, value, is_in_path) in in_path.chain(in_query) {
            let is_meant =
                |known: &&Parameter| known.name == name && (known.place == Place::Path) == is_in_path;
            let known = parameters.iter().find(is_meant).ok_or_else(|| unknown(&name, parameters))?;
            if value.is_empty() {
                continue;
            }
            if known.place != Place::Repeated && asked.text(known.name).is_some() {
                return Err(Refusal::bad(
                    &format!("duplicate parameter `{}`", known.name),
                    "send it once; /api/v1/openapi.json lists the parameters that may be repeated",
                ));
            }
            if asked.0.len() >= MOST {
                return Err(Refusal::bad(
                    &format!("more than {MOST} parameters"),
                    "request less data at once",
                ));
            }
            known.check(&value).map_err(|refusal| refusal.about(known.name))?;
            asked.0.push((known.name, value.into_owned()));
        }
        let missing = |known: &&Parameter| known.place == Place::Needed && asked.text(known.name).is_none();
        match parameters.iter().find(missing) {
            Some(Parameter { name, words, .. }) => {
                Err(Refusal::bad(&format!("`{name}` is missing"), format!("{name}: {words}")).about(name))
            }
            None => Ok(asked),
        }
    }

    /// Whether it asks for nothing in particular.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a parameter.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// All values of a parameter.
    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        self.0.iter().filter(|(known, _)| *known == name).map(|(_, value)| value.clone()).collect()
    }

    /// The value of a whole number.
    pub(crate) fn whole(&self, name: &str) -> Option<u64> {
        self.text(name)?.parse().ok()
    }

    /// The value of a share.
    pub(crate) fn share(&self, name: &str) -> Option<f64> {
        self.text(name)?.parse().ok()
    }

    /// The value of a time.
    pub(crate) fn time(&self, name: &str) -> Option<Timestamp> {
        time(self.text(name)?)
    }

    /// The address of the same at this path, with another value of a parameter; `None` leaves it out.
    pub(crate) fn address(&self, path: &str, name: &str, value: Option<&str>) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new());
        self.0.iter().filter(|(known, _)| *known != name).for_each(|(known, value)| {
            query.append_pair(known, value);
        });
        if let Some(value) = value {
            query.append_pair(name, value);
        }
        let query = query.finish();
        if query.is_empty() { path.to_owned() } else { format!("{path}?{query}") }
    }
}

/// Whether a part of an address is text: whole escapes, of UTF-8.
pub(crate) fn is_text(part: &str) -> bool {
    let mut escapes = part.split('%').skip(1).map(str::as_bytes);
    let is_whole = |escape: &[u8]| escape.len() >= 2 && escape[..2].iter().all(u8::is_ascii_hexdigit);
    escapes.all(is_whole) && percent_decode_str(part).decode_utf8().is_ok()
}

/// The values of the parameters in a path such as `/results/{id}`.
pub(crate) fn in_path(template: &str, path: &str) -> Vec<(String, String)> {
    let pairs = template.split('/').zip(path.split('/'));
    let named = pairs.filter_map(|(name, value)| Some((name.strip_prefix('{')?.strip_suffix('}')?, value)));
    let decoded = |value: &str| percent_decode_str(value).decode_utf8_lossy().into_owned();
    named.map(|(name, value)| (name.to_owned(), decoded(value))).collect()
}

fn unknown(name: &str, parameters: &[Parameter]) -> Refusal {
    let known: Vec<&str> = parameters.iter().map(|known| known.name).collect();
    let hint = match (zerohop_app::nearest(name, &known), known.as_slice()) {
        (Some(meant), _) => format!("did you mean `{meant}`?"),
        (None, []) => "this address has no parameters".to_owned(),
        (None, known) => format!("the parameters are {}", known.join(", ")),
    };
    let shown = plain_text(name, SHOWN);
    Refusal::bad(&format!("no parameter `{shown}`"), hint)
}

fn is_line(text: &str, longest: usize) -> bool {
    text.chars().count() <= longest && !text.chars().any(is_obeyed)
}

/// Whether a text is the beginning of an id. An empty one would be that of every id.
fn is_id(text: &str) -> bool {
    (1..=36).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

fn time(text: &str) -> Option<Timestamp> {
    text.parse().or_else(|_| format!("{text}T00:00:00Z").parse()).ok()
}

impl Parameter {
    fn check(&self, value: &str) -> Result<(), Refusal> {
        let expected = match self.kind {
            Kind::Text if is_line(value, LONGEST_WORDS) => return Ok(()),
            Kind::Text => format!("expected up to {LONGEST_WORDS} characters on one line"),
            // An archive may put digits behind the longest name.
            Kind::Name if is_line(value, LONGEST_NAME + 8) => return Ok(()),
            Kind::Name => format!("expected up to {LONGEST_NAME} characters on one line"),
            Kind::NewName => {
                let refused = |error: MachineNameError| Refusal::bad(&error, error.hint());
                return machine_name(value).map(|_| ()).map_err(refused);
            }
            Kind::Id if is_id(value) => return Ok(()),
            Kind::Id if self.place == Place::Path => {
                let words = format!("no result `{}`", plain_text(value, SHOWN));
                let hint = "invalid id: expected up to 36 hexadecimal digits and dashes".to_owned();
                return Err(Refusal::new(StatusCode::NOT_FOUND, &words, Some(hint)));
            }
            Kind::Id => "expected up to 36 hexadecimal digits and dashes".to_owned(),
            Kind::OneOf(words) if words.contains(&value) => return Ok(()),
            Kind::OneOf(words) => format!("expected {}", words.join(" or ")),
            Kind::UpTo(most) if value.parse().is_ok_and(|number| (1..=most).contains(&number)) => {
                return Ok(());
            }
            Kind::UpTo(most) => format!("expected a whole number from 1 to {most}"),
            Kind::Time if time(value).is_some() => return Ok(()),
            Kind::Time => "expected a date such as 2026-11-22, or 2026-11-22T10:15:00Z".to_owned(),
            Kind::Share if value.parse().is_ok_and(|share: f64| (0.0..1.0).contains(&share)) => return Ok(()),
            Kind::Share => "expected a number from 0 to 1, such as 0.02".to_owned(),
        };
        let shown = plain_text(value, SHOWN);
        Err(Refusal::bad(&format!("`{}` cannot be `{shown}`", self.name), expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: [Parameter; 4] = [
        Parameter { name: "id", place: Place::Path, kind: Kind::Text, words: "an id" },
        Parameter { name: "machine", place: Place::Repeated, kind: Kind::Text, words: "a machine" },
        Parameter { name: "limit", place: Place::Query, kind: Kind::UpTo(10), words: "results" },
        Parameter { name: "since", place: Place::Query, kind: Kind::Time, words: "a time" },
    ];

    fn read(query: &str) -> Result<QueryParameters, (String, String)> {
        let asked = QueryParameters::read(&PARAMETERS, &[("id".to_owned(), "0198".to_owned())], query);
        asked.map_err(|refusal| (refusal.problem.error, refusal.problem.hint.unwrap_or_default()))
    }

    #[test]
    fn declared_parameters_are_read() {
        let asked = read("machine=a+b&machine=%C3%A4&limit=3&since=2026-11-22").unwrap();
        assert_eq!(asked.all("machine"), ["a b", "ä"]);
        assert_eq!((asked.text("id"), asked.whole("limit")), (Some("0198"), Some(3)));
        assert_eq!(asked.time("since").unwrap().to_string(), "2026-11-22T00:00:00Z");
        let next = asked.address("/results", "limit", Some("4"));
        assert_eq!(next, "/results?id=0198&machine=a+b&machine=%C3%A4&since=2026-11-22&limit=4");
        // What a form leaves empty.
        assert_eq!(read("limit=&since=").unwrap(), read("").unwrap());
    }

    #[test]
    fn escapes_are_whole_and_of_utf_8() {
        for (part, expected) in [
            ("", true),
            ("/results/0198", true),
            ("a=%C3%A4&b=1", true),
            ("%", false),
            ("%4", false),
            ("a=100%&b", false),
            ("%zz", false),
            ("%+1", false),
            ("%ff", false),
            ("%c3", false),
            ("%c3&%a4", false),
            ("%ed%a0%80", false),
        ] {
            assert_eq!(is_text(part), expected, "{part}");
        }
        let found = in_path("/results/{id}", "/results/a%20b");
        assert_eq!(found, [("id".to_owned(), "a b".to_owned())]);
        assert!(in_path("/results", "/results").is_empty());
    }

    #[test]
    fn anything_else_is_refused_with_what_was_expected() {
        for (query, error, hint) in [
            ("machin=a", "no parameter `machin`", "did you mean `machine`?"),
            ("drop=1", "no parameter `drop`", "the parameters are id, machine, limit, since"),
            ("id=2", "no parameter `id`", "did you mean `id`?"),
            ("limit=1&limit=2", "duplicate parameter `limit`", "send it once"),
            ("limit=0", "`limit` cannot be `0`", "from 1 to 10"),
            ("limit=1e9", "`limit` cannot be `1e9`", "from 1 to 10"),
            ("since=yesterday", "`since` cannot be `yesterday`", "expected a date"),
        ] {
            let (found, advice) = read(query).unwrap_err();
            assert!(found == error && advice.contains(hint), "{query}: {found}: {advice}");
        }
        let many = "machine=a&".repeat(MOST + 1);
        assert_eq!(read(&many).unwrap_err().0, format!("more than {MOST} parameters"));
    }
}
