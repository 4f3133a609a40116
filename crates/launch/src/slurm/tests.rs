use super::*;
use crate::shell::Answer;
use crate::shell::scripted::Scripted;

/// Answers as Slurm does.
fn cluster() -> Scripted {
    Scripted::new(|words| {
        let failed = |errors: &str| Answer { status: 1, errors: errors.to_owned(), ..Answer::default() };
        let output = match words[0].as_str() {
            "sinfo" => "n0 64 idle\nn1 64 drained\nn2 64 idle*\nn0 64 idle\nn3 48 mixed\n",
            "squeue" => "7 RUNNING None\n8 PENDING Resources\n9 TIMEOUT TimeLimit\n",
            "sbatch" if words.iter().any(|word| word == "--nodelist=n1") => {
                return Some(failed("sbatch: error: Batch job submission failed: node down\n"));
            }
            "sbatch" => "12;cluster\n",
            "scontrol" if words.last().is_some_and(|job| job == "10") => {
                "JobId=10 JobName=x JobState=NODE_FAIL Reason=None Dependency=(null)\n"
            }
            _ => return Some(failed("")),
        };
        Some(Answer { output: output.to_owned(), ..Answer::default() })
    })
}

fn task(node: &str) -> Task {
    Task {
        name: node.into(),
        node: Some(node.into()),
        arguments: Vec::new(),
        rank: 0,
        draft: "/f l/.n.part.json".into(),
        log: "/f l/.log/n.txt".into(),
    }
}

fn options() -> SlurmOptions {
    SlurmOptions {
        words: ["zerohop", "survey"].map(str::to_owned).into(),
        options: vec!["--time=5".into()],
        ..SlurmOptions::default()
    }
}

#[test]
fn nodes_that_take_no_job_are_named_with_their_state() {
    let options = options();
    let offers = (&options).nodes(&cluster()).unwrap();
    let refused: Vec<_> =
        offers.iter().map(|offer| (offer.node.as_str(), offer.refused.as_deref())).collect();
    assert_eq!(
        refused,
        [
            ("n0", None),
            ("n1", Some("Slurm reports it as drained")),
            ("n2", Some("Slurm reports it as idle*")),
            ("n3", None)
        ]
    );
    assert_eq!(offers[3].cpus, Some(48));
}

#[test]
fn a_job_has_its_node_for_itself_and_its_words_are_quoted() {
    let options = options();
    let slurm = &options;
    let words = slurm.job(&task("n0"));
    for word in ["--exclusive", "--nodelist=n0", "--time=5", "--wrap=zerohop survey -o '/f l/.n.part.json'"] {
        assert!(words.iter().any(|one| one == word), "{word}: {words:?}");
    }
    assert_eq!(slurm.start(&task("n0"), &cluster()).unwrap(), Ticket("12".into()));
    let error = slurm.start(&task("n1"), &cluster()).unwrap_err();
    assert!(error.to_string().ends_with("Batch job submission failed: node down"), "{error}");
}

#[test]
fn a_task_that_needs_no_node_of_its_own_asks_for_cpus_on_any() {
    let options = SlurmOptions { cpus: Some(8), ..options() };
    let chunk = Task {
        name: "c07".into(),
        node: None,
        arguments: ["--chunk".to_owned(), "7/40".to_owned()].into(),
        ..task("n0")
    };
    let words = options.job(&chunk);
    for word in [
        "--ntasks=1",
        "--cpus-per-task=8",
        "--job-name=zerohop-c07",
        "--wrap=zerohop survey --chunk 7/40 -o '/f l/.n.part.json'",
    ] {
        assert!(words.iter().any(|one| one == word), "{word}: {words:?}");
    }
    assert!(!words.iter().any(|word| word == "--exclusive" || word.starts_with("--nodelist")), "{words:?}");
    let step = options.step(&chunk).join(" ");
    assert_eq!(
        step,
        "srun --nodes=1 --ntasks=1 --exact --cpus-per-task=8 --time=5 zerohop survey --chunk 7/40 -o /f l/.n.part.json --end-with-stdin"
    );
}

#[test]
fn the_states_of_jobs_are_slurm_s_in_words() {
    let options = options();
    let tickets = ["7", "8", "9", "10", "11"].map(|job| Ticket(job.into()));
    let standings = (&options).standing(&tickets, &cluster()).unwrap();
    assert_eq!(
        standings,
        [
            Standing::Runs,
            Standing::Waits("Resources".into()),
            Standing::Failed("it exceeded its time limit (--time)".into()),
            Standing::Failed("the node failed".into()),
            Standing::Forgotten,
        ]
    );
}
