//! The file of known errors: TOML that `zerohop reproduce --validation -o FILE.toml` writes, and that comes with the program.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::Deserialize;
use zerohop_document::{key, quoted};

/// The head of the file.
const HEAD: &str = "\
# Errors of predictions from spec sheets: those of all predicted figures of docs/validation.md, in percent of the published
# value. `just validation` writes this file together with that page, and CI compares both with the models: do not edit it.

";

/// Reason why a text is not a file of known errors.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("not a file of known errors: {0}")]
pub struct KnownErrorsError(#[from] toml::de::Error);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    quantile_of_all: f64,
    quantiles: BTreeMap<String, f64>,
    machines: Vec<OfMachine>,
}

/// The errors of one study, which is one machine.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OfMachine {
    study: String,
    generation: String,
    figures: Vec<(String, f64)>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    /// Study of the figure, which is one machine.
    pub(super) study: String,
    /// The generation of its machine.
    pub(super) generation: String,
    /// Label of the figure: a kind, and more after a comma (`idle latency, remote`).
    pub(super) label: String,
    /// Magnitude of its error, in percent of the published value, to a tenth.
    pub(super) error: f64,
}

/// Content of a file: the figures, the quantile of each kind, and the quantile of all figures.
pub(super) type Content = (Vec<Figure>, BTreeMap<String, f64>, f64);

pub(super) fn read(text: &str) -> Result<Content, KnownErrorsError> {
    let file: File = toml::from_str(text)?;
    let of_machine = |OfMachine { study, generation, figures }: OfMachine| {
        let figure = move |(label, error)| Figure {
            study: study.clone(),
            generation: generation.clone(),
            label,
            error,
        };
        figures.into_iter().map(figure)
    };
    let figures = file.machines.into_iter().flat_map(of_machine).collect();
    Ok((figures, file.quantiles, file.quantile_of_all))
}

pub(super) fn write(figures: &[Figure], quantiles: &BTreeMap<String, f64>, of_all: f64) -> String {
    let mut text = String::from(HEAD);
    let _ = writeln!(
        text,
        "# The share of the known errors that an interval contains: large enough to contain nine of ten values of a machine that is held\n\
                 # out.\n\
         quantile_of_all = {of_all:.3}\n\n[quantiles]"
    );
    for (kind, quantile) in quantiles {
        let _ = writeln!(text, "{} = {quantile:.3}", key(kind));
    }
    for figures in figures.chunk_by(|one, next| one.study == next.study) {
        let Figure { study, generation, .. } = &figures[0];
        let (study, generation) = (quoted(study), quoted(generation));
        let _ = writeln!(text, "\n[[machines]]\nstudy = {study}\ngeneration = {generation}\nfigures = [");
        for Figure { label, error, .. } in figures {
            let _ = writeln!(text, "    [{}, {error:.1}],", quoted(label));
        }
        text.push_str("]\n");
    }
    text
}
