//! The time that a parser takes is in proportion to its text, whatever the text is.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use zerohop_fuzzing::Target;

/// Bytes of the shorter text.
const LENGTH: usize = 64 << 10;

/// How many times as long the longer text is.
const TIMES: usize = 4;

/// In proportion, it takes [`TIMES`] times as long; in a square, 16 times. This is half-way between them, as a ratio: sorting, and caches that
/// hold the shorter text and not the longer one, add to the former.
const MOST_TIMES_AS_LONG: f64 = 8.0;

/// Shorter times tell nothing.
const SHORTEST: Duration = Duration::from_millis(25);

/// The best of this many tries counts: others compute meanwhile.
const TRIES: usize = 6;

/// What is out of proportion at one length is tried again at these times it: a square is one at any length.
const AGAIN: usize = 2;

/// What a text may begin with, so that a parser takes the rest for its own.
const HEADS: [&str; 20] = [
    "",
    "bw_mem 18m rd ",
    "$ ./multiload -n 5 ",
    "pdsh -w node07 ./stream ",
    "stride=64\n",
    "bw_mem 18m rd\n",
    "# dsh\nnode07: Numa node 0 1\nnode07: 0 81.5 130.5\nnode08: Numa node 0 1\nnode08: 0 81.5 130.5\nnode07: ",
    "---------------\nnode07\n---------------\nNuma node 0 1\n0 81.5 130.5\n1 130.5 81.5\n",
    "Measuring idle latencies (in ns)...\nNuma node 0 1\n0 81.5 130.5\n1 130.5 81.5\n",
    "{\"schema_version\": 1, \"machine\": {\"name\": \"",
    "{\"schema_version\": 1, \"experiments\": [",
    "{\"nvbandwidth\": {\"testcases\": [",
    "[{\"name\": \"a\"",
    "Function    Best Rate MB/s  Avg time     Min time     Max time\nCopy: 12345.6 0.01 0.01 0.01\n",
    "multiload -n 5 -t 16\nSamples\t, Byte/thd\t, ChaseThds\t, ChaseNS\t, ChaseMibs\t, ChDeviate\n",
    "<html><body><table><tr><td>",
    "|===\n|0 |1\n",
    "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">",
    "[node.0]\n",
    "title = \"",
];

/// What a text may go on with, again and again.
const FILLERS: [&str; 46] = [
    "\u{1}",
    "\u{1b}",
    "\u{1b}]",
    "\u{8}",
    "\r",
    "\n",
    "\r\n",
    " ",
    "\t",
    "\u{a0}",
    "[",
    "]",
    "{",
    "}",
    "(",
    "\"",
    "'",
    "`",
    "<",
    "&",
    "|",
    ",",
    "=",
    "=\n",
    "-",
    "#",
    "1",
    "1 ",
    "0.5\n",
    "a",
    "é",
    "a b\n",
    "node07: 1\n",
    "---\nn1\n---\n",
    "Numa node 0 1\n",
    "Measuring ",
    "a,b,c\n",
    "n1: x\n",
    "0.00049 1.5\n",
    "16.00 1234.5\n",
    "ALL Reads        :      100.0\n",
    "Copy: 1234.5 0.1 0.1 0.1\n",
    "node 0 size: 5 MB\n",
    "Numa node 0 1\n0 81.5 130.5\n1 130.5 81.5\n",
    "cpu cpu ",
    "{\"a\":",
];

fn text(head: &str, filler: &str, length: usize) -> String {
    let mut text = head.to_owned();
    text.extend(std::iter::repeat_n(filler, length / filler.len()));
    text
}

/// The CPU time that parsing takes.
fn time(target: &Target, text: &str) -> Duration {
    let now = || {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
    };
    let start = now();
    target.check(text);
    now().saturating_sub(start)
}

/// What is out of proportion: how many times as long the longer text takes.
fn excess(target: &Target, short: &str, long: &str) -> Option<f64> {
    let mut best = [Duration::MAX; 2];
    let mut ratio = 0.0;
    for _ in 0..TRIES {
        best[1] = best[1].min(time(target, long));
        if best[1] < SHORTEST {
            return None;
        }
        best[0] = best[0].min(time(target, short));
        ratio = best[1].as_secs_f64() / best[0].as_secs_f64().max(1e-6);
        if ratio <= MOST_TIMES_AS_LONG {
            return None;
        }
    }
    Some(ratio)
}

fn out_of_proportion(target: &Target, name: &str, build: impl Fn(usize) -> String) -> Option<String> {
    excess(target, &build(LENGTH), &build(TIMES * LENGTH))?;
    let ratio = excess(target, &build(AGAIN * LENGTH), &build(AGAIN * TIMES * LENGTH))?;
    Some(format!("{}: {name}: {ratio:.1} times as long for {TIMES} times the text", target.name))
}

/// Checks every parser on so many heads and fillers.
fn check_every_parser(heads_and_fillers: impl Fn(&Target) -> (usize, usize)) {
    let mut found = Vec::new();
    for target in Target::all() {
        let (heads, fillers) = heads_and_fillers(&target);
        let (heads, fillers) = (&HEADS[..heads], &FILLERS[..fillers]);
        for head in heads {
            for filler in fillers {
                let name = format!("{head:?} and {filler:?}");
                found.extend(out_of_proportion(&target, &name, |length| text(head, filler, length)));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// `bw_mem 18m rd` and 400,000 control characters took 8 s, and four times as long for twice the length; so did other texts.
#[test]
fn every_parser_takes_time_in_proportion_to_some_texts() {
    check_every_parser(
        |target| if Target::formats().any(|format| format == *target) { (1, 2) } else { (2, 4) },
    );
}

#[test]
#[ignore = "long: parses thousands of texts, each in two lengths"]
fn every_parser_takes_time_in_proportion_to_any_text() {
    // A format of its own sees texts as the importers made them, so that a few are enough for each.
    check_every_parser(|target| match Target::formats().any(|format| format == *target) {
        true => (4, 8),
        false => (HEADS.len(), FILLERS.len()),
    });
}

/// The texts of a folder beside the importers' sources, with their names.
fn outputs() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../importers/tests/inputs");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.retain(|path| path.is_file());
    let named = |path: &std::path::PathBuf| {
        (path.file_name().unwrap().display().to_string(), fs::read_to_string(path).unwrap())
    };
    paths.iter().map(named).collect()
}

/// Every tool's output again and again: 512 kB of what `bw_mem` prints took 10 s.
#[test]
fn repeated_outputs_of_tools_are_read_in_proportion() {
    let any = Target::named("import_recognized");
    let again = |(name, input): &(String, String)| {
        out_of_proportion(&any, &format!("{name}, repeated"), |length| text("", input, length))
    };
    let found: Vec<String> = outputs().iter().filter_map(again).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Every tool's output, followed by what a parser of it does not expect.
#[test]
#[ignore = "long: parses hundreds of texts, each in two lengths"]
fn outputs_of_tools_with_more_behind_them_are_read_in_proportion() {
    let any = Target::named("import_recognized");
    let mut found = Vec::new();
    for (name, input) in outputs() {
        for filler in ["\u{1}", "[", "a b\n", "1 ", "0.5\n"] {
            let name = format!("{name} and {filler:?}");
            found.extend(out_of_proportion(&any, &name, |length| text(&input, filler, length)));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// Each host's text was as long as the whole: 1,000 hosts took 2.9 s, and 4,000 of them 43 s.
#[test]
fn outputs_of_many_hosts_are_read_in_proportion() {
    const HOSTS: usize = 300;
    let any = Target::named("import_recognized");
    let table = [
        "Function    Best Rate MB/s  Avg time     Min time     Max time",
        "Copy:           39062.1     0.004118     0.004096     0.004140",
        "Triad:          41020.5     0.005900     0.005851     0.005950",
    ];
    let on_each_line = |hosts: usize| -> String {
        let of_host = |host| table.map(|line| format!("node{host:05}: {line}\n")).concat();
        (0..hosts).map(of_host).collect()
    };
    let above_parts = |hosts: usize| -> String {
        let of_host =
            |host| format!("---------------\nnode{host:05}\n---------------\n{}\n", table.join("\n"));
        (0..hosts).map(of_host).collect()
    };
    let forms: [(&str, &dyn Fn(usize) -> String); 2] =
        [("one host per line", &on_each_line), ("hosts above their parts", &above_parts)];
    for (name, form) in forms {
        let ratio = excess(&any, &form(HOSTS), &form(TIMES * HOSTS));
        assert_eq!(ratio, None, "{name}: times as long for {TIMES} times the hosts");
    }
}
