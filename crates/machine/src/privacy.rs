//! What of a machine's files is nobody else's business, and is left out of a capture.

use crate::{Capture, FileTree, load};

/// Drops or rewrites what names a host, its users, its containers or its parts' owners.
pub(crate) struct Filter {
    /// Names of control groups, and what stands for them.
    group_names: Vec<(String, String)>,
}

impl Filter {
    pub(crate) fn new(capture: &Capture) -> Self {
        let membership = capture.read("/proc/self/cgroup").unwrap_or_default();
        Self { group_names: load::anonymous_names(&String::from_utf8_lossy(&membership)) }
    }

    pub(crate) fn apply(&self, capture: &mut Capture) {
        capture.rewrite(|path, content| Some((self.path(path), self.content(path, content)?)));
        capture.rename(|path| self.path(path));
    }

    fn path(&self, path: &str) -> String {
        if path.starts_with("/sys/fs/cgroup/") { self.anonymous(path) } else { path.to_owned() }
    }

    /// The path with the groups' names replaced.
    fn anonymous(&self, path: &str) -> String {
        let replace = |component| {
            let known = self.group_names.iter().find(|(name, _)| name == component);
            known.map_or(component, |(_, replacement)| replacement.as_str())
        };
        path.split('/').map(replace).collect::<Vec<_>>().join("/")
    }

    fn content(&self, path: &str, content: &[u8]) -> Option<Vec<u8>> {
        let text = || String::from_utf8_lossy(content);
        let kept = match path {
            "/proc/sys/kernel/hostname" => return None,
            "/proc/cmdline" => load::relevant_kernel_parameters(&text()).join(" ").into_bytes(),
            "/proc/cpuinfo" => processors(&text()).into_bytes(),
            "/proc/self/status" => {
                lines(&text(), |line| line.contains("s_allowed_list:").then(|| line.to_owned()))
            }
            "/proc/self/cgroup" => lines(&text(), |line| {
                let (controllers, path) = line.split_at(line.match_indices(':').nth(1)?.0 + 1);
                Some(format!("{controllers}{}", self.anonymous(path)))
            }),
            "/proc/self/auxv" => load::page_size_entry(content)?.to_vec(),
            "/sys/firmware/dmi/tables/DMI" => load::memory_devices_only(content),
            _ => content.to_vec(),
        };
        Some(kept)
    }
}

fn lines(text: &str, change: impl Fn(&str) -> Option<String>) -> Vec<u8> {
    text.lines().filter_map(change).flat_map(|line| (line + "\n").into_bytes()).collect()
}

/// `/proc/cpuinfo` with the keys that are read; the long list of abilities for the first PU only.
fn processors(text: &str) -> String {
    let mut listed = false;
    let mut kept = String::new();
    for line in text.lines() {
        let key = line.split(':').next().unwrap_or_default().trim();
        let is_ability = matches!(key, "flags" | "Features");
        if !line.trim().is_empty() && (!load::PROCESSOR_KEYS.contains(&key) || is_ability && listed) {
            continue;
        }
        listed |= is_ability;
        kept.push_str(line);
        kept.push('\n');
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_hosts_users_and_containers_are_left_out() {
        let host = Capture::from_files([
            ("/proc/sys/kernel/hostname", "SECRET-host\n"),
            ("/proc/cmdline", "root=UUID=SECRET hugepages=4 token=SECRET\n"),
            ("/proc/cpuinfo", "processor : 0\nSerial : SECRET\nflags : fpu\n\nprocessor : 1\nflags : fpu\n"),
            ("/proc/self/status", "Name:\tSECRET\nCpus_allowed_list:\t0-1\n"),
            ("/proc/self/cgroup", "4:memory:/SECRET-pod/memory\n0::/SECRET-pod\n"),
            ("/sys/fs/cgroup/memory/SECRET-pod/memory.limit_in_bytes", "1048576\n"),
        ]);
        let capture = Capture::record(&host).unwrap();
        let text = capture.to_json();
        assert!(!text.contains("SECRET"), "{text}");
        assert_eq!(text.matches("flags").count(), 1, "{text}");
        let (live, replayed) =
            (crate::Machine::load(&host).unwrap(), crate::Machine::load(&capture).unwrap());
        assert_eq!(replayed, crate::Machine { name: String::new(), ..live });
        assert_eq!(replayed.system.memory_limit, Some(zerohop_units::Bytes::mib(1)));
    }
}
