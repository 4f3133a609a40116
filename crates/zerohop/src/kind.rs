//! Kinds of documents, and their formats as values of `--format` and as file extensions.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use zerohop_report::{Document, Form, forms};

use crate::failure::Failure;

/// A kind of document: its name and its formats.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind {
    name: &'static str,
    forms: Vec<Form>,
}

impl Kind {
    /// The kind of a document.
    pub(crate) fn of<D: Document>() -> Self {
        Self { name: D::NAME, forms: forms::<D>() }
    }

    /// The kind of pictures of a machine.
    pub(crate) fn of_drawing() -> Self {
        Self::named("a picture", &[Form::Svg])
    }

    /// The kind of exported machines.
    pub(crate) fn of_export() -> Self {
        Self::named("a machine", &[Form::Hwloc, Form::Toml])
    }

    /// The kind of machine files.
    pub(crate) fn of_machine_file() -> Self {
        Self::named("a machine file", &[Form::Toml])
    }

    /// A kind that is written in these formats only.
    pub(crate) fn named(name: &'static str, forms: &[Form]) -> Self {
        Self { name, forms: forms.to_vec() }
    }

    /// Reads `--format`.
    pub(crate) fn parser(self) -> impl TypedValueParser<Value = Form> {
        let values = self.forms.into_iter().map(|form| PossibleValue::new(form.name()).help(form.words()));
        PossibleValuesParser::new(values).try_map(|name| {
            let named = Form::ALL.into_iter().find(|form| form.name() == name);
            named.ok_or_else(|| format!("no format `{name}`"))
        })
    }

    /// The help of `-o`.
    pub(crate) fn saving(&self) -> String {
        format!(
            "Save to this file, replacing an existing one; the extension selects the format: {}",
            self.endings()
        )
    }

    /// The file extensions of its formats, in words.
    pub(crate) fn endings(&self) -> String {
        let mut endings: Vec<String> = Vec::new();
        for form in &self.forms {
            let ending = format!(".{}", form.ending());
            if !endings.contains(&ending) {
                endings.push(ending);
            }
        }
        match endings.as_slice() {
            [] => String::new(),
            [only] => only.clone(),
            [first @ .., last] => format!("{} or {last}", first.join(", ")),
        }
    }

    /// The format of a file of that name.
    ///
    /// # Errors
    /// When the extension selects no format of this kind, or another one than `format`.
    pub(crate) fn form_of(&self, path: &Path, format: Option<Form>) -> Result<Form, Failure> {
        let shown = path.display();
        let Some(ending) = ending(path) else {
            return Err(Failure::new(format_args!(
                "cannot tell the format of {} from the file name `{shown}`",
                self.name
            ))
            .hint(format!("use the extension {}", self.endings())));
        };
        let meant: Vec<Form> = Form::ALL.into_iter().filter(|form| form.ending() == ending).collect();
        let had: Vec<Form> = meant.iter().copied().filter(|form| self.forms.contains(form)).collect();
        let Some(first) = had.first() else {
            let absent = meant.iter().find(|form| match form {
                Form::Parquet => !cfg!(feature = "parquet"),
                Form::Png => !cfg!(feature = "png"),
                _ => false,
            });
            if let Some(absent) = absent {
                return Err(Failure::new(format_args!(
                    "this zerohop was built without support for `{absent}`"
                ))
                .hint(format!("use the extension {}, or build with `--features {absent}`", self.endings())));
            }
            return Err(Failure::new(format_args!(
                "cannot write {} to `{shown}`: format .{ending} is not supported",
                self.name
            ))
            .hint(format!("use the extension {}", self.endings())));
        };
        match format {
            None => Ok(*first),
            Some(format) if had.contains(&format) => Ok(format),
            Some(format) => {
                Err(Failure::new(format_args!("`--format {format}` contradicts the file name `{shown}`"))
                    .hint(format!("omit --format, or use the extension .{}", format.ending())))
            }
        }
    }
}

/// A file's extension, in lower case, without the dot.
fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase())
}

/// Whether a path's extension selects a format of any kind.
pub(crate) fn names_form(path: &Path) -> bool {
    ending(path).is_some_and(|ending| Form::ALL.into_iter().any(|form| form.ending() == ending))
}
