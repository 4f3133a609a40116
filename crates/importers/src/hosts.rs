//! Output of several hosts in one text, as cluster shells collect it.
//!
//! pdsh, clush and `srun --label` write the host before each line, `mpirun --tag-output` the rank; dshbak, `clush -b`, pssh, Ansible and
//! `tail` write it above a part. Each host's part keeps the numbers of its lines: those of others are blank in it, a few of them for many.

pub(crate) mod cells;
mod names;
mod reports;

use std::collections::{HashMap, HashSet};

use names::{is_host, is_label};
pub(crate) use reports::Report;
use reports::report;

use crate::host_part::Part;
use crate::lines::shown_lines;

/// A text by hosts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    /// Each host's lines by rank, in the order of their first ones.
    hosts: Vec<(String, Vec<(usize, String)>)>,
    /// Lines of no host.
    rest: Vec<(usize, String)>,
    /// What the shell says of hosts: that they do not answer, that their command failed, or that it printed nothing.
    pub(crate) reports: Vec<Report>,
    /// Whether names of hosts are above parts: words of other meanings are, too.
    pub(crate) by_heading: bool,
    /// Whether a host has no more than a line or two, as `grep` picks them: nearly any text may look like that.
    pub(crate) is_thin: bool,
}

impl Parts {
    /// The lines of each host, of a text in which nothing else is.
    pub(crate) fn of(hosts: Vec<(String, Vec<(usize, String)>)>) -> Self {
        Self { hosts, rest: Vec::new(), reports: Vec::new(), by_heading: false, is_thin: false }
    }

    /// The hosts, each with its text.
    pub(crate) fn of_hosts(&self) -> impl Iterator<Item = (&str, Part)> {
        self.hosts.iter().map(|(host, lines)| (host.as_str(), Part::of(lines)))
    }

    /// The text of no host.
    pub(crate) fn rest(&self) -> Part {
        Part::of(&self.rest)
    }
}

/// Fewer lines than this of each host are a coincidence.
const FEWEST_LINES: usize = 2;

/// The most hosts that have a line or two each.
const MOST_THIN: usize = 1000;

/// The text by hosts, if it looks like that of several, or of one with a name on each line.
pub(crate) fn parts(raw: &str) -> Option<Parts> {
    let lines = shown_lines(raw);
    by_prefix(&lines).or_else(|| by_heading(&lines))
}

fn by_prefix(lines: &[String]) -> Option<Parts> {
    let mut found = Collected::default();
    // Of all lines but those of the shell itself.
    let (mut known, mut all) = (0, 0);
    for (rank, line) in lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        if let Some(report) = report(line) {
            found.report(report, rank, line);
            continue;
        }
        all += 1;
        match prefix(line) {
            Some((host, text)) => {
                known += 1;
                found.add(host, rank, text);
            }
            None => found.rest.push((rank, line.clone())),
        }
    }
    let enough = all > 0 && 10 * known >= 8 * all && known >= 3 * found.hosts.len();
    let repeated = found.hosts.iter().any(|host| host.1.len() >= FEWEST_LINES);
    if enough && repeated {
        return Some(found.finish(false));
    }
    let is_thin = known == all && (2..=MOST_THIN).contains(&found.hosts.len());
    is_thin.then(|| Parts { is_thin, ..found.finish(false) })
}

/// `node07: text`, `[1,3]<stdout>:text` and `[node07] text`: the host and its text.
fn prefix(line: &str) -> Option<(&str, &str)> {
    if let Some(rest) = line.strip_prefix('[') {
        let (inside, after) = rest.split_once(']')?;
        let is_rank =
            inside.split(',').all(|part| !part.is_empty() && part.bytes().all(|one| one.is_ascii_digit()));
        if is_rank {
            let (_, text) = after.strip_prefix('<')?.split_once(">:")?;
            return Some((inside, text));
        }
        let blank = after.is_empty().then_some(after);
        let text = after.strip_prefix(" out: ").or_else(|| after.strip_prefix(' ')).or(blank)?;
        return is_host(inside).then_some((inside, text));
    }
    // Docker Compose: `bench-1  | text`.
    if let Some((host, text)) = line.split_once(" |") {
        let host = host.trim_end();
        let is_name = host.contains(|one: char| one.is_ascii_digit()) && host.contains(char::is_alphabetic);
        if is_name && is_host(host) {
            return Some((host, text.strip_prefix(' ').unwrap_or(text)));
        }
    }
    // `srun --label` aligns its numbers.
    let (host, text) = line.trim_start().split_once(':')?;
    let text = text.strip_prefix(' ').unwrap_or(text);
    (is_host(host) && !is_label(&host.to_ascii_lowercase())).then_some((host, text))
}

fn by_heading(lines: &[String]) -> Option<Parts> {
    let mut found = Collected::default();
    let mut headed: Vec<String> = Vec::new();
    let mut rank = 0;
    while rank < lines.len() {
        if let Some(Heading { host, length, failure }) = heading(&lines[rank..]) {
            rank += length;
            found.reports.extend(failure.map(|message| Report { host: host.clone(), message }));
            headed.push(host);
            continue;
        }
        let line = &lines[rank];
        match (report(line), headed.last()) {
            (Some(report), _) => found.report(report, rank, line),
            (None, Some(host)) => found.add(host, rank, line),
            (None, None) if line.trim().is_empty() => {}
            (None, None) => found.rest.push((rank, line.clone())),
        }
        rank += 1;
    }
    found.hosts.retain(|(_, ranks)| ranks.iter().any(|(_, text)| !text.trim().is_empty()));
    if found.hosts.is_empty() {
        return None;
    }
    let said: HashSet<&String> =
        found.hosts.iter().map(|(host, _)| host).chain(found.reports.iter().map(|one| &one.host)).collect();
    headed.retain(|host| !said.contains(host));
    found.reports.extend(headed.into_iter().map(Report::silent));
    Some(found.finish(true))
}

/// The lines above the part of a host.
struct Heading {
    host: String,
    /// How many there are.
    length: usize,
    /// That its command failed, if they say so.
    failure: Option<String>,
}

/// The heading that lines begin with.
fn heading(lines: &[String]) -> Option<Heading> {
    let line = lines[0].trim();
    let of = |host: &str, length| Heading { host: host.to_owned(), length, failure: None };
    let is_rule = |line: &str| line.len() >= 3 && line.bytes().all(|one| one == b'-');
    // dshbak and `clush -b`, which adds the number of hosts.
    if is_rule(line)
        && let [_, name, end, ..] = lines
        && is_rule(end.trim())
    {
        let name = name.trim();
        let name = name.split_once(" (").map_or(name, |(name, _)| name);
        return is_host(name).then(|| of(name, 3));
    }
    // Ansible: `node07 | CHANGED | rc=0 >>`, or `node07 | CHANGED => {`.
    if let Some(head) = line.strip_suffix(">>").or_else(|| line.strip_suffix("=> {")) {
        let mut fields = head.split('|').map(str::trim);
        let (name, state) = (fields.next()?, fields.next()?);
        let has_failed = ["FAILED", "FAILED!", "UNREACHABLE!"].contains(&state);
        let is_state = has_failed || ["SUCCESS", "CHANGED"].contains(&state);
        let words: Vec<&str> = std::iter::once(state).chain(fields).filter(|word| !word.is_empty()).collect();
        let failure = has_failed.then(|| words.join(", "));
        return (is_host(name) && is_state).then(|| Heading { failure, ..of(name, 1) });
    }
    // pssh: `[1] 12:04:31 [SUCCESS] node07`.
    if line.starts_with('[') {
        let words: Vec<&str> = line.split_whitespace().collect();
        return match words.as_slice() {
            [_, time, state @ ("[SUCCESS]" | "[FAILURE]"), name, more @ ..]
                if time.contains(':') && is_host(name) =>
            {
                let why = if more.is_empty() { "FAILURE".to_owned() } else { more.join(" ") };
                let failure = (*state == "[FAILURE]").then_some(why);
                Some(Heading { failure, ..of(name, 1) })
            }
            _ => None,
        };
    }
    // `==> node07.txt <==`, `=== node07 ===`, `### node07 ###`.
    let name = line.trim_matches(['=', '#', '*', '-', '<', '>', ' ']);
    let before = line.find(name)?;
    let is_framed = before >= 3 && line.len() - before - name.len() >= 3 && !name.is_empty();
    (is_framed && is_host(name) && name.contains(|one: char| one.is_ascii_digit())).then(|| of(name, 1))
}

/// Lines by host, while they are collected.
#[derive(Default)]
struct Collected {
    hosts: Vec<(String, Vec<(usize, String)>)>,
    places: HashMap<String, usize>,
    rest: Vec<(usize, String)>,
    reports: Vec<Report>,
}

impl Collected {
    /// Adds a line of the shell itself.
    fn report(&mut self, report: Report, rank: usize, line: &str) {
        self.reports.push(report);
        self.rest.push((rank, line.to_owned()));
    }

    fn add(&mut self, host: &str, rank: usize, text: &str) {
        let next = self.hosts.len();
        let place = *self.places.entry(host.to_owned()).or_insert(next);
        if place == next {
            self.hosts.push((host.to_owned(), Vec::new()));
        }
        self.hosts[place].1.push((rank, text.to_owned()));
    }

    fn finish(self, by_heading: bool) -> Parts {
        let Self { hosts, rest, reports, .. } = self;
        Parts { hosts, rest, reports, by_heading, is_thin: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host_part::MOST_BLANK;

    fn by_host(raw: &str) -> Vec<(String, String)> {
        let parts = parts(raw).unwrap_or_else(|| panic!("{raw}"));
        parts.of_hosts().map(|(host, part)| (host.to_owned(), part.text)).collect()
    }

    fn pair(host: &str, text: &str) -> (String, String) {
        (host.to_owned(), text.to_owned())
    }

    #[test]
    fn lines_with_a_host_keep_their_places() {
        let both = [pair("n1", "a\n\n  c\n\ne"), pair("n2", "\nb\n\nd\n\nf")];
        assert_eq!(by_host("n1: a\nn2: b\nn1:   c\nn2: d\nn1: e\nn2: f\n"), both);
        assert_eq!(by_host("\u{1b}[94mn1:\u{1b}[0m a\nn2: b\nn1:   c\nn2: d\nn1: e\nn2: f\n"), both);
        assert_eq!(by_host("[1,0]<stdout>:a\n[1,0]<stdout>:b\n[1,0]<stdout>:c\n"), [pair("1,0", "a\nb\nc")]);
        assert_eq!(by_host(" 9: a\n 9: b\n10: c\n 9: d\n10: e\n 9: f").len(), 2);
        assert_eq!(by_host("n1  | a\nn2  | b\nn1  |   c\nn2  | d\nn1  |\nn1  | e\nn2  | f\n").len(), 2);
        assert_eq!(by_host("[pod/a/b] a\n[pod/a/b] b\n[pod/a/b] c"), [pair("pod/a/b", "a\nb\nc")]);
        assert_eq!(by_host("[pod/a/b] a\n[pod/a/b]\n[pod/a/b] c"), [pair("pod/a/b", "a\n\nc")]);
        assert_eq!(by_host("[n1] out: a\n[n1] out: b\n[n1] out: c"), [pair("n1", "a\nb\nc")]);
    }

    /// Each host's text was as long as the whole, which took a time in the square of the number of hosts.
    #[test]
    fn a_few_blank_lines_stand_for_many_of_other_hosts() {
        let others = |count: usize| "n2: b\n".repeat(count);
        let raw = format!("n1: a\n{}n1: c\n{}n1: d\nn1: e", others(3), others(500));
        let parts = parts(&raw).unwrap();
        let (host, part) = parts.of_hosts().next().unwrap();
        let full: Vec<(&str, usize)> = part
            .text
            .split('\n')
            .zip(part.numbers.iter().copied())
            .filter(|(line, _)| !line.is_empty())
            .collect();
        assert_eq!((host, full), ("n1", vec![("a", 1), ("c", 5), ("d", 506), ("e", 507)]));
        assert_eq!(part.numbers.len(), 4 + 3 + 2 * MOST_BLANK);
        assert_eq!(part.text.split('\n').count(), part.numbers.len());
        assert_eq!(part.numbers[5 + MOST_BLANK - 1..][..2], [5 + MOST_BLANK, 506 - MOST_BLANK]);
    }

    #[test]
    fn parts_below_a_host_keep_their_places() {
        for heading in ["---\nn1\n---\n", "----\nn[1-4] (4)\n----\n"] {
            let host = if heading.contains("(4)") { "n[1-4]" } else { "n1" };
            assert_eq!(by_host(&format!("{heading}a\nb\n")), [pair(host, "\n\n\na\nb\n")]);
        }
        for heading in [
            "n1 | CHANGED | rc=0 >>",
            "n1 | CHANGED => {",
            "[1] 12:04:31 [SUCCESS] n1",
            "==> n1 <==",
            "=== n1 ===",
            "###n1###",
        ] {
            assert_eq!(by_host(&format!("{heading}\na\n")), [pair("n1", "\na\n")], "{heading}");
        }
    }

    #[test]
    fn what_tools_print_is_no_list_of_hosts() {
        for text in [
            "Copy: 1 2 3 4\nScale: 1 2 3 4\nAdd: 1 2 3 4\nTriad: 1 2 3 4\n",
            "Copy: 1\nAdd: 1\nCopy: 1\nAdd: 1\nCopy: 1\nAdd: 1\n",
            "Architecture: x86_64\nSocket(s): 2\nModel: 1\n",
            "node 0 cpus: 0 1\nnode 0 size: 12 MB\nnode 1 cpus: 2 3\n",
            "---\nSTREAM version $Revision: 5.10 $\n---\nThis system uses 8 bytes\n",
            "# ---- (2) v3.10, 2 nodes\n",
            "socket0: a\nsocket0: b\nsocket0: c\nsocket1: a\nsocket1: b\nsocket1: c\n",
        ] {
            assert_eq!(parts(text).filter(|parts| !parts.is_thin), None, "{text}");
        }
    }
}
