//! The privacy filter: it keeps private parts of a machine's files out of a capture.

use crate::load;

/// Drops or rewrites text that identifies a host, its users, its containers or the owners of its parts.
pub(crate) struct Filter {
    /// Names of control groups, with their replacements.
    group_names: Vec<(String, String)>,
}

impl Filter {
    /// A filter for a process in these control groups (`/proc/self/cgroup`).
    pub(crate) fn new(membership: &[u8]) -> Self {
        Self { group_names: load::anonymous_names(&String::from_utf8_lossy(membership)) }
    }

    /// The path and content of a file for the capture; `None` if the file is left out.
    pub(crate) fn file(&self, path: &str, content: &[u8]) -> Option<(String, Vec<u8>)> {
        Some((self.path(path), self.content(path, content)?))
    }

    /// A path for the capture.
    pub(crate) fn path(&self, path: &str) -> String {
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
            "/proc/self/limits" => {
                lines(&text(), |line| load::is_memory_limit(line).then(|| line.to_owned()))
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

/// `/proc/cpuinfo` with only the keys that are read, and the long list of features only for the first PU.
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
