//! What texts show of a run: the environment of its threads, and the command lines at a prompt.

use zerohop_machine::Setting;

use super::fact_collection::Facts;
use crate::lines::Text;

/// Variables that say how many threads run, and where.
const VARIABLES: [&str; 5] = ["OMP_", "KMP_", "GOMP_", "I_MPI_PIN", "SLURM_CPU_BIND"];

/// Programs that place what they run.
const PLACING: [&str; 6] = ["numactl", "taskset", "likwid-pin", "numademo", "mpirun", "srun"];

/// Programs that show a machine.
const SHOWING: [&str; 5] = ["lscpu", "numastat", "dmidecode", "dmesg", "free"];

/// Calls that place threads and pages, whose failures programs report.
const PLACEMENT: [&str; 5] = ["setaffinity", "set_mempolicy", "mbind", "numa_bind", "numa_run_on_node"];

/// No more of each are kept.
const MOST: usize = 64;

/// Reads variables and command lines wherever they stand, also in lines that a format has read.
pub(super) fn read_run(text: &mut Text, facts: &mut Facts) {
    let mut read = Vec::new();
    for (rank, line) in text.lines() {
        let command = at_prompt(line);
        let mut is_read = false;
        for setting in variables(command.unwrap_or(line)) {
            is_read = true;
            if facts.environment.len() < MOST && !facts.environment.contains(&setting) {
                facts.environment.push(setting);
            }
        }
        if text.is_open(rank) && reports_failure(line) && facts.warnings.len() < MOST {
            is_read = true;
            facts.warnings.push(line.to_owned());
        }
        let first = line.split_whitespace().next().unwrap_or_default();
        let is_bare = || line.contains(" -") && (is_placing(first) || SHOWING.contains(&first));
        if let Some(command) = command.or_else(|| is_bare().then_some(line))
            && facts.commands.len() < MOST
        {
            is_read = true;
            if !facts.commands.iter().any(|known| known == command) {
                facts.commands.push(command.to_owned());
            }
        }
        if is_read {
            read.push(rank);
        }
    }
    read.into_iter().for_each(|rank| text.mark(rank));
}

fn is_placing(word: &str) -> bool {
    PLACING.contains(&word.rsplit('/').next().unwrap_or_default())
}

/// Whether a program says that it could not place a thread or a page.
fn reports_failure(line: &str) -> bool {
    let fails = ["failed", "error", "not permitted", "not supported", "Invalid argument"];
    PLACEMENT.iter().any(|call| line.contains(call)) && fails.iter().any(|word| line.contains(word))
}

/// The command behind a prompt: `$ ./a`, `user@host:~$ ./a`, `[root@host ~]# ./a`, `#numactl -H`.
fn at_prompt(line: &str) -> Option<&str> {
    let command = match line.strip_prefix('$') {
        Some(command) => command,
        None => {
            let (before, command) = line.split_once(['$', '#'])?;
            let is_host =
                before.contains('@') && !before.contains(": ") && before.split_whitespace().count() <= 2;
            let is_placing =
                || before.is_empty() && command.split_whitespace().next().is_some_and(is_placing);
            if !(is_host || is_placing()) {
                return None;
            }
            command
        }
    };
    let command = command.trim();
    let begins = command.starts_with(|one: char| one.is_ascii_alphabetic() || matches!(one, '.' | '/' | '~'));
    begins.then_some(command)
}

/// `export OMP_NUM_THREADS=8`, `OMP_PROC_BIND=close ./stream`, `setenv OMP_PLACES cores`, and what `OMP_DISPLAY_ENV` prints.
fn variables(line: &str) -> Vec<Setting> {
    if !VARIABLES.iter().any(|start| line.contains(start)) {
        return Vec::new();
    }
    let is_variable = |name: &str| {
        VARIABLES.iter().any(|start| name.starts_with(start))
            && name.bytes().all(|one| one.is_ascii_uppercase() || one.is_ascii_digit() || one == b'_')
    };
    let value = |value: &str| value.trim_matches(['\'', '"', ';', ',', '`']).to_owned();
    let mut words = line.split_whitespace();
    let mut found = Vec::new();
    let mut is_csh = false;
    while let Some(word) = words.next() {
        let word = word.trim_start_matches(['(', '`', '"', '\'']);
        let mut parts = word.splitn(2, '=');
        let name = parts.next().unwrap_or_default();
        if is_variable(name) {
            let own = parts.next().filter(|value| !value.is_empty());
            let given = match own {
                Some(own) => Some(own),
                // `OMP_PROC_BIND = 'TRUE'` and `setenv OMP_PLACES cores`.
                None if is_csh => words.next(),
                None => match words.next() {
                    Some("=") => words.next(),
                    Some(next) => next.strip_prefix('='),
                    None => None,
                },
            };
            let given = given.map(value).filter(|given| !given.is_empty() && !given.starts_with('$'));
            found.extend(given.map(|given| Setting::new(name, given)));
        }
        is_csh = word == "setenv";
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_read_as_shells_and_runtimes_write_them() {
        for (line, found) in [
            ("export OMP_NUM_THREADS=8", vec!["OMP_NUM_THREADS=8"]),
            (
                "OMP_PROC_BIND=close OMP_PLACES=\"{0:8}\" ./stream",
                vec!["OMP_PROC_BIND=close", "OMP_PLACES={0:8}"],
            ),
            ("setenv OMP_PLACES cores", vec!["OMP_PLACES=cores"]),
            ("  OMP_PROC_BIND = 'TRUE'", vec!["OMP_PROC_BIND=TRUE"]),
            ("export GOMP_CPU_AFFINITY='0-7'; export OMP_NUM_THREADS=$n", vec!["GOMP_CPU_AFFINITY=0-7"]),
            ("set OMP_NUM_THREADS to the number of cores", vec![]),
            ("THE_OMP_X=1", vec![]),
        ] {
            let words: Vec<String> = variables(line).iter().map(ToString::to_string).collect();
            assert_eq!(words, found, "{line}");
        }
    }

    #[test]
    fn prompts_have_commands_and_comments_do_not() {
        for (line, command) in [
            ("$numactl -H", Some("numactl -H")),
            ("$ ./main -t 16", Some("./main -t 16")),
            ("me@node1:~/bench$ numactl -N 0 ./stream", Some("numactl -N 0 ./stream")),
            ("[root@node1 ~]# lscpu", Some("lscpu")),
            ("#numactl -H", Some("numactl -H")),
            ("# a comment", None),
            ("it costs 5 $ a day", None),
            ("mail me@host: it costs $ 5", None),
            ("$5.00", None),
        ] {
            assert_eq!(at_prompt(line), command, "{line}");
        }
    }
}
