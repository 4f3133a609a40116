//! Settings, whoever made the machine.

use zerohop_document::{ByText, Named, Names, Text};
use zerohop_machine::Machine;

use super::goal::{Goal, WorkloadKind};
use super::tables::{AdviceTable, KindTable, ModelTable};

/// A setting of firmware or kernel.
#[derive(Debug, Clone)]
pub struct Kind {
    /// Its id, to which rules refer.
    pub id: String,
    /// Its name, as most people call it.
    pub title: String,
    /// Words of the names of processors that have it; empty for all.
    pub processors: Vec<String>,
    /// Fewest sockets of a machine that has it.
    pub sockets: usize,
    pub meaning: String,
    /// What that does to memory.
    pub effect: String,
    /// What to know before it is changed.
    pub caution: Option<String>,
    /// Where that is documented.
    pub source: String,
    /// Values that save power.
    pub saves_power: Vec<String>,
    pub values: Vec<NamedValue>,
    pub advice: Vec<Advice>,
    /// How a model expresses it.
    pub(super) models: Vec<Model>,
}

/// A value of a setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedValue {
    /// As `kinds.toml` has it.
    pub value: String,
    pub meaning: String,
}

/// What a document recommends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advice {
    /// What it is good for.
    pub goals: Vec<Goal>,
    /// Which programs it is good for.
    pub workloads: Vec<WorkloadKind>,
    /// Words of the names of processors that it is about; empty for all that have the setting.
    pub processors: Vec<String>,
    pub value: String,
    /// Other values that are as good where they were chosen.
    pub unless: Vec<String>,
    pub why: String,
    pub source: String,
}

/// How a model of a machine expresses a setting.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) how: How,
    /// Templates that the parameter means that for; empty for all.
    pub(super) templates: Vec<String>,
    /// Values as the machine file writes them; empty if it writes the same words.
    pub(super) values: Vec<(String, String)>,
    /// Other options that have to be set as well.
    pub(super) with: Vec<(String, String)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum How {
    Option(String),
    Parameter(String),
    /// Values by path that become those of another path.
    Path {
        path: String,
        like: String,
    },
}

/// What sets some Xeons apart.
const PHI: &str = "Phi";

impl Kind {
    pub(super) fn new(named: &Named<KindTable>) -> Self {
        let KindTable {
            table_place: _,
            title,
            processors,
            sockets,
            meaning,
            effect,
            caution,
            source,
            saves_power,
            values,
            model,
            advice,
        } = &named.value;
        Self {
            id: named.name.clone(),
            title: title.text.clone(),
            processors: names(processors.as_ref()),
            sockets: sockets.as_ref().map_or(1, |sockets| sockets.value),
            meaning: meaning.text.clone(),
            effect: effect.text.clone(),
            caution: caution.as_ref().map(|caution| caution.text.clone()),
            source: source.text.clone(),
            saves_power: names(saves_power.as_ref()),
            values: values
                .iter()
                .map(|named| NamedValue { value: named.name.clone(), meaning: named.value.text.clone() })
                .collect(),
            advice: advice.iter().map(Advice::new).collect(),
            models: model.iter().filter_map(Model::new).collect(),
        }
    }

    /// Whether a machine with these sockets and this processor has it; one whose processor is unknown may have it.
    pub fn suits(&self, machine: &Machine) -> bool {
        self.is_of(&machine.processor.model) && machine.packages.len() >= self.sockets
    }

    /// Whether a processor of that name has it; one whose name is unknown may have it.
    pub fn is_of(&self, model: &str) -> bool {
        // A Xeon Phi has its own settings, and few of those that other Xeons have.
        let is_phi = model.contains(PHI);
        let is_named =
            self.processors.iter().any(|word| model.contains(word) && is_phi == word.contains(PHI));
        self.processors.is_empty() || model.is_empty() || is_named
    }

    /// Whether it has that value.
    pub fn has(&self, value: &str) -> bool {
        self.values.iter().any(|known| known.value == value)
    }

    /// What a value means.
    pub fn meaning_of(&self, value: &str) -> Option<&str> {
        self.values.iter().find(|known| known.value == value).map(|known| known.meaning.as_str())
    }

    /// What documents recommend for a goal and a kind of programs, on a processor of that name; on any, if it is empty.
    pub fn advice_for(
        &self,
        goal: Goal,
        workload: WorkloadKind,
        processor: &str,
    ) -> impl Iterator<Item = &Advice> {
        self.advice.iter().filter(move |advice| {
            let is_about = advice.processors.iter().any(|word| processor.contains(word));
            (advice.processors.is_empty() || is_about)
                && advice.goals.contains(&goal)
                && advice.workloads.contains(&workload)
        })
    }
}

impl Advice {
    fn new(table: &AdviceTable) -> Self {
        let AdviceTable { table_place: _, goal, workload, processors, value, unless, why, source } = table;
        Self {
            goals: goal.value.clone(),
            workloads: workload.value.clone(),
            processors: names(processors.as_ref()),
            value: value.text.clone(),
            unless: names(unless.as_ref()),
            why: why.text.clone(),
            source: source.text.clone(),
        }
    }
}

impl Model {
    /// Nothing if the table says neither of what; a test reads all of them.
    fn new(table: &ModelTable) -> Option<Self> {
        let ModelTable { table_place: _, option, parameter, path, like, templates, values, with } = table;
        let text = |text: &Option<Text>| text.as_ref().map(|text| text.text.clone());
        let how = match (text(option), text(parameter), text(path), text(like)) {
            (Some(option), None, None, None) => How::Option(option),
            (None, Some(parameter), None, None) => How::Parameter(parameter),
            (None, None, Some(path), Some(like)) => How::Path { path, like },
            _ => return None,
        };
        Some(Self { how, templates: names(templates.as_ref()), values: pairs(values), with: pairs(with) })
    }
}

pub(super) fn names(names: Option<&Names>) -> Vec<String> {
    names.into_iter().flat_map(|names| &names.names).map(|name| name.text.clone()).collect()
}

pub(super) fn pairs(table: &ByText<Text>) -> Vec<(String, String)> {
    table.iter().map(|named| (named.name.clone(), named.value.text.clone())).collect()
}
