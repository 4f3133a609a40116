//! Applies choices to the tree.

use std::sync::Arc;

use zerohop_document::{Content, Entry, Problems, SOURCE, Span, Value, read_typed, suggest};

use super::extend::remove_part;
use super::options::Options;
use zerohop_machine::{Setting, Settings};

/// The source of a value that was set on the command line.
const SET: &str = "set on the command line";
/// The name of a setting's text in messages.
pub(crate) const SET_FILE: &str = "--set";

/// Chosen options and changed values.
#[derive(Debug, Clone)]
pub(super) struct Chosen {
    /// For each option, the rank of its value.
    pub(super) choices: Vec<usize>,
    /// Changed values, in the order in which they were set.
    pub(super) numbers: Vec<Number>,
}

/// A new value for a key of the file.
#[derive(Debug, Clone)]
pub(super) struct Number {
    /// The setting as written.
    pub(super) setting: Setting,
    value: Value,
    /// Location of the path in the text.
    name: Span,
}

impl Number {
    /// The value inside its tables, as a file would contain it.
    pub(super) fn change(&self) -> Value {
        let (place, source) = (self.value.place, self.value.source.clone());
        self.setting.name.rsplit('.').fold(self.value.clone(), |inner, key| {
            let entry = Entry { key: key.to_owned(), place, value: inner };
            Value {
                place,
                source: source.clone(),
                is_of_file: false,
                content: Content::Table(Arc::new(vec![entry])),
            }
        })
    }
}

impl Chosen {
    /// Resolves the settings. Unknown names and values are reported.
    pub(super) fn new(options: &Options, settings: &Settings, problems: &mut Problems) -> Self {
        let mut chosen = Self { choices: options.defaults(), numbers: Vec::new() };
        for setting in settings.iter() {
            let file = problems.file(SET_FILE, &setting.to_string());
            let name = Span { file, start: 0, end: setting.name.len() };
            let value = Span { file, start: name.end + 1, end: name.end + 1 + setting.value.len() };
            if setting.is_path() {
                let value = read_typed(&setting.value, value, SET);
                chosen.numbers.push(Number { setting: setting.clone(), value, name });
                continue;
            }
            let Some(rank) = options.names().position(|known| known == setting.name) else {
                let mut hint = suggest(&setting.name, options.names());
                if !hint.ends_with('?') {
                    hint.push_str("; numbers are set by path, such as `coherence.lookup=20ns`");
                }
                problems.add_with_hint(name, format!("no option `{}`", setting.name), hint);
                continue;
            };
            let table = &options.options[rank].value;
            match table.rank(&setting.value) {
                Some(choice) => chosen.choices[rank] = choice,
                None => {
                    let message = format!("`{}` cannot be `{}`", setting.name, setting.value);
                    problems.add_with_hint(value, message, suggest(&setting.value, table.values()));
                }
            }
        }
        chosen
    }

    /// Replaces the source of the values of these settings.
    pub(super) fn attribute(&mut self, settings: &Settings, source: &str) {
        for number in &mut self.numbers {
            if settings.iter().any(|setting| *setting == number.setting) {
                number.value.source = Some(source.into());
            }
        }
    }

    /// Applies the choices to the tree. Returns whether the file refuses them; then the reason is reported.
    pub(super) fn apply(&self, options: &Options, tree: &mut Value, problems: &mut Problems) -> bool {
        let holding = || options.whens.iter().filter(|when| options.holds(when, &self.choices));
        let mut refused = false;
        for when in holding() {
            let Some(refuse) = &when.refuse else { continue };
            let choices = when.is.iter().filter_map(|part| {
                let rank = options.names().position(|name| name == part.name)?;
                Some(self.setting(options, rank).to_string())
            });
            let choices = choices.collect::<Vec<_>>().join(", ");
            problems.add_with_hint(
                refuse.place,
                format!("{choices} is refused: {}", refuse.text),
                "choose another value of one of them",
            );
            refused = true;
        }
        if refused {
            return true;
        }
        for when in holding() {
            for path in when.remove.iter().flat_map(|remove| &remove.names) {
                remove_part(tree, &path.text, path.place, problems);
            }
            if let Some(change) = &when.change {
                tree.overlay(change.0.clone());
            }
        }
        for number in &self.numbers {
            set(tree, number, problems);
        }
        false
    }

    /// The value of an option, as it would be set.
    pub(super) fn setting(&self, options: &Options, rank: usize) -> Setting {
        let option = &options.options[rank];
        Setting::new(&option.name, &option.value.values.names[self.choices[rank]].text)
    }

    /// The differences from the file as written: options that are not at their default, and changed values.
    pub(super) fn deviations(&self, options: &Options) -> Vec<Setting> {
        let defaults = options.defaults();
        let others = (0..defaults.len()).filter(|&rank| self.choices[rank] != defaults[rank]);
        let others = others.map(|rank| self.setting(options, rank));
        others.chain(self.numbers.iter().map(|number| number.setting.clone())).collect()
    }
}

/// Puts a value at its path. Its table must exist; its key may be one that the file omits.
fn set(tree: &mut Value, number: &Number, problems: &mut Problems) {
    let keys: Vec<&str> = number.setting.name.split('.').collect();
    let (last, tables) = keys.split_last().expect("a path has a dot in it");
    if *last == SOURCE {
        let message = format!("`{SOURCE}` states where numbers of the file come from, and cannot be set");
        return problems.add_with_hint(
            number.name,
            message,
            "set the number; its source is then the command line",
        );
    }
    let mut table = tree;
    for (depth, key) in tables.iter().enumerate() {
        if table.entry(key).is_none() {
            let before: String = tables[..depth].iter().map(|key| format!("{key}.")).collect();
            let there = table.entries().into_iter().flatten().map(|entry| entry.key.as_str());
            let there: Vec<&str> = there.collect();
            let message = format!("no `{before}{key}` in the machine file");
            return problems.add_with_hint(number.name, message, suggest(key, there));
        }
        let Some(entry) = table.entry_mut(key).filter(|entry| entry.value.merges()) else {
            let message =
                format!("`{}` is not a table, so it has no `{}`", keys[..=depth].join("."), keys[depth + 1]);
            let table = keys[..=depth].join(".");
            return problems.add_with_hint(
                number.name,
                message,
                format!("write, for example, `--set {table}=…`"),
            );
        };
        table = &mut entry.value;
    }
    if let Some(entries) = table.entries_mut() {
        match entries.iter_mut().find(|entry| entry.key == *last) {
            Some(entry) => entry.value = number.value.clone(),
            None => {
                let value = number.value.clone();
                entries.push(Entry { key: (*last).to_owned(), place: number.name, value });
            }
        }
    }
}
