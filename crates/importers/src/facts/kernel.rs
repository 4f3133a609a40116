//! What texts say of the kernel: its command line, its settings, and what it logged about nodes.

use zerohop_machine::{OperatingSystem, relevant_kernel_parameters};

use super::fact_collection::Facts;
use crate::lines::Text;

/// Words of the lines in which the kernel says how it found its nodes, in lower case.
const MESSAGES: [&str; 12] = [
    "no numa configuration found",
    "faking a node at",
    "faking node",
    "numa turned off",
    "numa: no ",
    "numa emulation",
    "acpi: srat",
    "srat: ",
    "acpi: slit",
    "slit: ",
    "slit table looks invalid",
    "numa: node",
];

/// No more of them are kept.
const MOST_MESSAGES: usize = 64;

/// Nor more parameters of its command line.
const MOST_PARAMETERS: usize = 64;

/// Reads all lines of the kernel, wherever they stand.
pub(super) fn read_kernel(text: &mut Text, facts: &mut Facts) {
    let mut read = Vec::new();
    let mut more = 0;
    // The path of a setting whose value the next line holds.
    let mut asked: Option<Setting> = None;
    for (rank, line) in text.lines() {
        let line = untimed(line);
        if let Some(setting) = asked.take()
            && text.is_open(rank)
            && (setting.set)(&mut facts.system, line.trim())
        {
            read.push(rank);
            continue;
        }
        if let Some((setting, value)) = setting(line) {
            if value.is_empty() {
                asked = Some(setting);
            } else if (setting.set)(&mut facts.system, value) {
                read.push(rank);
            }
            continue;
        }
        if !text.is_open(rank) {
            continue;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(parameters) = command_line(line) {
            let parameters = relevant_kernel_parameters(parameters);
            for parameter in parameters {
                let known = &mut facts.system.kernel_parameters;
                if known.len() < MOST_PARAMETERS && !known.contains(&parameter) {
                    known.push(parameter);
                }
            }
            read.push(rank);
        } else if let Some(name) = lower.find("hypervisor detected:").map(|at| &line[at + 20..]) {
            facts.system.hypervisor = Some(name.trim().to_owned());
            read.push(rank);
        } else if facts.system.hypervisor.is_none() && is_release_of_wsl(&lower) {
            facts.system.hypervisor = Some("Microsoft".to_owned());
            read.push(rank);
        } else if MESSAGES.iter().any(|message| lower.contains(message)) {
            if facts.stated.kernel_messages.len() < MOST_MESSAGES {
                facts.stated.kernel_messages.push(line.to_owned());
            } else {
                more += 1;
            }
            read.push(rank);
        }
    }
    if more > 0 {
        facts.left_out.push(format!("{more} more kernel messages about nodes"));
    }
    read.into_iter().for_each(|rank| text.mark(rank));
}

/// A line of the kernel's log without its time: `[    0.012345] `.
fn untimed(line: &str) -> &str {
    let rest = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let is_time =
        |time: &str| !time.is_empty() && time.chars().all(|one| one.is_ascii_digit() || " .".contains(one));
    match rest {
        Some((time, rest)) if is_time(time) => rest.trim_start(),
        _ => line,
    }
}

/// Whether a line has the release of a kernel of WSL 2, which runs in no other place: `5.15.90.1-microsoft-standard-WSL2`.
fn is_release_of_wsl(lower: &str) -> bool {
    let mut words = lower.split(|one: char| one.is_whitespace() || one == '"');
    words.any(|word| {
        word.starts_with(|one: char| one.is_ascii_digit()) && word.contains("-microsoft-standard")
    })
}

/// The parameters of a kernel, where a line holds them.
fn command_line(line: &str) -> Option<&str> {
    if line.starts_with("BOOT_IMAGE=") {
        return Some(line);
    }
    let (before, parameters) = line.split_once("ommand line:")?;
    let is_kernels = before == "C" || before.ends_with("Kernel c") || before.ends_with(" C");
    (is_kernels && parameters.contains('=')).then_some(parameters)
}

/// A setting of the kernel in a text.
#[derive(Clone, Copy)]
struct Setting {
    /// The end of its path, and its name for `sysctl`.
    names: [&'static str; 2],
    /// Takes a value in; says whether it is one.
    set: fn(&mut OperatingSystem, &str) -> bool,
}

const SETTINGS: [Setting; 4] = [
    Setting {
        names: ["kernel/numa_balancing", "kernel.numa_balancing"],
        set: |system, value| {
            let mode = value.parse::<u32>().ok();
            system.numa_balancing = mode.map(|mode| mode > 0).or(system.numa_balancing);
            mode.is_some()
        },
    },
    Setting {
        names: ["vm/zone_reclaim_mode", "vm.zone_reclaim_mode"],
        set: |system, value| {
            let mode = value.parse().ok();
            system.zone_reclaim = mode.or(system.zone_reclaim);
            mode.is_some()
        },
    },
    Setting {
        names: ["transparent_hugepage/enabled", "transparent_hugepage/enabled"],
        set: |system, value| {
            let chosen = value.split_once('[').and_then(|(_, rest)| Some(rest.split_once(']')?.0));
            system.transparent_huge_pages =
                chosen.map(str::to_owned).or_else(|| system.transparent_huge_pages.take());
            chosen.is_some()
        },
    },
    Setting {
        names: ["cpufreq/scaling_governor", "cpufreq/scaling_governor"],
        set: |system, value| {
            let is_word = !value.is_empty() && value.bytes().all(|one| one.is_ascii_lowercase());
            if is_word {
                system.governor = Some(value.to_owned());
            }
            is_word
        },
    },
];

/// The setting that a line names, and what follows its name: `/proc/sys/kernel/numa_balancing:1`, `kernel.numa_balancing = 1`.
fn setting(line: &str) -> Option<(Setting, &str)> {
    SETTINGS.into_iter().find_map(|setting| {
        let (before, rest) = setting.names.iter().find_map(|name| line.split_once(name))?;
        // A word before it is a command, or the rest of a path.
        let is_written = before.split_whitespace().any(|word| matches!(word, "echo" | "tee" | ">" | "-w"));
        let value = rest.trim_start_matches([' ', ':', '=', '\t', '<']).trim_end_matches("<==").trim();
        (!is_written).then_some((setting, value.trim_matches(['"', '`'])))
    })
}
