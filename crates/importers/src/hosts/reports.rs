//! What a cluster shell says of its hosts itself, in lines of its own: that one does not answer, or that its command failed.

use super::names::{is_host, is_label};

/// What a cluster shell says of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Report {
    /// The host, or several as the shell folds them.
    pub(crate) host: String,
    pub(crate) message: String,
}

impl Report {
    /// That a host has no line.
    pub(super) fn silent(host: String) -> Self {
        Self { host, message: "it printed nothing".to_owned() }
    }
}

/// `pdsh@head: n09: ssh exited with exit code 255`, `clush: n[05-06] (2): exited with exit code 1`,
/// `srun: error: n05: task 5: Exited with exit code 127` and `ssh: connect to host n05 port 22: No route to host`.
pub(super) fn report(line: &str) -> Option<Report> {
    let line = line.trim();
    let of = |host: &str, message: &str| {
        let is_one = is_host(host) && !is_label(&host.to_ascii_lowercase()) && !message.is_empty();
        is_one.then(|| Report { host: host.to_owned(), message: message.to_owned() })
    };
    let (shell, said) = line.split_once(": ")?;
    if shell == "ssh" {
        let (host, why) = said.strip_prefix("connect to host ")?.split_once(' ')?;
        return of(host, why.split_once(": ").map_or(why, |(_, why)| why).trim());
    }
    if !(shell.starts_with("pdsh@") || shell == "clush" || shell == "srun") {
        return None;
    }
    let (host, message) = said.strip_prefix("error: ").unwrap_or(said).split_once(": ")?;
    let host = host.split_once(" (").map_or(host, |(host, _)| host);
    // `srun --label` calls its hosts by the numbers of their tasks.
    let of_task = message.strip_prefix("task ").and_then(|task| task.split_once(": "));
    match of_task.filter(|(task, _)| task.bytes().all(|one| one.is_ascii_digit())) {
        Some((task, message)) => of(task, message.trim()),
        None => of(host, message.trim()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_shell_name_hosts_and_others_do_not() {
        for (line, host, message) in [
            ("pdsh@head: n09: ssh exited with exit code 255", "n09", "ssh exited with exit code 255"),
            ("pdsh@head: n10: mcmd: connect failed", "n10", "mcmd: connect failed"),
            ("clush: n[05-06] (2): exited with exit code 1", "n[05-06]", "exited with exit code 1"),
            ("srun: error: n05: task 5: Exited with exit code 127", "5", "Exited with exit code 127"),
            ("srun: error: n05: tasks 5-6: Killed", "n05", "tasks 5-6: Killed"),
            ("ssh: connect to host n05 port 22: No route to host", "n05", "No route to host"),
        ] {
            let wanted = Report { host: host.to_owned(), message: message.to_owned() };
            assert_eq!(report(line), Some(wanted), "{line}");
        }
        for line in
            ["n05: bash: mlc: command not found", "clush: 3/8", "srun: warning: n: slow", "Copy: 1: 2"]
        {
            assert_eq!(report(line), None, "{line}");
        }
    }
}
