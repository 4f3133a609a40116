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
    Document, Experiment, Form, LinkLoad, NodeMap, RenderError, Rendered, headline_changes, headlines, json,
    largest_changes, render, render_picture,
};
use zerohop_result::ResultFile;
use zerohop_workload::{Kernel, StopFlag};

use crate::answer::{
    Answer, Changes, Compared, Drawn, Faults, Known, List, Measured, Named, Node, Reproduced, Shown, Value,
};
use crate::base::{Base, BaseResult};
use crate::check::checked;
use crate::command_line::{command, run_command, stems};
use crate::commands::experiment;
use crate::embedded_files::CarriedFiles;
use crate::faults;
use crate::placed::{thread_words, workload};
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
            Question::Check { on } => Answer::Checked(checked(on, &self.file(on)?)),
            Question::Machine { on, placed, first } => {
                Answer::Machine(Box::new(self.shown(on, placed.as_deref(), *first)?))
            }
            Question::Faults { on } => {
                let sound = library::hardware_of(&self.file(on)?, &on.settings()?)
                    .map_err(|error| Refusal::of_machine(&error))?;
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
            Question::Change { before, after } => Answer::Change(changes(before, after)?),
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

    fn shown(&self, on: &Subject, placed: Option<&str>, first: usize) -> Result<Shown, Refusal> {
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
            command: command(["machine", "show", &on.machine], on.machine_words()),
            options: hardware.options.clone(),
            known: known.into_iter().filter(|parameter| parameter.can_be_set).collect(),
            parameters: hardware
                .parameters
                .iter()
                .map(|of| Value { path: of.path.clone(), value: of.value.clone(), source: of.source.clone() })
                .collect(),
            nodes: nodes(&hardware),
            // The picture of all routers comes after its words.
            map: self.map(on, placed, first + 2)?,
            drawn: Drawn::of(&*hardware, first)?,
        })
    }

    /// The nodes of a machine, with the threads and the load of a run if one is given.
    fn map(&self, on: &Subject, placed: Option<&str>, rank: usize) -> Result<String, Refusal> {
        let hardware = self.hardware(on)?;
        let asked = placed.and_then(|words| experiment(words).ok());
        let threads = asked.as_ref().map(thread_words).unwrap_or_default();
        // Its card says what is wrong with a run; the map has the threads all the same.
        let result = asked.as_ref().and_then(|asked| self.simulated(on, asked, &|_, _| {}).ok());
        let at = workload(asked.as_ref());
        let load = result.as_ref().map(|result| LinkLoad {
            hardware: &hardware,
            result,
            at: &at,
            experiments: catalogue(),
        });
        let drawn = |load| render_picture(&NodeMap { hardware: &hardware, load, threads: &threads }, rank);
        match drawn(load) {
            Err(RenderError::NoLoad(_)) => drawn(None),
            map => map,
        }
        .map_err(|error| Refusal::new(&error))
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
        let loads = if asked.options.detail { self.loads(on, &file, &asked, first + 2)? } else { None };
        Ok(Measured {
            command: run_command(on, words, []),
            json: json::result_json(&file),
            drawn,
            loads,
            headlines: headlines(&file, catalogue()),
        })
    }

    /// The machine with the load of its links and channels in the workload that was asked for, if the result has any load.
    fn loads(
        &self,
        on: &Subject,
        result: &ResultFile,
        asked: &Run,
        rank: usize,
    ) -> Result<Option<String>, Refusal> {
        let hardware = self.hardware(on)?;
        let at = workload(Some(asked));
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
        let names = stems([base, other]);
        let files = names.each_ref().map(|name| format!("{name}.json"));
        let commands = vec![
            run_command(base, words, ["-o", &files[0]]),
            run_command(other, words, ["-o", &files[1]]),
            command(["compare", &files[0], &files[1]], std::iter::empty()),
        ];
        both([(&names[0], &a), (&names[1], &b)], commands, drawn(&a, first)?, first + 1)
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
    Ok(Compared {
        commands,
        names: [base.0.to_owned(), other.0.to_owned()],
        json: json_of(&comparison)?,
        headlines: headline_changes(base.1, other.1, catalogue()),
        largest: largest_changes(&comparison, MOST_CHANGES),
        base: drawn,
        drawn: Drawn::of(&comparison, first)?,
    })
}

/// More differences than this are read as a table.
const MOST_CHANGES: usize = 10;

/// What changed from one result to another: its headlines; of a result without any, the values that changed most.
fn changes(before: &str, after: &str) -> Result<Changes, Refusal> {
    let read = |json: &str| ResultFile::read(json).map_err(|error| Refusal::new(&error));
    let (before, after) = (read(before)?, read(after)?);
    let headlines = headline_changes(&before, &after, catalogue());
    if headlines.iter().any(|change| change.better.is_some()) {
        return Ok(Changes { changes: headlines });
    }
    let named = [("before", &before), ("after", &after)];
    let named = named.map(|(name, result)| Configuration { name, result, repeats: &[] });
    // Results without a common value have no change to report.
    let changes = compare(&named, Numbering::AsGiven).map(|compared| largest_changes(&compared, 2));
    Ok(Changes { changes: changes.unwrap_or_default() })
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
        assert_eq!(shown["command"], "zerohop machine show sr665-v3 --set links=3 --fault channels:node0=3");
        let map = shown["map"].as_str().unwrap();
        assert!(map.contains("3 channels left") && map.contains("3 × "), "{map}");
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
    fn the_load_is_that_of_the_placed_threads() {
        let placed = "crossfire --case '0.0.r.3 1.0.w.0' --detail";
        let asked = |question: Value| answer(&question.to_string());
        let on = serde_json::json!({"machine": "quartet"});
        let run = asked(serde_json::json!({"ask": "run", "run": placed, "on": on}));
        assert!(run["loads"].as_str().unwrap().contains("0.0.r.3 1.0.w.0"));
        let map = asked(serde_json::json!({"ask": "machine", "on": on, "placed": placed}));
        let map = map["map"].as_str().unwrap();
        assert!(map.contains("0.0.r.3 1.0.w.0") && map.contains("reads node 3"), "{map}");
        assert!(map.contains("writes node 0") && map.contains("3.40 · 85 %"), "{map}");
    }

    #[test]
    fn a_link_that_is_down_is_drawn_where_it_was() {
        let map = answer(r#"{"ask": "machine", "on": {"machine": "quartet", "fault": ["link:0-1=down"]}}"#);
        let map = map["map"].as_str().unwrap();
        assert!(map.contains(">down<") && map.contains("Injected: link:0-1=down."), "{map}");
    }

    #[test]
    fn what_is_invalid_is_named_and_the_rest_is_kept() {
        let on = r#"{"machine": "sr665-v3", "set": ["links=3", "foo", "nps=7"], "fault": ["channels:node0=3", "link:0-9=down"]}"#;
        let checked = answer(&format!(r#"{{"ask": "check", "on": {on}}}"#));
        assert_eq!(checked["set"], serde_json::json!(["links=3"]));
        assert_eq!(checked["fault"], serde_json::json!(["channels:node0=3"]));
        let refused = checked["refused"].as_array().unwrap();
        let words: Vec<&str> = refused.iter().map(|one| one["word"].as_str().unwrap()).collect();
        assert_eq!(words, ["foo", "nps=7", "link:0-9=down"]);
        assert!(refused[0]["error"].as_str().unwrap().contains("`foo`"));
        assert!(refused[1]["hint"].as_str().unwrap().contains("there are"), "{refused:?}");
        assert!(!refused[1]["error"].as_str().unwrap().contains('\n'), "{refused:?}");
    }

    #[test]
    fn a_change_says_what_it_did() {
        let json = |set: &str| {
            let question = format!(
                r#"{{"ask": "run", "run": "bandwidth-matrix", "on": {{"machine": "sr665-v3", "set": ["{set}"]}}}}"#
            );
            answer(&question)["json"].as_str().unwrap().to_owned()
        };
        let question =
            serde_json::json!({"ask": "change", "before": json("links=4"), "after": json("links=3")});
        let changes = answer(&question.to_string());
        let remote =
            changes["changes"].as_array().unwrap().iter().find(|one| one["what"] == "remote").unwrap();
        assert_eq!((&remote["unit"], &remote["better"]), (&"GB/s".into(), &false.into()));
        assert!(remote["change"].as_str().unwrap().starts_with('−'), "{remote}");
    }

    #[test]
    fn a_comparison_has_real_names_and_its_largest_differences() {
        let question = r#"{"ask": "compare", "run": "bandwidth-matrix", "on": {"machine": "sr665-v3", "set": ["links=3"]},
            "with": {"machine": {"machine": "sr665-v3"}}}"#;
        let compared = answer(question);
        assert_eq!(compared["names"], serde_json::json!(["sr665-v3", "sr665-v3+links=3"]));
        assert!((1..=10).contains(&compared["largest"].as_array().unwrap().len()));
        assert!(
            compared["commands"][2]
                .as_str()
                .unwrap()
                .ends_with("compare sr665-v3.json sr665-v3+links=3.json")
        );
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
