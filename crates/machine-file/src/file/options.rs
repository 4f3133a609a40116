//! Options of a machine file, and the changes that each choice makes.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use zerohop_document::{
    At, ByName, Content, List, Named, Names, Problems, Read, Reader, Sort, Text, Value, keys_as_read,
    suggest, tables,
};

use zerohop_machine::{Setting, Settings};

/// The name of a machine file in messages.
pub(super) const DOCUMENT: &str = "the machine file";
/// The key of the table of options.
pub(super) const OPTION: &str = "option";
/// The key of the list of changes.
pub(super) const WHEN: &str = "when";

tables! {
    /// A property of the machine that can be chosen without another file.
    OptionTable {
        /// Description of the option.
        meaning: Text,
        /// Possible values.
        values: Names,
        /// Default value.
        default: Text,
    }

    /// Changes for certain values of options.
    WhenTable {
        /// Required options and their values, or lists of values, as in `{ links = "3", nps = ["2", "4"] }`. Without this key, the changes always
        /// apply.
        is: ByName<OneOf>,
        /// Parts of the file to remove, such as `link.0-1`.
        remove: Option<Names>,
        /// Changes to the file, key by key, as in a file that extends it.
        change: Option<Change>,
        /// Reason why these values conflict; the combination is rejected.
        refuse: Option<Text>,
    }
}

keys_as_read! {
    OneOf: Sort::Other("text or texts");
    Change: Sort::Other("piece of a machine file");
}

/// The values of an option, one of which is chosen.
#[derive(Debug, Clone)]
pub(crate) struct OneOf(pub(super) Vec<Text>);

impl Read for OneOf {
    const EXAMPLE: Option<&'static str> = Some("\"4\"");

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        match at.value.content {
            Content::List(_) => Names::read(reader, at).map(|names| Self(names.names)),
            _ => Text::read(reader, at).map(|text| Self(vec![text])),
        }
    }
}

impl JsonSchema for OneOf {
    fn schema_name() -> Cow<'static, str> {
        "OneOf".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let text = json_schema!({ "type": "string", "minLength": 1 });
        json_schema!({ "anyOf": [text, { "type": "array", "items": text }] })
    }
}

/// A part of a machine file.
#[derive(Debug, Clone)]
pub(crate) struct Change(pub(super) Value);

impl Read for Change {
    const EXAMPLE: Option<&'static str> = None;

    fn read(reader: &mut Reader, at: &At<'_>) -> Option<Self> {
        if at.value.entries().is_none() {
            let message = format!("{} must be a table of a machine file, not {}", at.name(), at.value.kind());
            let hint = "write, for example, `change.node.0.channels.count = 3`";
            reader.problems.add_with_hint(at.value.place, message, hint);
            return None;
        }
        Some(Self(at.value.clone()))
    }
}

impl JsonSchema for Change {
    fn schema_name() -> Cow<'static, str> {
        "Change".into()
    }

    fn inline_schema() -> bool {
        true
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "$ref": "#" })
    }
}

/// The options of a machine file and their changes, in the order of the file.
#[derive(Debug, Clone)]
pub(super) struct Options {
    pub(super) options: Vec<Named<OptionTable>>,
    pub(super) whens: Vec<WhenTable>,
}

impl Options {
    /// Removes options and changes from the tree. Problems with them are reported.
    pub(super) fn take(tree: &mut Value, problems: &mut Problems) -> Option<Self> {
        let (option, when) = (tree.take(OPTION), tree.take(WHEN));
        let before = problems.count();
        let mut reader = Reader::new(DOCUMENT, std::mem::take(problems));
        let options = match &option {
            Some(entry) => {
                let at = reader.at(OPTION.to_owned(), entry.place, &entry.value);
                ByName::<OptionTable>::read(&mut reader, &at)
            }
            None => Some(ByName(Vec::new())),
        };
        let whens = match &when {
            Some(entry) => {
                let at = reader.at(WHEN.to_owned(), entry.place, &entry.value);
                List::<WhenTable>::read(&mut reader, &at)
            }
            None => Some(List(Vec::new())),
        };
        *problems = reader.problems;
        let options = Self { options: options?.0, whens: whens?.0 };
        options.check(problems);
        (problems.count() == before).then_some(options)
    }

    /// Checks that defaults are among the values, and that changes depend on known options and values only.
    fn check(&self, problems: &mut Problems) {
        for Named { name, value: table, .. } in &self.options {
            if table.values.names.is_empty() {
                problems.add(table.values.place, format!("`{name}` has no values to choose from"));
                continue;
            }
            for (rank, value) in table.values.names.iter().enumerate() {
                if table.values.names[..rank].iter().any(|earlier| earlier.text == value.text) {
                    problems.add(value.place, format!("`{name}` has the value `{}` twice", value.text));
                }
            }
            self.expect_value(name, table, &table.default, problems);
        }
        for when in &self.whens {
            for part in when.is.iter() {
                match self.options.iter().find(|option| option.name == part.name) {
                    Some(option) => {
                        for value in &part.value.0 {
                            self.expect_value(&option.name, &option.value, value, problems);
                        }
                    }
                    None => {
                        let message = format!("no option `{}`", part.name);
                        let hint = suggest(&part.name, self.names());
                        problems.add_with_hint(part.place, message, hint);
                    }
                }
            }
            if when.remove.is_none() && when.change.is_none() && when.refuse.is_none() {
                let hint = "give it a `change`, a `remove` or a `refuse`";
                problems.add_with_hint(when.table_place, "nothing changes with this `when`", hint);
            }
        }
    }

    fn expect_value(&self, name: &str, table: &OptionTable, value: &Text, problems: &mut Problems) {
        if table.rank(&value.text).is_none() {
            let message = format!("`{name}` cannot be `{}`", value.text);
            problems.add_with_hint(value.place, message, suggest(&value.text, table.values()));
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.options.iter().map(|option| option.name.as_str())
    }

    /// The rank of each option's default.
    pub(super) fn defaults(&self) -> Vec<usize> {
        self.options.iter().map(|option| option.value.default_rank()).collect()
    }

    /// Whether a change applies to these choices, given as the rank of each option's value.
    pub(super) fn holds(&self, when: &WhenTable, choices: &[usize]) -> bool {
        when.is.iter().all(|part| {
            let chosen = self.options.iter().zip(choices).find(|(option, _)| option.name == part.name);
            chosen.is_some_and(|(option, &rank)| {
                part.value.0.iter().any(|value| value.text == option.value.values.names[rank].text)
            })
        })
    }
}

impl OptionTable {
    pub(super) fn values(&self) -> impl Iterator<Item = &str> + Clone {
        self.values.names.iter().map(|value| value.text.as_str())
    }

    /// The rank of a value.
    pub(super) fn rank(&self, value: &str) -> Option<usize> {
        self.values().position(|known| known == value)
    }

    pub(super) fn default_rank(&self) -> usize {
        self.rank(&self.default.text).unwrap_or_default()
    }
}

/// Every value that is not a default, one at a time.
pub(super) fn alone(options: &Options) -> Vec<Settings> {
    let mut list = Vec::new();
    for option in &options.options {
        for value in option.value.values().filter(|value| *value != option.value.default.text) {
            list.push(Settings::none().with(Setting::new(&option.name, value)));
        }
    }
    list
}
