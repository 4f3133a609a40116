//! What a page is answered.

use serde::Serialize;
use zerohop_machine_file::{MachineOption, TemplateParameter};
use zerohop_report::{Document, Elements, ValueChange, render_elements};
use zerohop_result::Choice;

use crate::check::Checked;
use crate::refusal::Refusal;

/// The answer to a question.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Answer {
    List(List),
    Checked(Checked),
    Machine(Box<Shown>),
    Faults(Faults),
    Run(Measured),
    Compare(Compared),
    Change(Changes),
    Reproduce(Reproduced),
}

#[derive(Debug, Serialize)]
pub(crate) struct List {
    pub(crate) machines: Vec<Named>,
    pub(crate) templates: Vec<Named>,
    /// The studies of published figures that have a walk: those of built-in machines.
    pub(crate) studies: Vec<Named>,
    pub(crate) experiments: Vec<Known>,
    pub(crate) kernels: Vec<&'static str>,
}

/// A machine or a template.
#[derive(Debug, Serialize)]
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) title: String,
}

#[derive(Debug, Serialize)]
pub(crate) struct Known {
    pub(crate) name: &'static str,
    pub(crate) summary: &'static str,
    pub(crate) about: &'static str,
    pub(crate) accepts: &'static [Choice],
}

/// A machine, and what can be chosen of it.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    pub(crate) name: String,
    pub(crate) title: String,
    /// The command that shows the same.
    pub(crate) command: String,
    /// What the machine file offers.
    pub(crate) options: Vec<MachineOption>,
    /// What a buyer knows of a machine that a template describes.
    pub(crate) known: Vec<TemplateParameter>,
    /// Every value of its file.
    pub(crate) parameters: Vec<Value>,
    /// Its nodes: their numbers and their cores.
    pub(crate) nodes: Vec<Node>,
    /// Its nodes and the links between them as a small picture.
    pub(crate) map: String,
    #[serde(flatten)]
    pub(crate) drawn: Drawn,
}

/// A value of a machine file.
#[derive(Debug, Serialize)]
pub(crate) struct Value {
    pub(crate) path: String,
    pub(crate) value: String,
    pub(crate) source: String,
}

/// Faults that a machine can have.
#[derive(Debug, Serialize)]
pub(crate) struct Faults {
    pub(crate) faults: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Node {
    pub(crate) number: u32,
    pub(crate) cores: usize,
    pub(crate) has_memory: bool,
}

/// What an experiment measured.
#[derive(Debug, Serialize)]
pub(crate) struct Measured {
    /// The command that gives the same.
    pub(crate) command: String,
    /// The document, as `--format json` prints it.
    pub(crate) json: String,
    #[serde(flatten)]
    pub(crate) drawn: Drawn,
    /// The machine with the load of its links and channels, if that was asked for.
    pub(crate) loads: Option<String>,
    /// Its values in a few words: label and text.
    pub(crate) headlines: Vec<(&'static str, String)>,
}

/// The published figures of a study beside a model's.
#[derive(Debug, Serialize)]
pub(crate) struct Reproduced {
    /// The command that gives the same.
    pub(crate) command: String,
    /// The document, as `--format json` prints it.
    pub(crate) json: String,
    #[serde(flatten)]
    pub(crate) drawn: Drawn,
}

/// What changed between two results of an experiment.
#[derive(Debug, Serialize)]
pub(crate) struct Changes {
    pub(crate) changes: Vec<ValueChange>,
}

/// How two machines compare.
#[derive(Debug, Serialize)]
pub(crate) struct Compared {
    /// The commands that give the same, one after another.
    pub(crate) commands: Vec<String>,
    /// What the two results are called: the base, and the other.
    pub(crate) names: [String; 2],
    /// The headlines that both have.
    pub(crate) headlines: Vec<ValueChange>,
    /// The values that differ most, the largest difference first.
    pub(crate) largest: Vec<ValueChange>,
    /// The document, as `zerohop compare --format json` prints it.
    pub(crate) json: String,
    /// What the experiment measured on the base; nothing if the base has no such experiment.
    pub(crate) base: Drawn,
    #[serde(flatten)]
    pub(crate) drawn: Drawn,
}

/// A document as elements.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Drawn {
    pictures: String,
    /// Its words and tables.
    words: String,
}

impl Drawn {
    /// A document whose first picture has that rank on the page.
    pub(crate) fn of<D: Document>(document: &D, first: usize) -> Result<Self, Refusal> {
        let Elements { pictures, words } =
            render_elements(document, first).map_err(|error| Refusal::new(&error))?;
        Ok(Self { pictures, words })
    }
}
