//! Answers questions.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use zerohop_app::built_in::{machine_names, template_names};
use zerohop_app::{NoFiles, PartialResult, library, studies, templates};
use zerohop_compare::{Configuration, Numbering, compare};
use zerohop_experiment::campaign::Run;
use zerohop_experiment::{catalogue, run};
use zerohop_machine::{NumaNode, Settings};
use zerohop_machine_file::{Hardware, MachineFile};
use zerohop_model::Solved;
use zerohop_report::pages::Style;
use zerohop_report::{
    Document, Experiment, Form, LinkLoad, RenderError, Rendered, headlines, json, render, render_picture,
};
use zerohop_result::{Measure, Query, ResultFile};
use zerohop_workload::{Kernel, StopFlag};

use crate::answer::{
    Answer, Compared, Drawn, Faults, Known, List, Measured, Named, Node, Reproduced, Shown, Value,
};
use crate::base::{Base, BaseResult};
use crate::commands::experiment;
use crate::embedded_files::CarriedFiles;
use crate::faults;
use crate::progress::{Progress, Reporting};
use crate::question::Question;
use crate::refusal::{Refusal, of_experiment};
use crate::reproduction::{self, reproduced};
use crate::subject::Subject;

/// Answers questions, and remembers machine files and what mean-value analysis has solved.
#[derive(Debug, Default)]
pub struct Explorer {
    files: RefCell<BTreeMap<String, MachineFile>>,
    /// The machine that was asked of last: questions of one change are about the same.
    last: RefCell<Option<(Subject, Arc<Hardware>)>>,
    /// The result that was asked of last.
    carried: RefCell<Option<(String, Arc<ResultFile>)>>,
    solved: Solved,
}

impl Explorer {
    /// The answer to a question, as JSON: the answer itself, or `error` and perhaps `hint`. `progress` learns how many visits there
    /// have been, of how many expected.
    pub fn answer(&self, question: &str, progress: &Progress<'_>) -> String {
        let answered = serde_json::from_str(question)
            .map_err(|error| Refusal::new(&format!("invalid question: {error}")))
            .and_then(|question| self.answered(&question, progress));
        match answered {
            Ok(answer) => serde_json::to_string(&answer),
            Err(refusal) => serde_json::to_string(&refusal),
        }
        .unwrap_or_else(|error| format!("{{\"error\":\"{error}\"}}"))
    }

    fn answered(&self, question: &Question, progress: &Progress<'_>) -> Result<Answer, Refusal> {
        Ok(match question {
            Question::List => Answer::List(Self::list()?),
            Question::Machine { on, first } => Answer::Machine(Box::new(self.shown(on, *first)?)),
            Question::Faults { on } => {
                let sound = library::hardware_of(&self.file(on)?, &on.settings()?)?;
                Answer::Faults(Faults { faults: faults::possible(&sound) })
            }
            Question::Run { on, run, first } => Answer::Run(self.measured(on, run, *first, progress)?),
            Question::Reproduce { study } => {
                let file = reproduced(study, progress)?;
                let words = ["reproduce", study, "--solver", reproduction::SOLVER.name()];
                Answer::Reproduce(Reproduced {
                    command: command(words, std::iter::empty()),
                    json: json_of(&file)?,
                    drawn: Drawn::of(&file, 0)?,
                })
            }
            Question::Compare { on, with, run, first } => Answer::Compare(match with {
                Base::Machine(base) => self.compared([base, on], run, *first)?,
                Base::Result(base) => self.compared_with_result(base, on, run, *first)?,
            }),
        })
    }

    fn file(&self, on: &Subject) -> Result<MachineFile, Refusal> {
        if let Some(file) = self.files.borrow().get(&on.machine) {
            return Ok(file.clone());
        }
        let file = library::machine_file(&on.machine, &CarriedFiles(&on.files))?;
        self.files.borrow_mut().insert(on.machine.clone(), file.clone());
        Ok(file)
    }

    fn hardware(&self, on: &Subject) -> Result<Arc<Hardware>, Refusal> {
        if let Some((_, hardware)) = self.last.borrow().as_ref().filter(|(last, _)| last == on) {
            return Ok(Arc::clone(hardware));
        }
        let hardware = Arc::new(on.hardware(&self.file(on)?)?);
        *self.last.borrow_mut() = Some((on.clone(), Arc::clone(&hardware)));
        Ok(hardware)
    }

    fn list() -> Result<List, Refusal> {
        let machine = |name: &str| {
            let hardware = library::hardware(name, &Settings::none(), &NoFiles)?;
            Ok(Named { name: name.to_owned(), title: hardware.title })
        };
        let template = |name: &str| {
            let template = templates::template(name, &NoFiles)?;
            Ok(Named { name: name.to_owned(), title: template.title().to_owned() })
        };
        Ok(List {
            machines: machine_names().map(machine).collect::<Result<_, Refusal>>()?,
            templates: template_names().map(template).collect::<Result<_, Refusal>>()?,
            studies: studies::all()?
                .into_iter()
                .filter(|study| !templates::is_generated(&study.machine))
                .map(|study| Named { name: study.name, title: study.title })
                .collect(),
            experiments: catalogue()
                .all()
                .map(|known| Known {
                    name: known.name,
                    summary: known.summary,
                    about: known.about,
                    accepts: known.accepts,
                })
                .collect(),
            kernels: Kernel::all().map(Kernel::name).collect(),
        })
    }

    fn shown(&self, on: &Subject, first: usize) -> Result<Shown, Refusal> {
        let hardware = self.hardware(on)?;
        let template = on.machine.split(',').next().unwrap_or_default();
        let known = if templates::is_generated(&on.machine) {
            templates::template(template, &NoFiles).map(|template| template.parameters()).unwrap_or_default()
        } else {
            Vec::new()
        };
        Ok(Shown {
            name: hardware.machine.name.clone(),
            title: hardware.title.clone(),
            command: command(["machine", "show", &on.machine], on.setting_words()),
            options: hardware.options.clone(),
            known: known.into_iter().filter(|parameter| parameter.can_be_set).collect(),
            parameters: hardware
                .parameters
                .iter()
                .map(|of| Value { path: of.path.clone(), value: of.value.clone(), source: of.source.clone() })
                .collect(),
            nodes: nodes(&hardware),
            drawn: Drawn::of(&*hardware, first)?,
        })
    }

    fn measured(
        &self,
        on: &Subject,
        words: &str,
        first: usize,
        progress: &Progress<'_>,
    ) -> Result<Measured, Refusal> {
        let asked = experiment(words)?;
        let file = self.simulated(on, &asked, progress)?;
        let drawn = drawn(&file, first)?;
        let loads = if asked.options.detail { self.loads(on, &file, first + 1)? } else { None };
        Ok(Measured {
            command: run_command(on, words, []),
            json: json::result_json(&file),
            drawn: drawn.with(loads),
            headlines: headlines(&file, catalogue()),
        })
    }

    /// The machine with the load of its links and channels in the first workload of a result, if it has any.
    fn loads(&self, on: &Subject, result: &ResultFile, rank: usize) -> Result<Option<String>, Refusal> {
        let hardware = self.hardware(on)?;
        let at = Query::of(Measure::BusTraffic);
        let load = LinkLoad { hardware: &hardware, result, at: &at, experiments: catalogue() };
        match render_picture(&load, rank) {
            Err(RenderError::NoLoad(_)) => Ok(None),
            drawn => drawn.map(Some).map_err(|error| Refusal::new(&error)),
        }
    }

    fn compared(&self, [base, other]: [&Subject; 2], words: &str, first: usize) -> Result<Compared, Refusal> {
        let asked = experiment(words)?;
        let [a, b] = [base, other].map(|on| self.simulated(on, &asked, &|_, _| {}));
        let [a, b] = [a?, b?];
        let commands = vec![
            run_command(base, words, ["-o", "a.json"]),
            run_command(other, words, ["-o", "b.json"]),
            command(["compare", "a.json", "b.json"], std::iter::empty()),
        ];
        both([("a", &a), ("b", &b)], commands, drawn(&a, first)?, first + 1)
    }

    fn compared_with_result(
        &self,
        base: &BaseResult,
        on: &Subject,
        words: &str,
        first: usize,
    ) -> Result<Compared, Refusal> {
        let asked = experiment(words)?;
        let result = self.result(base)?;
        let model = self.simulated(on, &asked, &|_, _| {})?;
        let commands = vec![
            run_command(on, words, ["-o", "model.json"]),
            command(["compare", &base.path, "model.json"], std::iter::empty()),
        ];
        let known = result.experiments.iter().find(|one| one.experiment == asked.experiment);
        let of_base =
            |one| Drawn::of(&Experiment { file: &result, result: one, experiments: catalogue() }, first);
        let drawn = known.map(of_base).transpose()?.unwrap_or_default();
        both([(base.name(), &result), ("model", &model)], commands, drawn, first + 1)
    }

    /// A result that a page carries: every question about it brings it along.
    fn result(&self, base: &BaseResult) -> Result<Arc<ResultFile>, Refusal> {
        if let Some((_, result)) = self.carried.borrow().as_ref().filter(|(json, _)| *json == base.json) {
            return Ok(Arc::clone(result));
        }
        let result = Arc::new(ResultFile::read(&base.json).map_err(|error| Refusal::new(&error))?);
        *self.carried.borrow_mut() = Some((base.json.clone(), Arc::clone(&result)));
        Ok(result)
    }

    fn simulated(&self, on: &Subject, asked: &Run, progress: &Progress<'_>) -> Result<ResultFile, Refusal> {
        let Run { experiment, options } = asked;
        let hardware = self.hardware(on)?;
        let mut engine = on.solver().engine(hardware, options.seed, &self.solved, &StopFlag::new());
        let mut result = PartialResult::simulated(&*engine, options.settings());
        let experiment = run(experiment, &mut *engine, options, &mut Reporting(progress))
            .map_err(|error| of_experiment(&error))?;
        result.add(&experiment);
        Ok(result.into_simulated())
    }
}

fn nodes(hardware: &Hardware) -> Vec<Node> {
    let machine = &hardware.machine;
    let node = |node: &NumaNode| Node {
        number: node.id.0,
        cores: machine.cores.iter().filter(|core| !core.pus.intersection(&node.pus).is_empty()).count(),
        has_memory: hardware.memory(node.id).is_some(),
    };
    machine.nodes.iter().map(node).collect()
}

/// A comparison of two results, the first of which is the base, whose page and pictures are given.
fn both(
    [base, other]: [(&str, &ResultFile); 2],
    commands: Vec<String>,
    drawn: Drawn,
    first: usize,
) -> Result<Compared, Refusal> {
    let named = [base, other].map(|(name, result)| Configuration { name, result, repeats: &[] });
    let comparison = compare(&named, Numbering::ByTopology)
        .map_err(|error| Refusal { hint: Some(error.hint().into()), ..Refusal::new(&error) })?;
    Ok(Compared { commands, json: json_of(&comparison)?, base: drawn, drawn: Drawn::of(&comparison, first)? })
}

/// The page and the picture of the experiment of a result.
fn drawn(file: &ResultFile, first: usize) -> Result<Drawn, Refusal> {
    let result = file.experiments.first().ok_or_else(|| Refusal::new(&"nothing was measured"))?;
    Drawn::of(&Experiment { file, result, experiments: catalogue() }, first)
}

/// A document as `--format json` prints it.
fn json_of<D: Document>(document: &D) -> Result<String, Refusal> {
    match render(document, Form::Json, &Style { colour: false, width: 80 })
        .map_err(|error| Refusal::new(&error))?
    {
        Rendered::Text(text) => Ok(text),
        Rendered::Binary(_) => Err(Refusal::new(&"this document is not text")),
    }
}

/// The command line that runs an experiment on a machine.
fn run_command<const N: usize>(on: &Subject, words: &str, more: [&str; N]) -> String {
    let typed = shlex::split(words).unwrap_or_default();
    let run = std::iter::once("run").chain(typed.iter().map(String::as_str)).chain(["--on", &on.machine]);
    command(run, on.simulation_words().chain(more.map(str::to_owned)))
}

/// A command line to paste.
fn command<'a>(words: impl IntoIterator<Item = &'a str>, more: impl Iterator<Item = String>) -> String {
    let words = words.into_iter().map(str::to_owned).chain(more);
    std::iter::once("zerohop".to_owned()).chain(words.map(quoted)).collect::<Vec<_>>().join(" ")
}

/// A word as a shell takes it. Settings (`links=3`, `link:0-1=x8`) are typed without quotation marks.
fn quoted(word: String) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_=.,:/+%@".contains(character);
    if word.starts_with(is_plain) && word.chars().all(is_plain) {
        return word;
    }
    shlex::try_quote(&word).map_or_else(|_| word.clone(), Into::into)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use serde_json::Value;

    use super::*;

    fn answer(question: &str) -> Value {
        let answer = Explorer::default().answer(question, &|_, _| {});
        serde_json::from_str(&answer).unwrap()
    }

    #[test]
    fn the_list_names_machines_templates_and_experiments() {
        let list = answer(r#"{"ask": "list"}"#);
        let names = |of: &str| {
            list[of].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect::<Vec<_>>()
        };
        assert!(names("machines").contains(&"sr665-v3"));
        assert!(names("templates").contains(&"epyc-9004"));
        assert!(names("experiments").contains(&"latency-matrix"));
        assert_eq!(names("studies").len(), 5);
    }

    #[test]
    fn a_machine_has_its_options_its_faults_and_its_command() {
        let shown = answer(
            r#"{"ask": "machine", "on": {"machine": "sr665-v3", "set": ["links=3"], "fault": ["channels:node0=3"]}}"#,
        );
        assert_eq!(shown["command"], "zerohop machine show sr665-v3 --set links=3");
        let links =
            shown["options"].as_array().unwrap().iter().find(|option| option["name"] == "links").unwrap();
        assert_eq!((&links["chosen"], &links["values"]), (&"3".into(), &serde_json::json!(["3", "4"])));
        assert!(shown["pictures"].as_str().unwrap().contains("<svg"));
        let shown = answer(r#"{"ask": "faults", "on": {"machine": "sr665-v3"}}"#);
        let faults = shown["faults"].as_array().unwrap();
        assert!(faults.iter().any(|fault| fault == "channels:node1=1"), "{faults:?}");
    }

    #[test]
    fn a_run_has_its_command_its_document_and_its_picture() {
        let run = answer(
            r#"{"ask": "run", "run": "latency-matrix", "on": {"machine": "quartet", "fault": ["threshold=8"]}}"#,
        );
        assert_eq!(
            run["command"],
            "zerohop run latency-matrix --on quartet --fault threshold=8 --solver flow"
        );
        let json: Value = serde_json::from_str(run["json"].as_str().unwrap()).unwrap();
        assert_eq!(json["machine"]["name"], "quartet");
        assert!(run["pictures"].as_str().unwrap().contains("<svg"));
        assert!(run["headlines"].as_array().is_some_and(|headlines| !headlines.is_empty()));
    }

    #[test]
    fn what_cannot_be_answered_says_why_and_what_to_do() {
        let refused = |question: &str| {
            let refusal = answer(question);
            (refusal["error"].as_str().unwrap().to_owned(), refusal["hint"].as_str().map(str::to_owned))
        };
        let (error, hint) = refused(r#"{"ask": "machine", "on": {"machine": "sr655-v3"}}"#);
        assert!(error.contains("sr655-v3") && hint.unwrap().contains("sr665-v3"), "{error}");
        let (error, _) =
            refused(r#"{"ask": "run", "run": "hops", "on": {"machine": "quartet", "set": ["links"]}}"#);
        assert!(error.contains("links"), "{error}");
        let (error, _) = refused(
            r#"{"ask": "run", "run": "hops", "on": {"machine": "quartet", "fault": ["link:9-9=down"]}}"#,
        );
        assert!(error.contains("--fault link:9-9=down"), "{error}");
        assert!(refused("{").0.contains("invalid question"));
    }

    #[test]
    fn events_report_their_progress() {
        let told = Mutex::new(Vec::new());
        let question =
            r#"{"ask": "run", "run": "hops --nodes 0,1", "on": {"machine": "quartet", "solver": "event"}}"#;
        Explorer::default().answer(question, &|rank, of| told.lock().unwrap().push((rank, of)));
        let told = told.into_inner().unwrap();
        assert!(told.len() > 1 && told.iter().all(|(rank, of)| rank < of), "{told:?}");
    }
}
