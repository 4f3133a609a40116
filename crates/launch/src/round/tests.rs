use super::*;
use crate::local::Local;
use crate::shell::scripted::Scripted;

fn round(nodes: usize) -> Round {
    let survey = |node: usize| {
        let seed = ["--seed".to_owned(), (node + 1).to_string()];
        RoundTask::survey(Offer::named(format!("n{node}")), seed.into())
    };
    let local = Local { words: vec!["zerohop".into(), "survey".into()] };
    Round::new(Setup::Local(local), 2, (0..nodes).map(survey).collect())
}

/// One step; whether anything changed.
fn advance(round: &mut Round, folder: &Path, shell: &Scripted) -> bool {
    let mut changed = round.look_after(folder, shell).unwrap();
    while round.start_next(folder, shell).unwrap() {
        changed = true;
    }
    changed
}

#[test]
fn no_more_are_started_at_once_than_asked_for_and_each_ends_as_it_does() {
    let shell = Scripted::silent();
    let folder = Path::new("fleet");
    let mut round = round(3);
    assert!(advance(&mut round, folder, &shell));
    assert_eq!(
        *shell.started.borrow(),
        [
            "zerohop survey --seed 1 -o fleet/.n0.part.json --end-with-stdin",
            "zerohop survey --seed 2 -o fleet/.n1.part.json --end-with-stdin"
        ]
    );
    assert!(!advance(&mut round, folder, &shell), "nothing has changed");
    shell.files.borrow_mut().insert("fleet/.n0.part.json".into(), "{}".into());
    shell.files.borrow_mut().insert("fleet/.log/n1.txt".into(), "error: no memory".into());
    shell.ended.borrow_mut().extend([(1, 0), (2, 3)]);
    advance(&mut round, folder, &shell);
    shell.ended.borrow_mut().insert(3, 0);
    advance(&mut round, folder, &shell);
    let states: Vec<TaskState> = round.tasks.iter().map(|task| task.state.clone()).collect();
    assert_eq!(
        states,
        [
            TaskState::Done,
            TaskState::Failed("exit status 3: error: no memory".into()),
            TaskState::Failed("it finished, but its result is not in the directory".into()),
        ]
    );
    assert!(round.is_over());
    assert_eq!(shell.whole(Path::new("fleet/n0.json")), Ok(()));
    round.try_again();
    assert_eq!(round.tally(), Tally { to_come: 2, done: 1, ..Tally::default() });
}

#[test]
fn another_process_goes_on_where_one_died() {
    let first = Scripted::silent();
    let folder = Path::new("fleet");
    let mut round = round(3);
    advance(&mut round, folder, &first);
    let mut again = Round::read(&round.text()).unwrap();
    assert_eq!(again, round);
    // Its children are gone: one left its result, the other did not.
    let second = Scripted::silent();
    second.files.borrow_mut().insert("fleet/n0.json".into(), "{}".into());
    advance(&mut again, folder, &second);
    assert_eq!(again.tasks[0].state, TaskState::Done);
    assert_eq!(second.started.borrow().len(), 2);
    again.stop(&second).unwrap();
    assert_eq!(*second.stopped.borrow(), [1, 2]);
    assert_eq!(again.tally(), Tally { to_come: 2, done: 1, ..Tally::default() });
}

/// A file of 60,000 bytes that a connection had left was a result for good.
#[test]
fn a_part_of_a_result_is_none() {
    let shell = Scripted::silent();
    let folder = Path::new("fleet");
    let put = |name: &str, text: &str| {
        drop(shell.files.borrow_mut().insert(folder.join(name), text.to_owned()));
    };
    let mut round = round(1);
    // It ends well, and what it printed is no result.
    advance(&mut round, folder, &shell);
    put(".n0.part.json", "{ half");
    shell.ended.borrow_mut().insert(1, 0);
    advance(&mut round, folder, &shell);
    let why = "it finished, but `fleet/.n0.json.cut` is not a complete result: it ends in the middle";
    assert_eq!(round.tasks[0].state, TaskState::Failed(why.into()));
    // Nobody knows how it ended.
    round.tasks[0].state = TaskState::Started(Ticket("77".into()));
    put(".n0.part.json", "{ half again");
    advance(&mut round, folder, &shell);
    assert_eq!(round.tasks[0].state, TaskState::Started(Ticket("2".into())), "it was started again");
    assert_eq!(shell.files.borrow()[&folder.join(".n0.json.cut")], "{ half again");
    // It was whole, and is no longer.
    round.tasks[0].state = TaskState::Done;
    put("n0.json", "{ half");
    assert_eq!(
        round.look_at_results(folder, &shell),
        [("n0".to_owned(), NotWhole::Otherwise("it ends in the middle".into()))]
    );
    assert_eq!(round.tasks[0].state, TaskState::ToCome);
    assert!(!shell.files.borrow().contains_key(&folder.join("n0.json")));
    // Whoever gave the result its name died before the record was saved.
    round.tasks[0].state = TaskState::Started(Ticket("77".into()));
    put("n0.json", "{}");
    advance(&mut round, folder, &shell);
    assert_eq!(round.tasks[0].state, TaskState::Done);
    assert!(round.look_at_results(folder, &shell).is_empty());
}

#[test]
fn programs_of_an_earlier_process_are_known_by_their_output() {
    let shell = Scripted::silent();
    let folder = Path::new("fleet");
    let mut round = round(3);
    assert!(round.orphans(folder, &shell).is_empty());
    shell.held.borrow_mut().extend(["fleet/.n1.part.json".into(), "fleet/.log/n2.txt".into()]);
    let orphans: Vec<String> = round.orphans(folder, &shell).iter().map(|task| task.name.clone()).collect();
    assert_eq!(orphans, ["n1", "n2"]);
}

#[test]
fn another_version_says_which_one_it_is() {
    let text = round(1).text().replace("\"schema_version\": 2", "\"schema_version\": 9");
    let error = Round::read(&text).unwrap_err().to_string();
    assert_eq!(error, "its `schema_version` is 9, but this version of zerohop reads 2");
    assert!(Round::read("{}").unwrap_err().to_string().contains("not a record of started surveys"));
}

/// A name `../x` led out of the directory, and two tasks of one name wrote one file.
#[test]
fn tasks_have_names_of_files_and_each_its_own() {
    let text = round(2).text();
    assert!(Round::read(&text).is_ok());
    for (name, words) in [
        ("../n0", "invalid task name"),
        ("/tmp/n0", "invalid task name"),
        (".n0", "invalid task name"),
        ("", "invalid task name"),
        ("n\\n0", "invalid task name"),
        ("n1", "duplicate task `n1`"),
    ] {
        let other = text.replacen("\"name\": \"n0\"", &format!("\"name\": \"{name}\""), 1);
        assert_ne!(other, text);
        let error = Round::read(&other).unwrap_err().to_string();
        assert!(error.contains(words), "{name}: {error}");
    }
}
