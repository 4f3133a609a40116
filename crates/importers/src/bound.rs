//! Where a run was bound to: a command line with `numactl` or `taskset`, or a heading that somebody wrote above the run.

use zerohop_result::{Axis, Coordinate, Coordinates};

use crate::commands::Commands;
use crate::coordinates::{ALL, LOCAL, between, word};
use crate::lines::Text;
use crate::number::count;

/// Where the threads and the memory of a run were.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Bound {
    initiator: Coordinate,
    target: Coordinate,
}

impl Bound {
    /// The place of a kernel of that run.
    pub(crate) fn kernel(place: Option<&Self>, kernel: &str) -> Coordinates {
        let at = match place {
            Some(Self { initiator, target }) => between(initiator.clone(), target.clone()),
            None => between(ALL, LOCAL),
        };
        at.with(Axis::Kernel, kernel)
    }

    /// Threads and memory by the names of their places, such as `node 0`; memory is local if it has no name.
    pub(crate) fn named(threads: &str, memory: Option<&str>) -> Option<Self> {
        Self::of(Some(word(threads).into()), memory.map(|memory| word(memory).into()))
    }

    /// In words, as part of a case.
    pub(crate) fn words(&self) -> String {
        let named = |place: &Coordinate| match place {
            Coordinate::Number(node) => format!("node {node}"),
            Coordinate::Word(word) => word.clone(),
        };
        let memory = if self.target == Coordinate::from(LOCAL) {
            String::new()
        } else {
            format!(", memory {}", named(&self.target))
        };
        format!("{}{memory}", named(&self.initiator))
    }

    /// What a label in front of a value says: `Node 0 local`.
    pub(crate) fn of_label(label: &str) -> Option<Self> {
        // A value follows: it is as much a heading as one in a frame.
        match Heading::of(&format!("-- {label}"))? {
            Heading::Of(bound) => Some(bound),
            Heading::Other => None,
        }
    }

    fn of(threads: Option<Coordinate>, memory: Option<Coordinate>) -> Option<Self> {
        if threads.is_none() && memory.is_none() {
            return None;
        }
        let initiator = threads.unwrap_or_else(|| ALL.into());
        // Memory of the own node is what the first touch gives, too.
        let target = memory.filter(|memory| *memory != initiator).unwrap_or_else(|| LOCAL.into());
        Some(Self { initiator, target })
    }

    /// What the options of a command line say.
    fn of_command(line: &str) -> Option<Self> {
        if let Some(options) = behind(line, "numactl") {
            let (threads, memory) = of_numactl(&options);
            return Self::of(threads, memory);
        }
        let options = behind(line, "taskset")?;
        let list = match options.iter().position(|word| matches!(*word, "-c" | "-ac" | "--cpu-list")) {
            Some(at) => *options.get(at + 1)?,
            None => options.iter().find_map(|word| word.strip_prefix("--cpu-list="))?,
        };
        Self::of(Some(format!("CPUs {}", word(list)).into()), None)
    }
}

/// The threads and the memory that the options of `numactl` name.
fn of_numactl(words: &[&str]) -> (Option<Coordinate>, Option<Coordinate>) {
    let (mut threads, mut memory) = (None, None);
    let mut rest = words.iter().copied();
    while let Some(option) = rest.next().filter(|word| word.starts_with('-')) {
        let (name, attached) = match option.split_once('=').or_else(|| glued(option)) {
            Some((name, value)) => (name, Some(value)),
            None => (option, None),
        };
        match name {
            "-l" | "--localalloc" => {
                memory = Some(LOCAL.into());
                continue;
            }
            "-a" | "--all" => continue,
            _ => {}
        }
        let Some(value) = attached.or_else(|| rest.next()) else { break };
        match name {
            // The last two are those of old versions.
            "-N" | "--cpunodebind" | "-c" | "--cpubind" => threads = Some(nodes(value)),
            "-C" | "--physcpubind" => threads = Some(format!("CPUs {}", word(value)).into()),
            "-m" | "--membind" | "-p" | "-P" | "--preferred" | "--preferred-many" => {
                memory = Some(nodes(value));
            }
            "-i" | "--interleave" | "-w" | "--weighted-interleave" => memory = Some(interleaved(value)),
            _ => {}
        }
    }
    (threads, memory)
}

/// The memory that `numactl` in front of a program gives it, if the command line has one.
pub(crate) fn memory_of_numactl(line: &str) -> Option<Coordinate> {
    of_numactl(&behind(line, "numactl")?).1
}

/// The words behind the name of a program, which a prompt may touch (`#numactl`); `None` if the line does not run it.
fn behind<'a>(line: &'a str, program: &str) -> Option<Vec<&'a str>> {
    let mut words = line.split_whitespace();
    let is_program = |word: &str| {
        let name = word.rsplit('/').next().unwrap_or_default();
        name.trim_start_matches(|one: char| one.is_ascii_punctuation()) == program
    };
    words.any(is_program).then(|| words.collect())
}

/// `-N0` as an option and its value.
fn glued(option: &str) -> Option<(&str, &str)> {
    let parts = option.split_at_checked(2).filter(|(_, value)| !value.is_empty())?;
    (!option.starts_with("--")).then_some(parts)
}

/// A line above a run that names what ran.
#[derive(Debug, PartialEq)]
enum Heading {
    /// A node, or one for the threads and one for the memory.
    Of(Bound),
    /// Something else, such as the whole machine.
    Other,
}

/// Words of headings that name nodes.
const WORDS: [&str; 24] = [
    "socket",
    "numa",
    "node",
    "numanode",
    "cpu",
    "cpus",
    "mem",
    "memory",
    "cpunode",
    "memnode",
    "cpunodebind",
    "membind",
    "on",
    "to",
    "from",
    "running",
    "stream",
    "run",
    "test",
    "results",
    "result",
    "for",
    "bind",
    "bound",
];

/// Words of headings that name the whole machine.
const OF_ALL: [&str; 5] = ["all", "both", "whole", "machine", "nodes"];

/// Words of headings that name memory by its place alone.
const PLACES: [&str; 3] = [LOCAL, "remote", "interleaved"];

impl Heading {
    /// Reads `=== node 0 ===`, `cpu node 0, mem node 1` or `node 0 -> node 1`.
    fn of(line: &str) -> Option<Self> {
        let lower = line.to_ascii_lowercase();
        let is_framed = ["==", "##", "--", "**", "__", ">>"].iter().any(|frame| lower.starts_with(frame));
        let other = is_framed.then_some(Self::Other);
        // The lines of `numactl --hardware`.
        if lower.starts_with("node") && (lower.contains(" cpus:") || lower.ends_with(" cpus")) {
            return other;
        }
        let spaced = lower.replace("->", " to ").replace("=>", " to ").replace('→', " to ");
        let mut words: Vec<&str> = Vec::new();
        for part in spaced.split(|one: char| !one.is_alphanumeric()) {
            let (name, number) = part.split_at(part.trim_end_matches(|one: char| one.is_ascii_digit()).len());
            words.extend([name, number].into_iter().filter(|part| !part.is_empty()));
        }
        let is_known = |word: &&str| {
            count(word).is_some() || [&WORDS[..], &OF_ALL, &PLACES].iter().any(|list| list.contains(word))
        };
        if words.is_empty() || !words.iter().all(is_known) {
            return other;
        }
        let mut places: Vec<(Option<Role>, u64)> = Vec::new();
        let mut role = None;
        for word in &words {
            match count(word) {
                Some(number) => places.push((role.take(), number)),
                None if word.starts_with("mem") || *word == "to" => role = Some(Role::Memory),
                None if word.starts_with("cpu") || *word == "from" => role = Some(Role::Threads),
                None => {}
            }
        }
        let names_node =
            words.iter().any(|word| word.contains("node") && *word != "nodes" || *word == "membind");
        let node = |node: u64| Some(Coordinate::from(node));
        let memory = words.iter().find(|word| PLACES.contains(word));
        let bound = match places[..] {
            [] => memory
                .filter(|_| is_framed)
                .and_then(|memory| Bound::of(None, Some(Coordinate::from(*memory)))),
            [(None, socket)] if words.contains(&"socket") => {
                Bound::of(Some(format!("socket {socket}").into()), memory.map(|&memory| memory.into()))
            }
            _ if !names_node => None,
            [(None, one)] => match memory {
                Some(&memory) => Bound::of(node(one), Some(memory.into())),
                None => Bound::of(node(one), node(one)),
            },
            [(Some(Role::Threads), threads)] => Bound::of(node(threads), None),
            [(Some(Role::Memory), memory)] => Bound::of(None, node(memory)),
            [(Some(Role::Threads) | None, threads), (Some(Role::Memory), memory)]
            | [(Some(Role::Memory), memory), (Some(Role::Threads), threads)] => {
                Bound::of(node(threads), node(memory))
            }
            _ => None,
        };
        let names_all = places.is_empty() && words.iter().any(|word| OF_ALL.contains(word));
        bound.map(Self::Of).or(if names_all { Some(Self::Other) } else { other })
    }
}

/// What a number of a heading is the node of.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Role {
    Threads,
    Memory,
}

/// `0` as the node, `0,1` as several, `all` as all.
fn nodes(list: &str) -> Coordinate {
    let list = list.trim_matches(['"', '\'']);
    match count(list) {
        Some(node) => node.into(),
        None if list == "all" => ALL.into(),
        None => format!("nodes {}", word(list)).into(),
    }
}

fn interleaved(list: &str) -> Coordinate {
    match list {
        "all" => "interleaved".into(),
        list => format!("interleaved over nodes {}", word(list)).into(),
    }
}

/// Follows the lines of a text, and knows where the next run was bound.
#[derive(Debug, Default)]
pub(crate) struct Binding {
    heading: Option<Bound>,
    commands: Option<Commands>,
    /// The runs since the command line.
    runs: usize,
}

impl Binding {
    /// Takes a line; says whether it is one about the place of runs of `program`.
    pub(crate) fn take(&mut self, text: &Text, rank: usize, program: &str) -> bool {
        let heading = Heading::of(text.line(rank));
        if let Some(commands) =
            Commands::at(text, rank, program).filter(|_| !matches!(heading, Some(Heading::Of(_))))
        {
            self.follow(commands);
            return true;
        }
        let heading = match heading {
            // The head of a matrix with one column.
            Some(Heading::Of(_)) if begins_with_number(text, rank + 1) => return false,
            Some(heading) => heading,
            None => return false,
        };
        match heading {
            Heading::Of(bound) => {
                *self = Self { heading: Some(bound), ..Self::default() };
                true
            }
            Heading::Other => {
                self.heading = None;
                false
            }
        }
    }

    /// Takes the commands of the next runs.
    pub(crate) fn follow(&mut self, commands: Commands) {
        if commands.of_output(0).and_then(Bound::of_command).is_some() {
            self.heading = None;
        }
        (self.commands, self.runs) = (Some(commands), 0);
    }

    /// Where the next run was bound; `None` if nothing says that it was.
    pub(crate) fn next(&mut self) -> Option<Bound> {
        self.next_with_command().0
    }

    /// The same, with the number of threads that its command line states.
    pub(crate) fn next_with_threads(&mut self) -> (Option<Bound>, Option<u64>) {
        let (bound, command) = self.next_with_command();
        (bound, command.and_then(threads))
    }

    /// The same, with its command line.
    pub(crate) fn next_with_command(&mut self) -> (Option<Bound>, Option<&str>) {
        let rank = self.runs;
        self.runs += 1;
        let command = self.commands.as_ref().and_then(|commands| commands.of_output(rank));
        let of_command = command.and_then(Bound::of_command);
        (of_command.or_else(|| self.heading.clone()), command)
    }
}

/// The number of threads of `OMP_NUM_THREADS=16 ./stream`.
fn threads(line: &str) -> Option<u64> {
    let word = line.split_whitespace().find_map(|word| word.strip_prefix("OMP_NUM_THREADS="))?;
    count(word.trim_matches([';', '"', '\'']))
}

/// The number of threads of a line that only sets it: `$ export OMP_NUM_THREADS=16`, `setenv OMP_NUM_THREADS 16`.
pub(crate) fn exported_threads(line: &str) -> Option<u64> {
    let bare = line.trim_start_matches(|one: char| one.is_ascii_punctuation() || one.is_whitespace());
    let bare = bare.trim_end_matches([';', ' ']);
    // Another command in the same line is a command line.
    if bare.contains([';', '&', '|']) {
        return None;
    }
    match bare.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["setenv", "OMP_NUM_THREADS", number] => count(number.trim_matches('"')),
        ["export" | "set", ..] => threads(bare),
        [_] => threads(bare),
        _ => None,
    }
}

/// Whether the next line that is not blank begins with a number.
fn begins_with_number(text: &Text, from: usize) -> bool {
    let next = (from..text.len()).map(|rank| text.line(rank)).find(|line| !line.is_empty());
    next.is_some_and(|line| line.starts_with(|one: char| one.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(lines: &str) -> Option<String> {
        let text = Text::new(lines);
        let mut binding = Binding::default();
        (0..text.len()).for_each(|rank| {
            binding.take(&text, rank, "stream");
        });
        binding.next().map(|bound| bound.words())
    }

    #[test]
    fn a_shell_sets_the_threads_of_the_runs_below() {
        for (line, threads) in [
            ("##### export OMP_NUM_THREADS=16", Some(16)),
            ("$ export OMP_PROC_BIND=true OMP_NUM_THREADS=16;", Some(16)),
            ("setenv OMP_NUM_THREADS 16", Some(16)),
            ("OMP_NUM_THREADS=16", Some(16)),
            ("export OMP_NUM_THREADS=$n", None),
            ("OMP_NUM_THREADS=16 ./stream", None),
            ("export OMP_NUM_THREADS=16; numactl -N 0 ./stream", None),
        ] {
            assert_eq!(exported_threads(line), threads, "{line}");
        }
    }

    #[test]
    fn command_lines_and_headings_say_where_a_run_was() {
        for (line, words) in [
            ("$ numactl --cpunodebind=0 --membind=0 ./stream", Some("node 0")),
            ("numactl -N1 -m 0 ./stream_c.exe", Some("node 1, memory node 0")),
            ("numactl --interleave=all ./stream", Some("all, memory interleaved")),
            ("# OMP_NUM_THREADS=8 numactl -C 0-7 -l ./stream", Some("CPUs 0-7")),
            ("+ taskset -c 0-3 ./stream", Some("CPUs 0-3")),
            ("numactl -N 0,1 ./stream", Some("nodes 0,1")),
            ("numactl -c 1 -m 2 ./stream", Some("node 1, memory node 2")),
            ("#numactl -C 7 -m 1 ./bin/stream -M 64M", Some("CPUs 7, memory node 1")),
            ("numactl --cpubind=1 ./stream", Some("node 1")),
            ("numactl -\u{e9}0 ./stream", None),
            ("for n in 1 0; do numactl -N $n -m $n ./stream; done", Some("node 1")),
            ("=== node 0 ===", Some("node 0")),
            ("### NUMA node 1", Some("node 1")),
            ("Node1:", Some("node 1")),
            ("--- cpu node 0, mem node 1 ---", Some("node 0, memory node 1")),
            ("node 0 -> node 1", Some("node 0, memory node 1")),
            ("membind 1", Some("all, memory node 1")),
            ("Socket 1:", Some("socket 1")),
            ("Running STREAM - node 1", Some("node 1")),
            ("--- remote ---", Some("all, memory remote")),
            ("--- local ---", Some("all")),
            ("=== node 0 local ===", Some("node 0")),
            ("=== node 0 remote ===", Some("node 0, memory remote")),
            ("$ numactl -N0 -m0 ./stream\n== STREAM ==", Some("node 0")),
            ("=== node 0 ===\n=== all nodes ===", None),
            ("=== node 0 ===\n$ numactl -N0 -m0 ./stream\n$ ./stream", None),
            ("=== node 0 ===\n$ ./stream", Some("node 0")),
            ("$ ./stream", None),
            ("node 0 cpus: 0", None),
            ("node   0   1", None),
            ("Numa node 0\n0 78.5\n1 119.4", None),
            ("NUMA node(s): 2", None),
            ("nodes: 2", None),
            ("the node 0 is slow", None),
        ] {
            assert_eq!(place(line).as_deref(), words, "{line}");
        }
    }
}
