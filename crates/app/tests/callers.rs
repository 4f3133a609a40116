//! Callers that have no disk, no threads and no command line, as a web page has none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use zerohop_app::library::{self, LibraryError};
use zerohop_app::{
    AskedError, CampaignRunner, CheckedSweep, CommandError, Entry, FileError, FileKind, Files, ForeignError,
    Hinted, Mistaken, Models, NamedResult, NoAttendant, NoFiles, PointAgenda, Sources, UnknownName, read_any,
    read_result, studies, templates,
};
use zerohop_experiment::campaign::{Run, SimulatedMachine};
use zerohop_experiment::{Options, Sequential, catalogue};
use zerohop_machine::Settings;
use zerohop_model::Solver;
use zerohop_result::ExperimentName;
use zerohop_study::Outcome;
use zerohop_workload::StopFlag;

struct Uploads(BTreeMap<PathBuf, String>);

impl Uploads {
    fn of(files: &[(&str, &str)]) -> Self {
        Self(files.iter().map(|(path, text)| ((*path).into(), (*text).to_owned())).collect())
    }
}

impl Files for Uploads {
    fn read_text(&self, path: &Path, instead: &str) -> Result<String, FileError> {
        self.peek(path).ok_or_else(|| FileError::Unreadable {
            path: path.to_owned(),
            reason: "it was not uploaded".to_owned(),
            instead: instead.to_owned(),
        })
    }

    fn read_bytes(&self, path: &Path, instead: &str) -> Result<Vec<u8>, FileError> {
        self.read_text(path, instead).map(String::into_bytes)
    }

    fn peek(&self, path: &Path) -> Option<String> {
        self.0.get(path).cloned()
    }

    fn entry(&self, path: &Path) -> Option<Entry> {
        self.0.contains_key(path).then_some(Entry::File)
    }

    fn list(&self, folder: &Path) -> Vec<PathBuf> {
        self.0.keys().filter(|path| path.parent() == Some(folder)).cloned().collect()
    }
}

fn named(words: &str) -> Result<Run, CommandError> {
    let known = catalogue().all().find(|known| known.name == words).map(|known| known.name);
    let name =
        known.ok_or_else(|| CommandError { message: format!("no experiment `{words}`"), hint: None })?;
    Ok(Run { experiment: ExperimentName::known(name), options: Options::default() })
}

#[test]
fn a_machine_file_in_memory_extends_a_built_in_one_and_one_beside_it() {
    let uploads = Uploads::of(&[
        ("mine/base.toml", "extend = \"quartet\"\ntitle = \"base\"\n"),
        ("mine/box.toml", "extend = \"base\"\ntitle = \"my box\"\n"),
    ]);
    let hardware = library::hardware("mine/box.toml", &Settings::none(), &uploads).unwrap();
    assert_eq!((hardware.title.as_str(), hardware.machine.nodes.len()), ("my box", 4));
}

#[test]
fn an_error_has_a_type_and_a_hint() {
    let unknown = library::hardware("quartett", &Settings::none(), &NoFiles).unwrap_err();
    assert!(matches!(unknown, LibraryError::Unknown(UnknownName::Unknown { .. })), "{unknown:?}");
    assert!(unknown.hint().unwrap().starts_with("did you mean `quartet`?"));
    let unread = library::hardware("./a.toml", &Settings::none(), &NoFiles).unwrap_err();
    assert!(matches!(unread, LibraryError::File(FileError::Unreadable { .. })), "{unread:?}");
    let result = "{\"schema_version\":2,\"machine\":{},\"experiments\":[]}";
    let uploads = Uploads::of(&[("a.toml", result), ("b.json", "extend = \"quartet\"\n")]);
    let mistaken = library::hardware("./a.toml", &Settings::none(), &uploads).unwrap_err();
    assert!(matches!(mistaken, LibraryError::File(_)), "paths are those of the caller: {mistaken:?}");
    let mistaken = library::hardware("a.toml", &Settings::none(), &uploads).unwrap_err();
    assert!(matches!(mistaken, LibraryError::Mistaken(Mistaken { .. })), "{mistaken:?}");
    assert!(mistaken.hint().unwrap().contains("`zerohop show a.toml` accepts it"));
    let mistaken = read_result(Path::new("b.json"), &uploads).unwrap_err();
    assert!(mistaken.to_string().starts_with("`b.json` is a machine file"), "{mistaken}");
    assert_eq!(FileKind::of(Path::new("b.json"), &uploads), Some(FileKind::MachineFile));
}

#[test]
fn what_comes_with_the_program_needs_no_files() {
    for name in zerohop_app::built_in::template_names() {
        templates::template(name, &NoFiles).unwrap();
    }
    assert!(studies::all().unwrap().len() > 10);
    assert!(!zerohop_app::rules().is_empty());
}

#[test]
fn a_sweep_needs_no_disk_no_threads_and_no_command_line() {
    let from = Sources { files: &NoFiles, commands: &named };
    let set = vec!["wire.ht1000.latency=4ns,8ns".parse().unwrap()];
    let asked =
        CheckedSweep::of_arguments("quartet".to_owned(), set, &["hops".to_owned()], &[], &from).unwrap();
    let points = asked.sweep.points.count();
    let engines = Models::default().with("quartet", asked.machine_file.clone());
    let agenda = PointAgenda { asked: &asked, solver: Solver::Flow, seed: SimulatedMachine::SEED };
    let stop = StopFlag::new();
    let crew = CampaignRunner { executor: &Sequential, stop: &stop, attendant: &NoAttendant };
    let outcomes = crew.answers(&agenda, points, &engines);
    assert_eq!(outcomes.len(), 2);
    assert!(outcomes.values().all(|outcome| matches!(outcome, Outcome::Done { .. })), "{outcomes:?}");
    let unknown =
        CheckedSweep::of_arguments("quartet".to_owned(), Vec::new(), &["hopps".to_owned()], &[], &from);
    assert!(matches!(unknown.unwrap_err(), AskedError::Command(_)));
}

#[test]
fn the_output_of_another_tool_in_memory_is_a_result_with_a_name() {
    let matrix = "Intel(R) Memory Latency Checker - v3.9\nMeasuring idle latencies (in ns)...\n\t\tNuma node\n\
                  Numa node\t     0\t     1\n       0\t  80.0\t 140.0\n       1\t 140.0\t  80.0\n";
    let uploads =
        Uploads::of(&[("mlc.txt", matrix), ("a.toml", "extend = \"quartet\"\n"), ("empty.txt", "")]);
    let results = read_any(Path::new("mlc.txt"), "", &uploads).unwrap();
    let [NamedResult { name, result, .. }] = &results[..] else { panic!("{} results", results.len()) };
    assert_eq!((name.as_str(), result.experiments[0].cells.len()), ("mlc.txt", 4));
    assert_eq!(result.run, None, "nobody knows which run it was");
    let ours = read_any(Path::new("a.toml"), "", &uploads).unwrap_err();
    assert!(
        matches!(ours, ForeignError::Mistaken(_)) && ours.to_string().contains("is a machine file"),
        "{ours:?}"
    );
    let empty = read_any(Path::new("empty.txt"), "", &uploads).unwrap_err();
    assert!(matches!(empty, ForeignError::Import(_)) && empty.hint().is_some(), "{empty:?}");
    let absent = read_any(Path::new("absent.txt"), "upload it", &uploads).unwrap_err();
    assert_eq!(absent.hint().as_deref(), Some("upload it"));
}
