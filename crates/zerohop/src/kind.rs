//! Kinds of documents: the forms that they have, as values of `--format` and as endings of files.

use std::path::Path;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use zerohop_report::{Document, Form, forms};

use crate::failure::Failure;

/// A kind of document: what it is called, and the forms that it has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Kind {
    name: &'static str,
    forms: Vec<Form>,
}

impl Kind {
    /// That of a document.
    pub(crate) fn of<D: Document>() -> Self {
        Self { name: D::NAME, forms: forms::<D>() }
    }

    /// That of pictures of a machine.
    pub(crate) fn of_drawing() -> Self {
        Self::named("a picture", &[Form::Svg])
    }

    /// That of machines as other programs read them.
    pub(crate) fn of_export() -> Self {
        Self::named("a machine", &[Form::Hwloc, Form::Toml])
    }

    /// One that is written in these forms only.
    pub(crate) fn named(name: &'static str, forms: &[Form]) -> Self {
        Self { name, forms: forms.to_vec() }
    }

    /// Reads `--format`.
    pub(crate) fn parser(self) -> impl TypedValueParser<Value = Form> {
        let values = self.forms.into_iter().map(|form| PossibleValue::new(form.name()).help(form.words()));
        PossibleValuesParser::new(values).try_map(|name| {
            let named = Form::ALL.into_iter().find(|form| form.name() == name);
            named.ok_or_else(|| format!("no form `{name}`"))
        })
    }

    /// The endings of files in its forms, in words.
    fn endings(&self) -> String {
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

    /// The form in which a file of that name keeps it.
    ///
    /// # Errors
    /// When the name says none that it has, or another than `format`.
    pub(crate) fn form_of(&self, path: &Path, format: Option<Form>) -> Result<Form, Failure> {
        let shown = path.display();
        let Some(ending) = ending(path) else {
            return Err(Failure::new(format_args!(
                "`{shown}` does not say in which form to write {}",
                self.name
            ))
            .hint(format!("end its name with {}", self.endings())));
        };
        let meant: Vec<Form> = Form::ALL.into_iter().filter(|form| form.ending() == ending).collect();
        let had: Vec<Form> = meant.iter().copied().filter(|form| self.forms.contains(form)).collect();
        let Some(first) = had.first() else {
            if meant.contains(&Form::Parquet) && !cfg!(feature = "parquet") {
                return Err(Failure::new("this zerohop was built without Parquet")
                    .hint("end the name with .csv or .json, or build with `--features parquet`"));
            }
            return Err(Failure::new(format_args!(
                "{} cannot be written to `{shown}`: it has no .{ending} form",
                self.name
            ))
            .hint(format!("end its name with {}", self.endings())));
        };
        match format {
            None => Ok(*first),
            Some(format) if had.contains(&format) => Ok(format),
            Some(format) => {
                Err(Failure::new(format_args!("`--format {format}` contradicts the name `{shown}`"))
                    .hint(format!("leave --format out, or end the name with .{}", format.ending())))
            }
        }
    }
}

/// The ending of a file's name, in lower case, without the dot.
fn ending(path: &Path) -> Option<String> {
    path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase())
}

/// Whether a path's ending names a form, whoever has it.
pub(crate) fn names_form(path: &Path) -> bool {
    ending(path).is_some_and(|ending| Form::ALL.into_iter().any(|form| form.ending() == ending))
}
