//! What surrounds the values of an invocation: the banner, the command line, and lines that say how it measured.

use zerohop_result::Coordinate;
use zerohop_units::Bytes;

use super::unit;
use crate::bound::memory_of_numactl;
use crate::commands::Commands;
use crate::lines::Text;
use crate::number::{count, first_number};

/// How an invocation measured, as far as it says so.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Invocation {
    /// The traffic, if it is not reads: the name of a kernel, or MLC's number of it (`W7`).
    pub(super) kernel: Option<String>,
    /// The CPU that chases (`-c`, or `-i` of newer versions).
    pub(super) cpu: Option<u64>,
    /// The node whose memory is read (`-j`).
    pub(super) target: Option<u64>,
    /// Whether the best of several rates of injection counts (`--max_bandwidth`).
    pub(super) maximum: bool,
    /// The size of the buffer of the latency measurement.
    pub(super) buffer: Bytes,
    options: Options,
    /// Bytes in a MB: a line says so.
    pub(super) megabyte: f64,
    /// The memory that `numactl` gave it. MLC pins its threads itself, but most of its memory is where its policy puts it.
    pub(super) memory: Option<Coordinate>,
    shell: Shell,
}

/// The command lines of a prompt, and what they have printed.
#[derive(Debug, Clone, Default, PartialEq)]
struct Shell {
    commands: Commands,
    latencies: usize,
    banners: usize,
}

/// Options of the command line that change what values mean.
#[derive(Debug, Clone, Default, PartialEq)]
struct Options {
    /// The size of each thread's buffer (`-b`).
    buffer: Option<u64>,
    /// Whether the traffic is of random access (`-U`).
    random_traffic: bool,
    /// Whether latencies are of random access by request (`-r`); some versions choose it themselves, and say so.
    random_latency: bool,
    /// Whether buffers are in huge pages (`-h`).
    huge_pages: bool,
}

/// What a line tells about an invocation.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Line {
    /// Something that needs no place in a result.
    Known,
    /// A remark of MLC's or of zerohop's (`*** …`), in its words.
    Remark(String),
}

impl Invocation {
    pub(super) fn new() -> Self {
        Self { megabyte: 1e6, ..Self::default() }
    }

    /// What is known below a banner: what the prompt above it said of memory. MLC prints the other options itself.
    pub(super) fn below_banner(&self) -> Self {
        let mut shell = self.shell.clone();
        let memory = shell.commands.of_output(shell.banners).and_then(memory_of_numactl);
        shell.banners += 1;
        Self { memory, shell, ..Self::new() }
    }

    /// Takes a line that says how the invocation measured; `None` if it is not one. `lower` is the line in lower case.
    pub(super) fn take(&mut self, line: &str, lower: &str) -> Option<Line> {
        if let Some(parameters) = lower.strip_prefix("command line parameters:") {
            // The command line distinguishes cases, so take it from the line as it is.
            let start = line.len() - parameters.len();
            self.command(&line[start..]);
            return Some(Line::Known);
        }
        // Three asterisks without a blank are bold type of Markdown.
        if let Some(remark) = line.strip_prefix("***").filter(|rest| rest.starts_with([' ', '\t'])) {
            let remark = remark.trim();
            if let Some(kernel) =
                remark.strip_prefix("Traffic of the ").and_then(|rest| rest.strip_suffix(" kernel"))
            {
                self.kernel = Some(kernel.to_owned());
            }
            return Some(Line::Remark(remark.to_owned()));
        }
        // In a list of Markdown, or without its asterisks.
        if lower.starts_with("unable to modify prefetchers") {
            return Some(Line::Remark(line.to_owned()));
        }
        if let Some(rest) = lower.strip_prefix("using buffer size of") {
            if !rest.contains("/thread")
                && let Some(size) = first_number(rest)
            {
                // Older versions print `MB` and mean the same.
                self.buffer = Bytes((size * f64::from(1 << 20)) as u64);
            }
            return Some(Line::Known);
        }
        if lower.contains("1 mb/sec =") {
            let bytes = lower.split("1 mb/sec =").nth(1).and_then(|rest| {
                let digits: String = rest.chars().filter(char::is_ascii_digit).collect();
                digits.parse::<f64>().ok()
            });
            self.megabyte = bytes.filter(|bytes| (9e5..2e6).contains(bytes)).unwrap_or(1e6);
            return Some(Line::Known);
        }
        if let Some(unit) = lower.strip_prefix("bandwidths are in ") {
            return unit::is_unit(unit.split_whitespace().next().unwrap_or_default()).then_some(Line::Known);
        }
        if lower.contains("read-only traffic type") {
            self.kernel = None;
            return Some(Line::Known);
        }
        let known = KNOWN.iter().any(|known| lower.starts_with(known));
        (known || lower.starts_with("zerohop, output in the form")).then_some(Line::Known)
    }

    /// Takes a prompt with MLC's command line, which counts until MLC prints it itself.
    pub(super) fn take_prompt(&mut self, text: &Text, rank: usize) -> bool {
        let names = ["mlc", "mlc_avx512", "mlc_internal"];
        let Some(commands) = names.iter().find_map(|name| Commands::at(text, rank, name)) else {
            return false;
        };
        (self.kernel, self.cpu, self.target, self.memory) = (None, None, None, None);
        (self.maximum, self.options) = (false, Options::default());
        if let Some(line) = commands.of_output(0) {
            self.memory = memory_of_numactl(line);
            self.command(line);
        }
        self.shell = Shell { commands, ..Shell::default() };
        true
    }

    /// Takes the options of the command line that printed the next latency.
    pub(super) fn next_of_shell(&mut self) {
        let Shell { commands, latencies, banners } = &mut self.shell;
        // A banner says which command line this is, and MLC repeats its options below.
        if *banners > 0 {
            return;
        }
        let line = commands.of_output(*latencies).map(str::to_owned);
        *latencies += 1;
        if let Some(line) = line {
            self.memory = memory_of_numactl(&line);
            self.options = Options::default();
            self.command(&line);
        }
    }

    /// The size of the buffer of a latency, as the options or the output say; zero if neither does.
    pub(super) fn buffer_of_latency(&self) -> Bytes {
        self.options.buffer.map_or(self.buffer, Bytes)
    }

    /// The size of the buffer of a latency, if caches may hold it: MLC's own is larger.
    pub(super) fn small_buffer(&self) -> Option<Bytes> {
        Some(self.buffer_of_latency()).filter(|buffer| (1..SMALLEST).contains(&buffer.get()))
    }

    /// The size of the buffer of each thread that loads memory, if it is smaller than MLC's own: caches may hold it.
    pub(super) fn small_buffer_of_traffic(&self) -> Option<Bytes> {
        self.options.buffer.filter(|&bytes| bytes < OF_A_THREAD).map(Bytes)
    }

    /// The kernel of the traffic, if it is not sequential reads.
    pub(super) fn traffic(&self) -> Option<String> {
        match (&self.kernel, self.options.random_traffic) {
            (None, true) => Some("random reads".to_owned()),
            (Some(kernel), true) => Some(format!("{kernel}, random")),
            (kernel, false) => kernel.clone(),
        }
    }

    /// Whether the traffic is of random access.
    pub(super) const fn is_random(&self) -> bool {
        self.options.random_traffic
    }

    /// What the options say of the next values, in words.
    pub(super) fn remarks(&self, latencies: bool) -> impl Iterator<Item = &'static str> {
        let Options { random_latency, huge_pages, .. } = self.options;
        let random = random_latency && latencies;
        let random = random.then_some("latencies are of random access (`-r`)");
        random.into_iter().chain(huge_pages.then_some("buffers are in huge pages (`-h`)"))
    }

    /// The options that change what values mean.
    fn command(&mut self, line: &str) {
        // Those of a program in front, such as `numactl -c1`, are not MLC's.
        let mut called = line.rmatch_indices("mlc").map(|(at, _)| &line[at..]);
        let parameters = called.find(|rest| rest.contains(" -")).unwrap_or(line);
        // Options of what it is piped into are not MLC's either.
        let words = parameters.split_whitespace().take_while(|word| !word.starts_with(['|', '>']));
        for word in words.map(|word| word.trim_end_matches([';', ')'])) {
            let number = |option: &str| word.strip_prefix(option)?.parse::<u64>().ok();
            self.maximum |= word == "--max_bandwidth";
            self.options.buffer = word.strip_prefix("-b").and_then(bytes).or(self.options.buffer);
            self.options.random_traffic |= word == "-U";
            self.options.random_latency |= word == "-r";
            self.options.huge_pages |= word == "-h";
            if let Some(mix) = number("-W") {
                self.kernel = Some(traffic(mix));
            }
            self.cpu = number("-c").or_else(|| number("-i")).or(self.cpu);
            self.target = number("-j").or(self.target);
        }
    }
}

/// Buffers of latencies are at least as large where no option says otherwise.
const SMALLEST: u64 = 200 << 20;

/// MLC's own buffer of each thread that loads memory.
const OF_A_THREAD: u64 = 100 << 20;

/// `64`, in KiB, `24k`, `256m` or `1g`.
fn bytes(size: &str) -> Option<u64> {
    let (digits, unit) = match size.char_indices().next_back()? {
        (at, 'k' | 'K') => (&size[..at], 10),
        (at, 'm' | 'M') => (&size[..at], 20),
        (at, 'g' | 'G') => (&size[..at], 30),
        _ => (size, 10),
    };
    count(digits)?.checked_mul(1 << unit).filter(|&bytes| bytes > 0)
}

/// The kernel of zerohop's that is the same as MLC's traffic of that number (`mlc --help`), or MLC's name of it.
fn traffic(mix: u64) -> String {
    match mix {
        2 => "mix_2_1".to_owned(),
        3 => "mix_3_1".to_owned(),
        5 => "mix_1_1".to_owned(),
        6 => "write_nt".to_owned(),
        other => format!("W{other}"),
    }
}

/// Lines without a value that MLC prints.
const KNOWN: [&str; 13] = [
    "so, enabling random access",
    "using all the threads from each core",
    "using only one thread from each core",
    "using traffic with the following",
    "using small pages",
    "using large pages",
    "using hugepages",
    "using numa",
    "will take several minutes",
    "inject",
    "delay",
    "reader numa node",
    "using random access",
];

/// The latency in ns, and the number of clocks, of `Each iteration took 201.2 core clocks ( 80.5 ns)`, in lower case.
pub(super) fn idle(lower: &str) -> Option<(Option<f64>, f64)> {
    let rest = lower.split("each iteration took").nth(1)?;
    let (clocks, nanoseconds) = rest.split_once('(')?;
    let (value, after) = nanoseconds.split_once("ns")?;
    let _ = after;
    let nanoseconds = first_number(value)?;
    // The number of clocks is missing where the frequency is not known.
    let clocks = clocks.contains("clock").then(|| first_number(clocks)).flatten();
    Some((clocks, nanoseconds))
}

/// The version in a banner: `Intel(R) Memory Latency Checker - v3.11b`.
pub(super) fn version(line: &str) -> Option<String> {
    line.split_whitespace().rev().find_map(|word| {
        let version =
            word.strip_prefix(['v', 'V'])?.trim_end_matches(|one: char| !one.is_ascii_alphanumeric());
        version.starts_with(|one: char| one.is_ascii_digit()).then(|| version.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_says_what_was_measured() {
        let mut one = Invocation::new();
        let line = "Command line parameters: --idle_latency -c3 -j1 -W5";
        assert_eq!(one.take(line, &line.to_ascii_lowercase()), Some(Line::Known));
        assert_eq!((one.cpu, one.target, one.kernel.as_deref()), (Some(3), Some(1), Some("mix_1_1")));
    }

    #[test]
    fn options_of_size_and_of_random_access_are_kept() {
        let mut one = Invocation::new();
        let mut take = |line: &str| {
            one = Invocation::new();
            one.take(line, &line.to_ascii_lowercase());
            (one.small_buffer().map(Bytes::get), one.traffic(), one.remarks(true).count())
        };
        assert_eq!(take("Command line parameters: --idle_latency -b24k"), (Some(24 << 10), None, 0));
        assert_eq!(take("Command line parameters: --idle_latency -b64"), (Some(64 << 10), None, 0));
        assert_eq!(take("Command line parameters: --idle_latency -b2g -r -h"), (None, None, 2));
        let random = Some("W7, random".to_owned());
        assert_eq!(take("Command line parameters: --bandwidth_matrix -U -W7"), (None, random, 0));
        assert_eq!(take("Using buffer size of 0.062MiB").0, Some(65011));
    }

    #[test]
    fn the_unit_of_all_values_is_known() {
        let take = |line: &str| Invocation::new().take(line, &line.to_ascii_lowercase());
        assert_eq!(take("Bandwidths are in GB/s"), Some(Line::Known));
        assert_eq!(take("Bandwidths are in MB/sec (1 MB/sec = 1,000,000 Bytes/sec)"), Some(Line::Known));
        assert_eq!(take("Bandwidths are in great demand"), None);
    }

    #[test]
    fn one_latency_is_read_with_its_clocks() {
        assert_eq!(idle("each iteration took 201.2 core clocks ( 80.5    ns)"), Some((Some(201.2), 80.5)));
        assert_eq!(idle("each iteration took - core clocks (\t80.5\tns)"), Some((None, 80.5)));
        assert_eq!(idle("each iteration took 4 seconds"), None);
    }

    #[test]
    fn the_version_may_have_a_letter() {
        assert_eq!(version("Intel(R) Memory Latency Checker - v3.11b").as_deref(), Some("3.11b"));
        assert_eq!(version("Memory Latency Checker"), None);
    }
}
