//! The text of a machine file, written value by value with the source of each.

use std::fmt::Write as _;

use zerohop_document::{Parameter, quoted};

/// Source of a value in a machine file.
#[derive(Debug, Clone)]
pub(super) struct Basis {
    source: String,
    /// The published figures that it was fitted to, as TOML.
    fitted: Option<String>,
}

impl Basis {
    /// An assumption with its reason.
    pub(super) fn assumed(reason: &str) -> Self {
        Self { source: format!("assumed: {reason}"), fitted: None }
    }

    /// A statement of a document.
    pub(super) fn documented(source: &str) -> Self {
        Self { source: source.to_owned(), fitted: None }
    }

    /// Source of a template's parameter.
    pub(super) fn of(template: &str, parameter: &Parameter) -> Self {
        const ASSUMED: &str = "assumed: ";
        let source = match parameter.source.strip_prefix(ASSUMED) {
            _ if parameter.source == super::words::GIVEN => parameter.source.clone(),
            Some(reason) => format!("{ASSUMED}template {template}: {reason}"),
            None => format!("template {template}: {}", parameter.source),
        };
        let fitted = parameter.fitted.as_ref().filter(|fitted| !fitted.figures.is_empty());
        let figures = fitted.map(|fitted| {
            let figures = fitted.figures.iter().map(|figure| quoted(&figure.to_string()));
            format!("[{}]", figures.collect::<Vec<_>>().join(", "))
        });
        Self { source, fitted: figures }
    }

    /// Copy of the source for a value that was computed from the parameter.
    pub(super) fn computed(mut self, how: &str) -> Self {
        self.source.push_str("; ");
        self.source.push_str(how);
        self
    }
}

/// A machine file that is being written.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: String,
}

impl Draft {
    pub(super) fn into_text(self) -> String {
        self.text
    }

    pub(super) fn table(&mut self, path: &str) {
        self.line(&format!("\n[{path}]"));
    }

    /// A key with a value as TOML writes it, which needs no source.
    pub(super) fn plain(&mut self, key: &str, value: &str) {
        self.line(&format!("{key} = {value}"));
    }

    /// A key with a text.
    pub(super) fn text(&mut self, key: &str, text: &str) {
        self.plain(key, &quoted(text));
    }

    /// The source of a whole table.
    pub(super) fn source(&mut self, basis: &Basis) {
        self.text("source", &basis.source);
    }

    /// A key with a value as TOML writes it, and its source.
    pub(super) fn value(&mut self, key: &str, value: impl AsRef<str>, basis: &Basis) {
        let fitted = basis.fitted.as_ref().map_or(String::new(), |fitted| format!(", fitted = {fitted}"));
        let (value, source) = (value.as_ref(), quoted(&basis.source));
        self.line(&format!("{key} = {{ value = {value}, source = {source}{fitted} }}"));
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("a string takes any text");
    }
}
