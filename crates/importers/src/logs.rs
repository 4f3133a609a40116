//! What loggers write before each line of a tool's output: the time, the host, the process, the level.
//!
//! `docker logs -t`, `kubectl logs --timestamps`, journald, `ts` and continuous integration put a time before every line. No tool does
//! that itself, so a text of which nearly every line begins with a time is a log. In the same way, a mark that begins every line (`+` of a
//! patch, `;` of a configuration file) belongs to what surrounds the output.

/// Fewer lines than this are no log.
const FEWEST: usize = 3;

/// The most words between the time and the text.
const MOST_WORDS: usize = 5;

/// Levels, in upper case.
const LEVELS: [&str; 10] =
    ["TRACE", "DEBUG", "INFO", "NOTICE", "WARN", "WARNING", "ERROR", "CRITICAL", "STDOUT", "STDERR"];

/// Months, in the spelling of syslog.
const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Marks that begin every line, the longest first.
const MARKS: [&str; 7] = ["-- ", "+ ", "+", ": ", "; ", "% ", "! "];

/// Takes off what a log has before each line.
pub(crate) fn take_prefixes(lines: &mut [String]) {
    take_times(lines);
    take_mark(lines);
}

fn take_times(lines: &mut [String]) {
    let full = lines.iter().filter(|line| !line.trim().is_empty()).count();
    let starts: Vec<Option<usize>> =
        lines.iter().map(|line| after_time(line).map(|rest| line.len() - rest.len())).collect();
    let known = starts.iter().flatten().count();
    if known < FEWEST || 10 * known < 8 * full {
        return;
    }
    let mut logged: Vec<&mut String> = Vec::with_capacity(known);
    for (line, start) in lines.iter_mut().zip(starts) {
        if let Some(start) = start {
            line.drain(..start);
            logged.push(line);
        }
    }
    for _ in 0..MOST_WORDS {
        let mut first = logged.iter().filter_map(|line| line.split_whitespace().next());
        let Some(word) = first.next().map(str::to_owned) else { return };
        let is_shared = first.all(|other| other == word || is_level(&word) && is_level(other));
        if !is_shared || !is_of_logger(&word) {
            return;
        }
        logged.iter_mut().for_each(|line| take_word(line));
    }
}

/// Takes off the first word of a line, and the blank after it.
fn take_word(line: &mut String) {
    let start = line.len() - line.trim_start().len();
    let length = line[start..].find(char::is_whitespace).unwrap_or(line.len() - start);
    let blank = line[start + length..].chars().next().map_or(0, char::len_utf8);
    line.drain(..start + length + blank);
}

fn is_level(word: &str) -> bool {
    LEVELS.contains(&word.trim_matches(['[', ']', ':', '(', ')']).to_ascii_uppercase().as_str())
}

/// Whether a word that begins every line may be a logger's: a level, a separator, or the name of a host, a process or a module.
fn is_of_logger(word: &str) -> bool {
    let has = |is: fn(char) -> bool| word.contains(is);
    is_level(word)
        || matches!(word, "-" | "|" | "--")
        || word.contains(['[', ']', '.', ':', '/'])
        || has(char::is_alphabetic) && has(char::is_numeric)
}

/// The text after the time that begins a line.
fn after_time(line: &str) -> Option<&str> {
    let line = line.trim_start();
    if let Some(rest) = after_glog(line).or_else(|| after_uptime(line)) {
        return Some(rest);
    }
    let inside = line.strip_prefix('[');
    let text = inside.unwrap_or(line);
    let rest = after_date(text).and_then(clock).or_else(|| clock(text))?;
    let rest = if inside.is_some() { rest.strip_prefix(']')? } else { rest };
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix([' ', '\t']) }
}

/// The text after `[   12.331211] `: the seconds since the kernel began, as `dmesg` prints them.
fn after_uptime(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('[')?.trim_start();
    let (seconds, rest) = rest.split_once('.')?;
    let is_count = !seconds.is_empty() && seconds.bytes().all(|one| one.is_ascii_digit());
    let rest = digits(rest, 6).filter(|_| is_count)?.strip_prefix(']')?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix(' ') }
}

/// The text after `2024-05-01T`, `2024/05/01 ` or `May  1 `.
fn after_date(text: &str) -> Option<&str> {
    if let Some(rest) = MONTHS.iter().find_map(|month| text.strip_prefix(month)) {
        let rest = rest.strip_prefix(' ')?.trim_start();
        return digits(rest, 2).or_else(|| digits(rest, 1))?.strip_prefix(' ');
    }
    let rest = digits(text, 4)?;
    let separator = rest.chars().next().filter(|one| matches!(one, '-' | '/'))?;
    let rest = digits(rest.strip_prefix(separator)?, 2)?;
    digits(rest.strip_prefix(separator)?, 2)?.strip_prefix(['T', ' '])
}

/// The text after `12:00:01`, with fractions and a time zone.
fn clock(text: &str) -> Option<&str> {
    let rest = digits(text, 2)?.strip_prefix(':')?;
    let rest = digits(rest, 2)?.strip_prefix(':')?;
    let mut rest = digits(rest, 2)?;
    if let Some(fraction) = rest.strip_prefix(['.', ',']) {
        rest = fraction.trim_start_matches(|one: char| one.is_ascii_digit());
    }
    if let Some(zone) = rest.strip_prefix(['+', '-']) {
        let zone = digits(zone, 2)?;
        return digits(zone.strip_prefix(':').unwrap_or(zone), 2);
    }
    Some(rest.strip_prefix('Z').unwrap_or(rest))
}

/// The text after `I0501 12:00:01.123456 4242 runner.go:55] `.
fn after_glog(line: &str) -> Option<&str> {
    let date = line.strip_prefix(['I', 'W', 'E', 'F'])?;
    let rest = clock(digits(date, 4)?.strip_prefix(' ')?)?;
    let (_, text) = rest.split_once(']')?;
    Some(text.strip_prefix(' ').unwrap_or(text))
}

/// The text after that many digits and no more.
fn digits(text: &str, count: usize) -> Option<&str> {
    let found = text.bytes().take_while(u8::is_ascii_digit).count();
    (found == count).then(|| &text[count..])
}

fn take_mark(lines: &mut [String]) {
    let full: Vec<usize> = (0..lines.len()).filter(|&rank| !lines[rank].trim().is_empty()).collect();
    let bare = |rank: &usize, mark: &str| lines[*rank].trim() == mark.trim();
    let begins = |mark: &str| full.iter().all(|rank| lines[*rank].starts_with(mark) || bare(rank, mark));
    let Some(mark) = MARKS.into_iter().find(|mark| full.len() >= FEWEST && begins(mark)) else { return };
    for rank in full {
        let length = if lines[rank].starts_with(mark) { mark.len() } else { lines[rank].len() };
        lines[rank].drain(..length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(prefixes: &[&str]) -> Vec<String> {
        let text = ["Numa node 0 1", "       0  78.5 119.4", "       1 120.8  76.6", ""];
        let mut lines: Vec<String> = text
            .iter()
            .zip(prefixes.iter().cycle())
            .map(|(line, prefix)| format!("{prefix}{line}").trim_end().to_owned())
            .collect();
        take_prefixes(&mut lines);
        lines
    }

    #[test]
    fn times_and_what_stands_behind_them_are_taken_off() {
        let whole = ["Numa node 0 1", "       0  78.5 119.4", "       1 120.8  76.6", ""];
        for prefixes in [
            &["2024-05-01T12:00:01.1234567Z ", "2024-05-01T12:00:02.1234567Z "][..],
            &["[2024-05-01 12:00:01] "],
            &["2024-05-01T12:00:01+02:00 "],
            &["May  1 12:00:01 node07 mlc[4242]: "],
            &["May 01 12:00:01 "],
            &["[12:00:01] "],
            &["2024-05-01 12:00:01,123 INFO bench.runner: ", "2024-05-01 12:00:01,123 ERROR bench.runner: "],
            &["2024/05/01 12:00:01 [INFO] - "],
            &["I0501 12:00:01.123456 4242 runner.go:55] "],
            &["[   12.331211] ", "[ 4212.331212] "],
            &["+"],
            &["; "],
        ] {
            assert_eq!(plain(prefixes), whole, "{prefixes:?}");
        }
    }

    #[test]
    fn what_tools_print_is_no_log() {
        for text in [
            "node 0 cpus: 0 1\nnode 0 size: 12 MB\nnode 1 cpus: 2 3\nnode 1 size: 12 MB",
            "12:00:01 started\n0 1 2\n1 2 3\n2 3 4\n3 4 5",
            "00:11 a\n00:12 b\n00:13 c",
            "2024 1 2\n2025 1 2\n2026 1 2",
        ] {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            take_prefixes(&mut lines);
            assert_eq!(lines.join("\n"), text);
        }
    }
}
