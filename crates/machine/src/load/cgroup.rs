//! The limits that control groups (versions 1 and 2) set for this process. The tightest limit on the path from its own
//! group to the root counts.

use zerohop_units::Bytes;

use super::reader::{Reader, field};
use crate::PuSet;

const MOUNT: &str = "/sys/fs/cgroup";

/// Limits of the groups that this process is in; `None` means no limit.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Limits {
    pub(super) pus: Option<PuSet>,
    /// Memory nodes, in the form of a PU set.
    pub(super) memory_nodes: Option<PuSet>,
    /// CPU time, in CPUs.
    pub(super) cpu_quota: Option<f64>,
    pub(super) memory: Option<Bytes>,
}

pub(super) fn load(reader: &Reader<'_>) -> Limits {
    let mut limits = Limits::default();
    let membership = reader.text("/proc/self/cgroup").unwrap_or_default();
    for line in membership.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (parts.next(), parts.next()) else { continue };
        for group in groups(controllers, path) {
            limits.tighten(reader, &group);
        }
    }
    limits
}

/// Directories of a group and of its ancestors. A container often sees its own group at the mount point of the root, so
/// directories that the path names may be missing.
fn groups(controllers: &str, path: &str) -> Vec<String> {
    let mounts: Vec<String> = if controllers.is_empty() {
        // In hybrid mode, version 2 is mounted below version 1.
        vec![MOUNT.to_owned(), format!("{MOUNT}/unified")]
    } else {
        // Several controllers may share a mount, whose name lists them.
        controllers.split(',').chain([controllers]).map(|name| format!("{MOUNT}/{name}")).collect()
    };
    let mut groups = Vec::new();
    for mut directory in mounts {
        groups.push(directory.clone());
        for component in path.split('/').filter(|component| !component.is_empty()) {
            directory = format!("{directory}/{component}");
            groups.push(directory.clone());
        }
    }
    groups
}

impl Limits {
    fn tighten(&mut self, reader: &Reader<'_>, group: &str) {
        let set = |names: [&str; 2]| {
            let found = names.iter().find_map(|name| reader.list(&format!("{group}/{name}")));
            // An empty set means that the parent group's set holds.
            found.filter(|set| !set.is_empty())
        };
        let both =
            |had: Option<PuSet>, new: PuSet| Some(had.map_or(new.clone(), |had| had.intersection(&new)));
        if let Some(pus) = set(["cpuset.cpus.effective", "cpuset.effective_cpus"]) {
            self.pus = both(self.pus.take(), pus);
        }
        if let Some(nodes) = set(["cpuset.mems.effective", "cpuset.effective_mems"]) {
            self.memory_nodes = both(self.memory_nodes.take(), nodes);
        }
        if let Some(quota) = cpu_quota(reader, group) {
            self.cpu_quota = Some(self.cpu_quota.map_or(quota, |had| had.min(quota)));
        }
        if let Some(memory) = memory(reader, group) {
            self.memory = Some(self.memory.map_or(memory, |had| had.min(memory)));
        }
    }
}

fn cpu_quota(reader: &Reader<'_>, group: &str) -> Option<f64> {
    let (quota, period) = match reader.text(&format!("{group}/cpu.max")) {
        Some(text) => {
            let mut words = text.split_whitespace().map(|word| word.parse::<f64>().ok());
            (words.next()??, words.next()??)
        }
        None => {
            let microseconds = |file: &str| reader.number::<i64>(&format!("{group}/{file}"));
            (microseconds("cpu.cfs_quota_us")? as f64, microseconds("cpu.cfs_period_us")? as f64)
        }
    };
    // Version 1 writes -1 for no limit.
    let cpus = quota / period;
    (quota > 0.0 && period > 0.0 && cpus.is_finite()).then_some(cpus)
}

fn memory(reader: &Reader<'_>, group: &str) -> Option<Bytes> {
    // Version 1 writes the largest number of whole pages for no limit.
    const NO_LIMIT: u64 = 1 << 60;
    // Above `memory.high`, the kernel lets processes sleep, so that it is a limit as well.
    let limits = ["memory.max", "memory.high", "memory.limit_in_bytes"].into_iter().filter_map(|file| {
        let text = reader.text(&format!("{group}/{file}"))?;
        text.parse().ok().filter(|&limit| limit < NO_LIMIT).map(Bytes)
    });
    limits.min()
}

/// PUs that this process may run on.
pub(super) fn affinity(reader: &Reader<'_>) -> Option<PuSet> {
    status_list(reader, "Cpus_allowed_list")
}

/// A list of PUs or nodes that the kernel gives for this process.
pub(super) fn status_list(reader: &Reader<'_>, key: &str) -> Option<PuSet> {
    let Some(text) = reader.text("/proc/self/status") else {
        reader.gap("affinity: no /proc/self/status, so all PUs and nodes count as allowed");
        return None;
    };
    let set = field(&text, key)?.parse();
    if set.is_err() {
        reader.gap(format!("/proc/self/status: {key} is not a list of numbers"));
    }
    set.ok()
}

/// An anonymous name for each component of the groups' paths, which may name users, pods and containers.
pub(crate) fn anonymous_names(membership: &str) -> Vec<(String, String)> {
    // If a group has the name of a controller, replacing it would also rename the controller's mount point.
    let controllers: Vec<&str> = membership
        .lines()
        .filter_map(|line| line.split(':').nth(1))
        .flat_map(|names| names.split(','))
        .collect();
    let mut names: Vec<(String, String)> = Vec::new();
    for path in membership.lines().filter_map(|line| line.splitn(3, ':').nth(2)) {
        for component in path.split('/').filter(|component| !component.is_empty()) {
            if !controllers.contains(&component) && names.iter().all(|(name, _)| name != component) {
                names.push((component.to_owned(), format!("group{}", names.len() + 1)));
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capture;

    fn limits<const N: usize>(files: [(&str, &str); N]) -> Limits {
        load(&Reader::new(&Capture::from_files(files)))
    }

    #[test]
    fn the_tightest_limit_on_the_path_counts() {
        let read = limits([
            ("/proc/self/cgroup", "0::/a/b\n"),
            ("/sys/fs/cgroup/cpuset.cpus.effective", "0-7\n"),
            ("/sys/fs/cgroup/a/cpuset.cpus.effective", "0-3\n"),
            ("/sys/fs/cgroup/a/b/cpuset.cpus.effective", "\n"),
            ("/sys/fs/cgroup/a/cpuset.mems.effective", "1\n"),
            ("/sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
            ("/sys/fs/cgroup/a/b/cpu.max", "max 100000\n"),
            ("/sys/fs/cgroup/a/memory.max", "1073741824\n"),
            ("/sys/fs/cgroup/a/b/memory.max", "2147483648\n"),
        ]);
        assert_eq!(read.pus, "0-3".parse().ok());
        assert_eq!(read.memory_nodes, "1".parse().ok());
        assert_eq!(read.cpu_quota, Some(1.5));
        assert_eq!(read.memory, Some(Bytes::gib(1)));
    }

    #[test]
    fn version_1_controllers_are_found_alone_and_together() {
        let read = limits([
            ("/proc/self/cgroup", "4:cpu,cpuacct:/x\n3:memory:/x\n2:cpuset:/\n1:name=systemd:/\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_quota_us", "50000\n"),
            ("/sys/fs/cgroup/cpu,cpuacct/x/cpu.cfs_period_us", "100000\n"),
            ("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("/sys/fs/cgroup/cpuset/cpuset.effective_cpus", "1\n"),
        ]);
        assert_eq!(read.cpu_quota, Some(0.5));
        assert_eq!(read.memory, None);
        assert_eq!(read.pus, "1".parse().ok());
    }

    #[test]
    fn no_limit_is_no_limit() {
        let read = limits([
            ("/proc/self/cgroup", "1:cpu:/\n0::/\n"),
            ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n"),
            ("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"),
            ("/sys/fs/cgroup/memory.max", "max\n"),
            ("/sys/fs/cgroup/memory.high", "max\n"),
        ]);
        assert_eq!(read, Limits::default());
    }

    #[test]
    fn where_the_kernel_begins_to_throttle_is_a_limit() {
        let read = limits([
            ("/proc/self/cgroup", "0::/a\n"),
            ("/sys/fs/cgroup/a/memory.max", "2147483648\n"),
            ("/sys/fs/cgroup/a/memory.high", "1073741824\n"),
        ]);
        assert_eq!(read.memory, Some(Bytes::gib(1)));
    }
}
