//! Command lines in a text, and the loops of a shell around them.
//!
//! `for n in 0 1; do numactl -N $n -m $n ./stream; done` stands for two command lines, whose outputs follow in that order.

use crate::lines::Text;
use crate::number::count;

/// The most lines of a loop, from `for` to `done`.
const LONGEST: usize = 8;

/// A longer line is no command line that somebody typed: it is not taken apart.
const LONGEST_LINE: usize = 16 << 10;

/// More command lines than this are not written out.
const MOST: usize = 256;

/// The command lines that a line of a text stands for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Commands {
    lines: Vec<String>,
    /// Whether it is a loop of which nobody can see how often it ran: the last line then counts for all further outputs.
    is_open: bool,
}

impl Commands {
    /// The command lines of a line that runs `program`; `None` if it does not. The lines before it may begin a loop.
    pub(crate) fn at(text: &Text, rank: usize, program: &str) -> Option<Self> {
        if text.line(rank).len() > LONGEST_LINE {
            return None;
        }
        names(&text.line(rank).to_ascii_lowercase(), program).then(|| Self::of_line(text, rank, program))
    }

    /// The same, of a line that is known to run `program`.
    pub(crate) fn of_line(text: &Text, rank: usize, program: &str) -> Self {
        let mut line = text.line(rank).to_owned();
        if line.len() > LONGEST_LINE {
            return Self { lines: vec![line], is_open: false };
        }
        if loops(&line).is_empty() {
            let above = (rank.saturating_sub(LONGEST)..rank).rev().map(|rank| text.line(rank));
            let above = above.take_while(|line| !line.contains("done") && line.len() <= LONGEST_LINE);
            let begins = |line: &&str| line.trim_start_matches(['$', '%', ' ', '+']).starts_with("for ");
            for head in above.filter(begins) {
                line = format!("{head}; {line}");
            }
        }
        Self::of(&line, program)
    }

    fn of(line: &str, program: &str) -> Self {
        let mut lines = vec![line.to_owned()];
        let mut is_open = line.contains("while ");
        for (name, words) in loops(line) {
            match words {
                Some(words) if lines.len() * words.len() <= MOST => {
                    let inserted = |line: &String| {
                        let insert = |word: &String| with(line, name, word);
                        words.iter().map(insert).collect::<Vec<_>>()
                    };
                    lines = lines.iter().flat_map(inserted).collect();
                }
                _ => is_open = true,
            }
        }
        lines = lines.iter().flat_map(|line| in_turn(line, program)).collect();
        Self { lines, is_open }
    }

    /// The command line whose output comes as the one of that rank; `None` if it is not known.
    pub(crate) fn of_output(&self, rank: usize) -> Option<&str> {
        let last = self.lines.last().filter(|_| self.is_open && self.lines.len() == 1);
        self.lines.get(rank).or(last).map(String::as_str)
    }
}

/// Whether a line runs a program: some word's last part is its name, as in `./stream_c.exe`.
fn names(line: &str, program: &str) -> bool {
    // Looked for once, and not for each word: a line may have as many of them as letters.
    let is_command_line = line.starts_with(['$', '%']) || line.contains(" -");
    let mut words =
        line.split(|one: char| one.is_whitespace() || matches!(one, ';' | '(' | '`' | '"' | '\''));
    words.any(|word| {
        let name = word.rsplit('/').next().unwrap_or_default();
        let rest = name.strip_prefix(program);
        let ends = |rest: &str| rest.chars().next().is_none_or(|one| matches!(one, '_' | '.' | '-'));
        // A word alone is also prose.
        let is_command = is_command_line || word.contains('/') && !word.contains("://");
        is_command && rest.is_some_and(ends)
    })
}

/// Programs that run another one.
const RUNNERS: [&str; 13] = [
    "numactl",
    "taskset",
    "sudo",
    "time",
    "srun",
    "mpirun",
    "mpiexec",
    "env",
    "nice",
    "chrt",
    "timeout",
    "perf",
    "likwid-pin",
];

/// The commands of a line that runs a program several times: `./a -n 0; ./a -n 1`.
fn in_turn(line: &str, program: &str) -> Vec<String> {
    let runs = |part: &&str| {
        let is_before =
            |word: &&str| matches!(*word, "$" | "%" | "+" | "do" | "(" | "{") || word.contains('=');
        let first = part.split_whitespace().find(|word| !is_before(word)).unwrap_or_default();
        let name = first.trim_start_matches(['$', '(']).rsplit('/').next().unwrap_or_default();
        name.to_ascii_lowercase().starts_with(program)
            || RUNNERS.contains(&name) && part.to_ascii_lowercase().contains(program)
    };
    let parts: Vec<&str> = line.split([';', '&']).filter(runs).collect();
    if parts.len() > 1 { parts.into_iter().map(str::to_owned).collect() } else { vec![line.to_owned()] }
}

/// The loops of a line: each variable with its words, or none where the shell finds them.
fn loops(line: &str) -> Vec<(&str, Option<Vec<String>>)> {
    let heads = line.split(';').filter_map(|part| {
        let start =
            part.find("for ").filter(|&at| at == 0 || !part[..at].ends_with(char::is_alphanumeric))?;
        let (name, words) = part[start + "for ".len()..].trim_start().split_once(" in ")?;
        let is_name = !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || one == '_');
        is_name.then(|| (name, listed(words.trim())))
    });
    heads.collect()
}

/// The words of a list: as it says, or of `{0..3}` and `$(seq 0 3)`.
fn listed(list: &str) -> Option<Vec<String>> {
    let counted = |first: u64, last: u64| (first..=last).map(|number| number.to_string()).collect();
    if let Some((first, last)) =
        list.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')?.split_once(".."))
    {
        let (first, last) = (count(first)?, count(last)?);
        return (last.saturating_sub(first) < MOST as u64).then(|| counted(first, last));
    }
    let called = list.strip_prefix("$(").and_then(|rest| rest.strip_suffix(')'));
    let called = called.or_else(|| list.strip_prefix('`').and_then(|rest| rest.strip_suffix('`')));
    if let Some(numbers) = called.and_then(|call| call.trim().strip_prefix("seq ")) {
        let numbers: Vec<u64> = numbers.split_whitespace().map(count).collect::<Option<_>>()?;
        return match numbers[..] {
            [last] if last < MOST as u64 => Some(counted(1, last)),
            [first, last] if last.saturating_sub(first) < MOST as u64 => Some(counted(first, last)),
            [first, step, last] if step > 0 && last.saturating_sub(first) / step < MOST as u64 => {
                let step = usize::try_from(step).ok()?;
                Some((first..=last).step_by(step).map(|number| number.to_string()).collect())
            }
            _ => None,
        };
    }
    let words: Vec<String> = list.split_whitespace().map(str::to_owned).collect();
    let is_plain = |word: &String| !word.contains(['$', '`', '*', '{', '?']);
    (!words.is_empty() && words.iter().all(is_plain)).then_some(words)
}

/// A line with a word in place of a variable.
fn with(line: &str, name: &str, word: &str) -> String {
    let line = line.replace(&format!("${{{name}}}"), word);
    let mark = format!("${name}");
    let mut text = String::with_capacity(line.len());
    let mut rest = line.as_str();
    while let Some(at) = rest.find(&mark) {
        let (before, behind) = (&rest[..at], &rest[at + mark.len()..]);
        // `$n` is not the beginning of `$nodes`.
        let is_longer = behind.starts_with(|one: char| one.is_alphanumeric() || one == '_');
        text.push_str(before);
        text.push_str(if is_longer { &mark } else { word });
        rest = behind;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str, rank: usize, program: &str) -> Vec<String> {
        let commands = Commands::at(&Text::new(text), rank, program).unwrap_or_default();
        (0..9).map_while(|rank| commands.of_output(rank).map(str::to_owned)).collect()
    }

    #[test]
    fn a_loop_is_as_many_commands_as_it_has_words() {
        let ends = |line: &str| {
            let last = |line: String| line.rsplit("do ").next().unwrap_or_default().to_owned();
            at(line, 0, "a").into_iter().map(last).collect::<Vec<_>>()
        };
        assert_eq!(ends("$ for s in 64 128; do ./a -s $s; done"), ["./a -s 64; done", "./a -s 128; done"]);
        assert_eq!(ends("$ for s in {0..1}; do ./a -s${s}; done"), ["./a -s0; done", "./a -s1; done"]);
        assert_eq!(
            ends("for s in $(seq 2 2 4); do ./a -s $s$sum; done"),
            ["./a -s 2$sum; done", "./a -s 4$sum; done"]
        );
        let nested = "for x in 0 1; do for y in 5 6; do ./a -n $x $y; done; done";
        assert_eq!(ends(nested)[1..3], ["./a -n 0 6; done; done", "./a -n 1 5; done; done"]);
    }

    #[test]
    fn a_line_may_run_a_program_several_times() {
        assert_eq!(
            at("$ X=1 ./a -n 0; ./a -n 1 && /b/a.exe", 0, "a"),
            ["$ X=1 ./a -n 0", " ./a -n 1 ", " /b/a.exe"]
        );
        let text = "for x in 0 1; do ./a -n $x; ./a -m $x; done";
        assert_eq!(at(text, 0, "a"), [" do ./a -n 0", " ./a -m 0", " do ./a -n 1", " ./a -m 1"]);
        for alone in ["$ export X=1; ./a -n 0", "$ cd ~/a; numactl -N 0 ./a > a.log; cat a.log"] {
            assert_eq!(at(alone, 0, "a"), [alone]);
        }
    }

    #[test]
    fn a_loop_may_have_several_lines_and_words_that_nobody_sees() {
        let text = "for x in 0 1; do\n  ./a -n $x\ndone\n1.5\n2.5\n";
        assert_eq!(at(text, 1, "a"), ["for x in 0 1; do; ./a -n 0", "for x in 0 1; do; ./a -n 1"]);
        let unseen = Commands::at(&Text::new("for x in $(cat list); do ./a -n $x; done"), 0, "a").unwrap();
        assert!(unseen.of_output(7).is_some_and(|line| line.contains("-n $x")));
        assert_eq!(at("a word", 0, "a"), [""; 0]);
        assert_eq!(at("$ ./another -n 1", 0, "a"), [""; 0]);
    }
}
