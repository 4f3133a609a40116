//! Templates: machine files generated from a buyer's knowledge of a machine.
//!
//! A template is a TOML file for a generation of processors. `known` holds the properties that a buyer knows and can set; `generation` holds the ones
//! that a spec sheet does not state, chosen on machines of that generation. [`Template::machine_file`] writes an ordinary machine file, with the
//! source of every value, and chooses the times of its parts so that idle latencies are as stated.

mod channel;
mod chiplets;
mod draft;
mod monolithic;
mod parameters;
mod parts;
mod plan;
mod solve;
mod tables;
#[cfg(test)]
mod tests;
mod words;

use std::fmt;
use std::sync::Arc;

use zerohop_document::{Entry, Parameter, Problems, Reader, Span, Value, parse, read_typed, suggest};

use zerohop_units::{Bytes, Hertz, TransfersPerSecond};

use crate::file::Generator;
use crate::{MachineFile, MachineFileError, OpenFact};
use chiplets::QUADRANTS;
use plan::{Plan, Times};
use tables::{Structure, TemplateTable};
use words::{GIVEN, KNOWN};
use zerohop_machine::{Setting, Settings};

pub use parameters::TemplateParameter;

/// What messages call the document.
const DOCUMENT: &str = "the template";

/// The table of whose processor it is.
const PROCESSOR: &str = "processor";

/// The table of parameters as they would have been chosen without some machine, and the setting that chooses one.
const WITHOUT: &str = "without";

/// A template that was read and checked.
#[derive(Debug, Clone)]
pub struct Template {
    name: String,
    /// The name of the machines that it describes: its own, or that of their processor.
    machine: String,
    /// The file, without problems.
    files: Problems,
    base: Value,
    table: TemplateTable,
    parameters: Vec<Parameter>,
    /// Links of a socket as `generation.remote` has them.
    usual_links: u32,
    /// Clock at which `generation.l3_latency` holds.
    usual_clock: Hertz,
    errors: Vec<String>,
}

/// A fact that the vendor of a processor publishes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFact {
    /// The name of a template's parameter.
    pub name: String,
    /// Value as written in a template.
    pub value: String,
    /// Source of the publication.
    pub source: String,
}

/// A template, and what was stated of a machine.
#[derive(Debug)]
struct TemplateOf {
    template: Arc<Template>,
    /// Stated values, by the names of the template's parameters.
    given: Vec<Setting>,
    /// Stated values that remain when others are set: they are part of the machine's name.
    named: Settings,
}

impl Generator for TemplateOf {
    fn given(&self) -> &[Setting] {
        &self.given
    }

    fn open_facts(&self) -> Vec<OpenFact> {
        OpenFact::NAMES
            .into_iter()
            .filter_map(|(name, _)| self.template.open_fact(name, &self.given))
            .collect()
    }

    fn same_but_for_paths(&self, settings: &Settings) -> Option<Settings> {
        let (paths, given) = paths_and_given(&self.named, settings);
        (given == self.given).then_some(paths)
    }

    fn generate(&self, settings: &Settings) -> Result<MachineFile, MachineFileError> {
        self.template.machine_file(&self.named, settings)
    }
}

impl Template {
    /// Reads a template. `name` is the file's name in messages, and without directory and extension its own.
    ///
    /// # Errors
    /// When it is not TOML, or a key, a value, a unit or a source is wrong or missing.
    pub fn parse(name: &str, text: &str) -> Result<Self, MachineFileError> {
        let mut problems = Problems::of(name, text);
        let base = parse(0, "templates are TOML; see docs/templates.md", &mut problems);
        if problems.any() {
            return Err(MachineFileError::of(problems));
        }
        let files = problems.without_problems();
        let (table, parameters, _) = read(&base, problems)?;
        let (usual_links, usual_clock) = (table.known.links.value, table.known.clock.value);
        let name = crate::file::stem(name).to_owned();
        Ok(Self {
            machine: name.clone(),
            name,
            files,
            base,
            table,
            parameters,
            usual_links,
            usual_clock,
            errors: Vec::new(),
        })
    }

    /// Copy of the template with the errors of its predictions: a phrase for each measure.
    #[must_use]
    pub fn with_errors(self, errors: Vec<String>) -> Self {
        Self { errors, ..self }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// Summary of the template, in one sentence.
    pub fn title(&self) -> &str {
        &self.table.title.text
    }

    /// Template for a specific processor of the generation, with these facts published by its vendor as the defaults of a buyer's knowledge.
    ///
    /// # Errors
    /// If a fact has no such name, or its value is wrong.
    pub fn with_facts(&self, model: &str, facts: &[KnownFact]) -> Result<Self, MachineFileError> {
        let mut files = self.files.clone();
        let mut base = self.base.clone();
        for KnownFact { name, value, source } in facts {
            let text = format!("{name}={value}");
            let file = files.file(model, &text);
            let place = Span { file, start: name.len() + 1, end: text.len() };
            put(&mut base, name, Span { file, start: 0, end: name.len() }, read_typed(value, place, source));
        }
        let file = files.file(model, model);
        let place = Span { file, start: 0, end: model.len() };
        if let Some(entry) = base.entry_mut(PROCESSOR).and_then(|table| table.value.entry_mut("model")) {
            entry.value = read_typed(&zerohop_document::quoted(model), place, "the processor's name");
        }
        let (table, parameters, _) = read(&base, files.clone())?;
        Ok(Self { machine: model.to_owned(), files, base, table, parameters, ..self.clone() })
    }

    /// Parameters of the template: first a buyer's knowledge, then the derived properties of the generation.
    pub fn parameters(&self) -> Vec<TemplateParameter> {
        parameters::parameters(&self.parameters, &self.table)
    }

    /// A parameter as a fact that nobody can see, with what was stated of it; `None` if such a machine does not have it.
    fn open_fact(&self, name: &str, given: &[Setting]) -> Option<OpenFact> {
        let (known, most) = (&self.table.known, &self.table.most);
        let stated = |name: &str| given.iter().rev().find(|setting| setting.name == name);
        let number = |name, usual| stated(name).map_or(Some(usual), |setting| setting.value.parse().ok());
        // A processor's own number counts, where it is known: its generation may have more.
        let (usual, of_generation, noun) = match name {
            "links" if number("sockets", known.sockets.value)? > 1 => {
                let link = self.table.generation.link.as_ref();
                let noun = link.map_or("links".to_owned(), |link| format!("{} links", link.text));
                (known.links.value, most.links.value, noun)
            }
            "channels" => (known.channels.value, most.channels.value, "memory channels".to_owned()),
            _ => return None,
        };
        let value = number(name, usual)?;
        let most = if value > usual { of_generation } else { usual };
        Some(OpenFact { name: name.to_owned(), value, most, stated: stated(name).is_some(), noun })
    }

    /// The studies without which its parameters are known as well.
    pub fn left_out(&self) -> Vec<String> {
        let entry = self.base.entry(WITHOUT);
        let studies = entry.into_iter().flat_map(|entry| entry.value.entries().into_iter().flatten());
        studies.map(|study| study.key.clone()).collect()
    }

    /// Generates the machine file with these settings: a buyer's knowledge by name, all else by path in the machine file. `named` are settings that
    /// are part of the machine's name: they remain unless a later setting replaces them.
    ///
    /// # Errors
    /// If there is no such parameter, a value is out of bounds, or values contradict each other.
    pub fn machine_file(
        self: &Arc<Self>,
        named: &Settings,
        settings: &Settings,
    ) -> Result<MachineFile, MachineFileError> {
        let (paths, given) = paths_and_given(named, settings);
        let text = self.text(&given)?;
        let file = MachineFile::parse(&self.machine, &text, &())?;
        let of = TemplateOf { template: Arc::clone(self), given, named: named.clone() };
        file.generated_by(Arc::new(of)).set_paths(&paths)
    }

    /// The text of the machine file.
    fn text(&self, given: &[Setting]) -> Result<String, MachineFileError> {
        let mut problems = self.files.clone();
        let mut tree = self.base.clone();
        let without = tree.take(WITHOUT);
        let mut places = Vec::new();
        for setting in given {
            let file = problems.file(crate::file::SET_FILE, &setting.to_string());
            let name = Span { file, start: 0, end: setting.name.len() };
            let value = Span { file, start: name.end + 1, end: name.end + 1 + setting.value.len() };
            if setting.name == WITHOUT {
                leave_out(&mut tree, without.as_ref(), setting);
                continue;
            }
            if !parameters::is_known(&setting.name) {
                let hint = suggest(&setting.name, parameters::names().collect::<Vec<_>>());
                problems.add_with_hint(name, format!("a template has no parameter `{}`", setting.name), hint);
                continue;
            }
            places.push((setting.name.clone(), value));
            let typed = parameters::in_listed_unit(&setting.value, &setting.name, &self.base);
            put(&mut tree, &setting.name, name, read_typed(&typed, value, GIVEN));
        }
        if problems.any() {
            return Err(MachineFileError::of(problems));
        }
        let (table, parameters, mut problems) = read(&tree, problems)?;
        check(&table, &places, &mut problems);
        if problems.any() {
            return Err(MachineFileError::of(problems));
        }
        let mut plan = self.plan(&table, &parameters);
        let without = given.iter().rev().find(|setting| setting.name == WITHOUT);
        plan.without = without.map(|setting| setting.value.as_str());
        match solve::solve(&mut plan)? {
            Ok(text) => Ok(text),
            Err(short) => {
                let solve::TooShort { what, name, stated, least } = short;
                let least = (10.0 * least.get()).ceil() / 10.0;
                let message = format!("{what} cannot be {stated}: its parts take at least {least} ns");
                let of_it = places.iter().find(|(given, _)| Some(given.as_str()) == name);
                let place = of_it.map_or(table.known.table_place, |(_, place)| *place);
                problems.add_with_hint(place, message, "use a higher value");
                Err(MachineFileError::of(problems))
            }
        }
    }

    fn plan<'a>(&'a self, table: &'a TemplateTable, parameters: &'a [Parameter]) -> Plan<'a> {
        let mut plan = Plan {
            template: &self.name,
            title: &table.title.text,
            vendor: &table.processor.vendor.text,
            model: &table.processor.model.text,
            technology: &table.generation.technology.text,
            arrangement: table.generation.arrangement,
            broadcast: table.generation.coherence.as_ref().is_some_and(|word| word.text == "broadcast"),
            structure: table.structure,
            known: zerohop_document::Key::of(&table.known),
            generation: zerohop_document::Key::of(&table.generation),
            parameters,
            assumed: Vec::new(),
            errors: &self.errors,
            without: None,
            usual_links: self.usual_links,
            usual_clock: self.usual_clock,
            times: Times::FIRST,
        };
        plan.assumed = parameters::assumed(&plan);
        plan
    }
}

/// Of settings and those of the machine's name before them: those of the machine file by their paths, and what is stated of the machine.
fn paths_and_given(named: &Settings, settings: &Settings) -> (Settings, Vec<Setting>) {
    let all: Settings = named.iter().chain(settings.iter()).cloned().collect();
    let (paths, given): (Vec<_>, Vec<_>) = all.iter().cloned().partition(Setting::is_path);
    (paths.into_iter().collect(), given)
}

/// Reads the tree of a template.
fn read(
    tree: &Value,
    problems: Problems,
) -> Result<(TemplateTable, Vec<Parameter>, Problems), MachineFileError> {
    let mut tree = tree.clone();
    tree.take(WITHOUT);
    let mut reader = Reader::new(DOCUMENT, problems);
    let table = reader.root::<TemplateTable>(&tree);
    let Reader { mut problems, parameters, .. } = reader;
    if let Some(table) = &table {
        let technology = &table.generation.technology;
        if channel::technologies().all(|known| known != technology.text) {
            let hint = suggest(&technology.text, channel::technologies().collect::<Vec<_>>());
            problems.add_with_hint(technology.place, format!("no technology `{}`", technology.text), hint);
        }
    }
    match table {
        Some(table) if !problems.any() => Ok((table, parameters, problems)),
        _ => Err(MachineFileError::of(problems)),
    }
}

/// Puts a value into the table of what a buyer knows.
fn put(tree: &mut Value, name: &str, place: Span, value: Value) {
    let Some(known) = tree.entry_mut(KNOWN) else { return };
    let Some(entries) = known.value.entries_mut() else { return };
    match entries.iter_mut().find(|entry| entry.key == name) {
        Some(entry) => *entry = Entry { key: name.to_owned(), place, value },
        None => entries.push(Entry { key: name.to_owned(), place, value }),
    }
}

/// Lays what would have been chosen without a study over the tree. A study that nothing was chosen on changes nothing.
fn leave_out(tree: &mut Value, without: Option<&Entry>, setting: &Setting) {
    if let Some(entry) = without.and_then(|entry| entry.value.entry(&setting.value)) {
        tree.overlay(entry.value.clone());
    }
}

/// Checks what a buyer knows against what such a processor has, and against itself.
fn check(table: &TemplateTable, places: &[(String, Span)], problems: &mut Problems) {
    let (known, most) = (&table.known, &table.most);
    let place = |name: &str| {
        places
            .iter()
            .find_map(|(given, place)| (given == name).then_some(*place))
            .unwrap_or(known.table_place)
    };
    let limits = [
        ("sockets", known.sockets.value, most.sockets.value),
        ("cores", known.cores.value, most.cores.value),
        ("channels", known.channels.value, most.channels.value),
        ("links", known.links.value, most.links.value.max(1)),
        ("nodes", known.nodes.value, most.nodes.value),
    ];
    for (name, value, most) in limits.into_iter().filter(|(_, value, most)| value > most) {
        let message = format!("`{name}` cannot be {value}: the maximum for this processor is {most}");
        problems.add_with_hint(place(name), message, format!("write at most {most}"));
    }
    sizes(table, &place, problems);
    if known.rate.value > most.rate.value {
        let message = format!(
            "`rate` cannot be {}: the maximum for this processor is {}",
            known.rate.value, most.rate.value
        );
        problems.add(place("rate"), message);
    }
    let (nodes, channels, cores) = (known.nodes.value, known.channels.value, known.cores.value);
    if !channels.is_multiple_of(nodes) {
        let message = format!("{channels} channels cannot be divided evenly among {nodes} nodes per socket");
        problems.add_with_hint(
            place("nodes"),
            message,
            "use fewer nodes, or a multiple of the number of nodes as channels",
        );
    }
    if known.sockets.value > 2 && known.links.value < 2 {
        let message = format!("one link cannot connect {} sockets", known.sockets.value);
        problems.add_with_hint(place("sockets"), message, "also set `links`: two form a ring");
    }
    if known.cxl.is_some() && known.cxl_socket.value > known.sockets.value {
        problems.add(place("cxl_socket"), format!("there are only {} sockets", known.sockets.value));
    }
    // What means nothing here would be left out without a word.
    for (name, place) in places {
        if !parameters::means_something(name, table) {
            problems.add(*place, format!("`{name}` does not apply: this processor has none"));
        } else if known.cxl.is_none() && name.starts_with("cxl_") {
            let message = format!("`{name}` does not apply without CXL devices");
            problems.add_with_hint(*place, message, "also set `cxl`, the number of devices");
        }
    }
    match table.structure {
        Structure::Monolithic if cores < nodes => {
            let message = format!("{cores} cores cannot form {nodes} nodes per socket");
            problems.add_with_hint(place("nodes"), message, format!("write at most {cores}"));
        }
        Structure::Monolithic => {}
        Structure::Chiplets => check_dies(table, place("ccds"), place("nodes"), problems),
    }
}

/// Checks quantities of which no bound is that of a generation: what lies outside of these ranges was never built, or was typed by mistake.
fn sizes(table: &TemplateTable, place: &impl Fn(&str) -> Span, problems: &mut Problems) {
    let known = &table.known;
    let bytes = [
        ("dimm", known.dimm.value, [Bytes::mib(64), Bytes::gib(4096)]),
        ("l3", known.l3.value, [Bytes::mib(1), Bytes::gib(16)]),
    ];
    let wrong = |name: &str, value: &dyn fmt::Display, least: &dyn fmt::Display, most: &dyn fmt::Display| {
        (place(name), format!("`{name}` cannot be {value}"), format!("expected {least} to {most}"))
    };
    let of_bytes = bytes.into_iter().filter(|(_, value, [least, most])| value < least || value > most);
    let of_bytes = of_bytes.map(|(name, value, [least, most])| wrong(name, &value, &least, &most));
    let (clock, clocks) = (known.clock.value, [Hertz(2e8), Hertz(1e10)]);
    let of_clock =
        (clock < clocks[0] || clock > clocks[1]).then(|| wrong("clock", &clock, &clocks[0], &clocks[1]));
    let rates = [("rate", known.rate.value, 1e8), ("link_rate", known.link_rate.value, 5e8)];
    let of_rates =
        rates.into_iter().filter(|(_, value, least)| value.get() < *least).map(|(name, value, least)| {
            let (least, most) = (TransfersPerSecond(least), TransfersPerSecond(1e12));
            wrong(name, &value, &least, &most)
        });
    for (place, message, hint) in of_bytes.chain(of_clock).chain(of_rates).collect::<Vec<_>>() {
        problems.add_with_hint(place, message, hint);
    }
}

fn check_dies(table: &TemplateTable, at_ccds: Span, at_nodes: Span, problems: &mut Problems) {
    let (nodes, cores) = (table.known.nodes.value, table.known.cores.value);
    let ccds = table.known.ccds.as_ref().map_or(1, |ccds| ccds.value);
    if !cores.is_multiple_of(ccds) {
        let message = format!("{cores} cores cannot be divided evenly among {ccds} CPU dies");
        problems.add_with_hint(at_ccds, message, "set `ccds` to the number of CPU dies of this model");
    }
    if !QUADRANTS.is_multiple_of(nodes) || (ccds < nodes) {
        let message = format!("{ccds} CPU dies around four quadrants cannot form {nodes} nodes");
        problems.add_with_hint(at_nodes, message, "use 1, 2 or 4 nodes, each with a CPU die");
    }
}
