use std::path::Path;

use super::*;
use crate::shell::{Answer, ShellError};

/// Answers as Slurm does.
struct Cluster;

impl Shell for Cluster {
    fn run(&self, words: &[String]) -> Result<Answer, ShellError> {
        let output = match words[0].as_str() {
            "sinfo" => "n0 idle\nn1 drained\nn2 idle*\nn0 idle\nn3 mixed\n",
            "squeue" => "7 RUNNING None\n8 PENDING Resources\n9 TIMEOUT TimeLimit\n",
            "sbatch" if words.iter().any(|word| word == "--nodelist=n1") => {
                let errors = "sbatch: error: Batch job submission failed: node down\n".to_owned();
                return Ok(Answer { status: 1, errors, ..Answer::default() });
            }
            "sbatch" => "12;cluster\n",
            "scontrol" if words.last().is_some_and(|job| job == "10") => {
                "JobId=10 JobName=x JobState=NODE_FAIL Reason=None Dependency=(null)\n"
            }
            _ => return Ok(Answer { status: 1, ..Answer::default() }),
        };
        Ok(Answer { output: output.to_owned(), ..Answer::default() })
    }

    fn start(&self, _: &[String], _: &Path, _: &Path) -> Result<u32, ShellError> {
        Err(ShellError::Stranger)
    }

    fn ended(&self, _: u32) -> Result<Option<i32>, ShellError> {
        Err(ShellError::Stranger)
    }

    fn stop(&self, _: u32) {}

    fn last_lines(&self, _: &Path) -> Option<String> {
        None
    }

    fn write(&self, path: &Path, _: &str) -> Result<(), ShellError> {
        Err(ShellError::NotWritten { path: path.to_owned(), reason: "not scripted".into() })
    }

    fn exists(&self, _: &Path) -> bool {
        false
    }
}

fn task(node: &str) -> Task {
    Task { node: node.into(), rank: 0, result: "/f l/n.json".into(), log: "/f l/.log/n.txt".into() }
}

fn options() -> SlurmOptions {
    SlurmOptions {
        survey: ["zerohop", "survey"].map(str::to_owned).into(),
        options: vec!["--time=5".into()],
        ..SlurmOptions::default()
    }
}

#[test]
fn nodes_that_take_no_job_are_named_with_their_state() {
    let options = options();
    let offers = (&options).nodes(&Cluster).unwrap();
    let refused: Vec<_> =
        offers.iter().map(|offer| (offer.node.as_str(), offer.refused.as_deref())).collect();
    assert_eq!(
        refused,
        [
            ("n0", None),
            ("n1", Some("Slurm has it as drained")),
            ("n2", Some("Slurm has it as idle*")),
            ("n3", None)
        ]
    );
}

#[test]
fn a_job_has_its_node_for_itself_and_its_words_are_quoted() {
    let options = options();
    let slurm = &options;
    let words = slurm.job(&task("n0"));
    for word in ["--exclusive", "--nodelist=n0", "--time=5", "--wrap=zerohop survey -o '/f l/n.json'"] {
        assert!(words.iter().any(|one| one == word), "{word}: {words:?}");
    }
    assert_eq!(slurm.start(&task("n0"), &Cluster).unwrap(), Ticket("12".into()));
    let error = slurm.start(&task("n1"), &Cluster).unwrap_err();
    assert!(error.to_string().ends_with("Batch job submission failed: node down"), "{error}");
}

#[test]
fn the_states_of_jobs_are_slurm_s_in_words() {
    let options = options();
    let tickets = ["7", "8", "9", "10", "11"].map(|job| Ticket(job.into()));
    let standings = (&options).standing(&tickets, &Cluster).unwrap();
    assert_eq!(
        standings,
        [
            Standing::Runs,
            Standing::Waits("Resources".into()),
            Standing::Failed("its time ran out (--time)".into()),
            Standing::Failed("the node died".into()),
            Standing::Forgotten,
        ]
    );
}
