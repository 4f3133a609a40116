use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use super::*;
use crate::local::Local;
use crate::shell::{Answer, ShellError};

/// Programs that end as they are told to.
#[derive(Default)]
struct Scripted {
    started: RefCell<Vec<String>>,
    ended: RefCell<BTreeMap<u32, i32>>,
    files: RefCell<BTreeSet<PathBuf>>,
    stopped: RefCell<Vec<u32>>,
}

impl Shell for Scripted {
    fn run(&self, words: &[String]) -> Result<Answer, ShellError> {
        Err(ShellError::Missing { program: words[0].clone() })
    }

    fn start(&self, words: &[String], _: &Path, _: &Path) -> Result<u32, ShellError> {
        self.started.borrow_mut().push(words.join(" "));
        Ok(self.started.borrow().len() as u32)
    }

    fn ended(&self, number: u32) -> Result<Option<i32>, ShellError> {
        match number as usize <= self.started.borrow().len() {
            true => Ok(self.ended.borrow().get(&number).copied()),
            false => Err(ShellError::Stranger),
        }
    }

    fn stop(&self, number: u32) {
        self.stopped.borrow_mut().push(number);
    }

    fn last_lines(&self, path: &Path) -> Option<String> {
        path.ends_with(".log/n1.txt").then(|| "error: no memory".to_owned())
    }

    fn write(&self, path: &Path, _: &str) -> Result<(), ShellError> {
        Err(ShellError::NotWritten { path: path.to_owned(), reason: "not scripted".into() })
    }

    fn exists(&self, path: &Path) -> bool {
        self.files.borrow().contains(path)
    }
}

fn round(nodes: usize) -> Round {
    let offer = |node| Offer { node: format!("n{node}"), refused: None };
    let local = Local { survey: vec!["zerohop".into(), "survey".into()], ..Local::default() };
    Round::new(Setup::Local(local), 2, (0..nodes).map(offer).collect())
}

#[test]
fn no_more_are_started_at_once_than_asked_for_and_each_ends_as_it_does() {
    let shell = Scripted::default();
    let folder = Path::new("fleet");
    let mut round = round(3);
    assert!(round.advance(folder, &shell).unwrap());
    assert_eq!(
        *shell.started.borrow(),
        ["zerohop survey --seed 1 -o fleet/n0.json", "zerohop survey --seed 2 -o fleet/n1.json"]
    );
    assert!(!round.advance(folder, &shell).unwrap(), "nothing has changed");
    shell.files.borrow_mut().insert("fleet/n0.json".into());
    shell.ended.borrow_mut().extend([(1, 0), (2, 3)]);
    round.advance(folder, &shell).unwrap();
    shell.ended.borrow_mut().insert(3, 0);
    round.advance(folder, &shell).unwrap();
    let states: Vec<NodeState> = round.nodes.iter().map(|node| node.state.clone()).collect();
    assert_eq!(
        states,
        [
            NodeState::Done,
            NodeState::Failed("exit status 3: error: no memory".into()),
            NodeState::Failed("it ended, and its result is not in the directory".into()),
        ]
    );
    assert!(round.is_over());
    round.try_again();
    assert_eq!(round.tally(), Tally { to_come: 2, done: 1, ..Tally::default() });
}

#[test]
fn another_process_goes_on_where_one_died() {
    let first = Scripted::default();
    let folder = Path::new("fleet");
    let mut round = round(3);
    round.advance(folder, &first).unwrap();
    let mut again = Round::read(&round.text()).unwrap();
    assert_eq!(again, round);
    // Its children are gone: one left its result, the other did not.
    let second = Scripted::default();
    second.files.borrow_mut().insert("fleet/n0.json".into());
    again.advance(folder, &second).unwrap();
    assert_eq!(again.nodes[0].state, NodeState::Done);
    assert_eq!(second.started.borrow().len(), 2);
    again.stop(&second).unwrap();
    assert_eq!(*second.stopped.borrow(), [1, 2]);
    assert_eq!(again.tally(), Tally { to_come: 2, done: 1, ..Tally::default() });
}

#[test]
fn another_version_says_which_one_it_is() {
    let text = round(1).text().replace("\"schema_version\": 1", "\"schema_version\": 9");
    let error = Round::read(&text).unwrap_err().to_string();
    assert_eq!(error, "its `schema_version` is 9, and this version of zerohop reads 1");
    assert!(Round::read("{}").unwrap_err().to_string().contains("no record of `zerohop fleet run`"));
}
