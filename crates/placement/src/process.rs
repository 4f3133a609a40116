//! A process: its mappings and its threads.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::{FileTree, ReadError};

use crate::mapping::{Mapping, ParseMappingError};
use crate::spread::Spread;
use crate::thread::{ParseThreadError, Thread};

/// Id of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct ProcessId(pub u32);

impl fmt::Display for ProcessId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// A process, with the location of its pages and threads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Process {
    /// Id of the process.
    pub id: ProcessId,
    /// Command line in shell syntax, or the process name in brackets if it has none.
    pub command: String,
    /// Mappings with pages.
    pub mappings: Vec<Mapping>,
    /// Threads of the process.
    pub threads: Vec<Thread>,
}

/// Why a process cannot be looked at.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProcessError {
    /// There is none of that number.
    #[error("no process {0}")]
    Absent(ProcessId),
    /// It belongs to somebody else.
    #[error("process {0} belongs to another user, so its memory cannot be read")]
    Denied(ProcessId),
    /// The kernel does not list pages by node.
    #[error("this kernel does not report the pages of process {0} by node")]
    NoNodes(ProcessId),
    /// A file of it cannot be read.
    #[error("cannot read {path}: {error}")]
    Unreadable { path: String, error: ReadError },
    /// Its list of mappings is not understood.
    #[error("{path}: {error}")]
    Mappings { path: String, error: ParseMappingError },
    /// A thread's state is not understood.
    #[error("{path}: {error}")]
    Thread { path: String, error: ParseThreadError },
}

impl ProcessError {
    /// What the user can do about it.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Absent(_) => {
                "it has exited, or the number belongs to another namespace; `ps` lists processes"
            }
            Self::Denied(_) => {
                "run zerohop as that user, or as root; in a container, root also needs a capability (`--cap-add SYS_PTRACE`)"
            }
            Self::NoNodes(_) => "use a kernel built with CONFIG_NUMA and CONFIG_PROC_PAGE_MONITOR",
            Self::Unreadable { .. } => "/proc must be mounted, and show this process",
            Self::Mappings { .. } | Self::Thread { .. } => {
                "this kernel uses an unknown format; please report it with the line"
            }
        }
    }
}

impl Process {
    /// Looks at a process.
    ///
    /// # Errors
    /// When there is none, or it may not or cannot be looked at.
    pub fn read(tree: &dyn FileTree, id: ProcessId) -> Result<Self, ProcessError> {
        let path = format!("/proc/{id}/numa_maps");
        let maps = match tree.read(&path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(ReadError::Denied) => return Err(ProcessError::Denied(id)),
            Err(ReadError::Absent) if tree.list(&format!("/proc/{id}")).is_ok() => {
                return Err(ProcessError::NoNodes(id));
            }
            Err(error @ ReadError::Absent) if processes(tree).is_empty() => {
                return Err(ProcessError::Unreadable { path, error });
            }
            Err(ReadError::Absent) => return Err(ProcessError::Absent(id)),
            // A process that ends while it is read.
            Err(ReadError::Failed(_)) if tree.list(&format!("/proc/{id}/task")).is_err() => {
                return Err(ProcessError::Absent(id));
            }
            Err(error) => return Err(ProcessError::Unreadable { path, error }),
        };
        let mappings =
            Mapping::of_numa_maps(&maps).map_err(|error| ProcessError::Mappings { path, error })?;
        Ok(Self { id, command: command(tree, id), mappings, threads: threads(tree, id)? })
    }

    /// Where all its pages are.
    pub fn bytes(&self) -> Spread {
        let mut bytes = Spread::default();
        self.mappings.iter().for_each(|mapping| bytes.add_all(&mapping.bytes));
        bytes
    }
}

fn threads(tree: &dyn FileTree, id: ProcessId) -> Result<Vec<Thread>, ProcessError> {
    let directory = format!("/proc/{id}/task");
    let names = tree.list(&directory).map_err(|_| ProcessError::Absent(id))?;
    let mut ids: Vec<u32> = names.iter().filter_map(|name| name.parse().ok()).collect();
    ids.sort_unstable();
    let mut threads = Vec::with_capacity(ids.len());
    for thread in ids {
        let path = format!("{directory}/{thread}/stat");
        // A thread that has ended since is none.
        let Some(stat) = text(tree, &path) else { continue };
        let status = text(tree, &format!("{directory}/{thread}/status")).unwrap_or_default();
        threads.push(Thread::of_stat(&stat, &status).map_err(|error| ProcessError::Thread { path, error })?);
    }
    Ok(threads)
}

fn command(tree: &dyn FileTree, id: ProcessId) -> String {
    let words = text(tree, &format!("/proc/{id}/cmdline")).unwrap_or_default();
    let words: Vec<&str> = words.split('\0').filter(|word| !word.is_empty()).collect();
    match shlex::try_join(words.iter().copied()) {
        Ok(line) if !words.is_empty() => line,
        _ => format!("[{}]", name(tree, id)),
    }
}

fn name(tree: &dyn FileTree, id: ProcessId) -> String {
    text(tree, &format!("/proc/{id}/comm")).unwrap_or_default().trim_end().to_owned()
}

/// The processes that the tree shows.
pub fn processes(tree: &dyn FileTree) -> Vec<ProcessId> {
    let mut ids: Vec<ProcessId> = tree
        .list("/proc")
        .unwrap_or_default()
        .iter()
        .filter_map(|name| name.parse().ok())
        .map(ProcessId)
        .collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// The processes of that name: the name that `ps -e` shows, or the file name of the program.
pub fn processes_named(tree: &dyn FileTree, wanted: &str) -> Vec<ProcessId> {
    // Threads of the kernel have no program: its name is as empty as `$PID` that is not set.
    if wanted.is_empty() {
        return Vec::new();
    }
    let is_called = |&id: &ProcessId| {
        // The kernel keeps the first 15 bytes of a name.
        let called = name(tree, id);
        let program = text(tree, &format!("/proc/{id}/cmdline")).unwrap_or_default();
        let program = program.split('\0').next().unwrap_or_default();
        called == wanted || program.rsplit('/').next() == Some(wanted)
    };
    processes(tree).into_iter().filter(is_called).collect()
}

/// A process and those that it has started, directly or indirectly, as far as they still run.
pub fn family(tree: &dyn FileTree, first: ProcessId) -> Vec<ProcessId> {
    let parents: Vec<(ProcessId, ProcessId)> = processes(tree)
        .into_iter()
        .filter_map(|id| Some((id, parent(&text(tree, &format!("/proc/{id}/stat"))?)?)))
        .collect();
    let mut family = vec![first];
    // Each is looked at once: numbers are unique, and only new ones are added.
    let mut next = 0;
    while let Some(&of) = family.get(next) {
        let children = parents.iter().filter(|(id, parent)| *parent == of && !family.contains(id));
        let children: Vec<ProcessId> = children.map(|(id, _)| *id).collect();
        family.extend(children);
        next += 1;
    }
    family
}

/// The fourth field of a process's `stat`, after a name that may hold blanks and parentheses.
fn parent(stat: &str) -> Option<ProcessId> {
    stat.rsplit_once(") ")?.1.split_ascii_whitespace().nth(1)?.parse().ok().map(ProcessId)
}

/// Whether a process maps the file at that path.
pub fn maps_file(tree: &dyn FileTree, id: ProcessId, path: &str) -> bool {
    let maps = text(tree, &format!("/proc/{id}/maps")).unwrap_or_default();
    // The sixth field; blanks within a path are printed as they are.
    maps.lines().any(|line| line.find('/').is_some_and(|start| &line[start..] == path))
}

fn text(tree: &dyn FileTree, path: &str) -> Option<String> {
    tree.read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use zerohop_machine::{NodeId, PuId};
    use zerohop_units::Bytes;

    use super::*;

    struct Files(BTreeMap<String, Result<&'static str, ReadError>>);

    impl FileTree for Files {
        fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
            let file = self.0.get(path).cloned().unwrap_or(Err(ReadError::Absent));
            file.map(|text| text.as_bytes().to_vec())
        }

        fn list(&self, directory: &str) -> Result<Vec<String>, ReadError> {
            let prefix = format!("{directory}/");
            let names = self.0.keys().filter_map(|path| path.strip_prefix(&prefix)?.split('/').next());
            let names: Vec<String> = names.map(str::to_owned).collect();
            if names.is_empty() { Err(ReadError::Absent) } else { Ok(names) }
        }
    }

    const STAT: &str = "7 (llama) R 1 0 0 0 0 0 0 0 0 0 40 2 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0";

    fn llama() -> BTreeMap<String, Result<&'static str, ReadError>> {
        let maps = "7f00 default file=/models/a.gguf mapped=4 N1=4 kernelpagesize_kB=4\n7f10 default anon=1 N0=1 kernelpagesize_kB=4\n";
        let files = [
            ("/proc/7/numa_maps", maps),
            ("/proc/7/comm", "llama\n"),
            ("/proc/7/cmdline", "/opt/bin/llama-server\0-m\0a; b.gguf\0"),
            ("/proc/7/maps", "7f00-7f04 r--s 00000000 08:01 42    /models/a.gguf\n"),
            ("/proc/7/task/7/stat", STAT),
            ("/proc/7/task/7/status", "Cpus_allowed_list:\t4-7\n"),
        ];
        files.into_iter().map(|(path, text)| (path.to_owned(), Ok(text))).collect()
    }

    #[test]
    fn a_process_is_its_mappings_and_threads() {
        let process = Process::read(&Files(llama()), ProcessId(7)).unwrap();
        assert_eq!(process.command, "/opt/bin/llama-server -m 'a; b.gguf'");
        assert_eq!(process.bytes().on(NodeId(1)), Bytes::kib(16));
        assert_eq!(process.threads[0].pu, PuId(5));
        assert_eq!(process.threads[0].ticks, 42);
    }

    #[test]
    fn what_is_missing_is_named() {
        let error = |change: &dyn Fn(&mut BTreeMap<_, _>)| {
            let mut files = llama();
            change(&mut files);
            Process::read(&Files(files), ProcessId(7)).unwrap_err()
        };
        let alone =
            |files: &mut BTreeMap<_, _>| *files = BTreeMap::from([("/proc/1/stat".to_owned(), Ok(""))]);
        assert_eq!(error(&alone), ProcessError::Absent(ProcessId(7)));
        // Without /proc, the process was said to have ended.
        let nothing = error(&|files| files.clear());
        assert_eq!(nothing.to_string(), "cannot read /proc/7/numa_maps: not there");
        assert_eq!(nothing.hint(), "/proc must be mounted, and show this process");
        let path = || "/proc/7/numa_maps".to_owned();
        assert_eq!(error(&|files| drop(files.remove(&path()))), ProcessError::NoNodes(ProcessId(7)));
        let denied = error(&|files| drop(files.insert(path(), Err(ReadError::Denied))));
        assert_eq!(denied, ProcessError::Denied(ProcessId(7)));
        let other = error(&|files| drop(files.insert(path(), Ok("what"))));
        assert!(
            other.to_string().starts_with("/proc/7/numa_maps: line 1: `what` is not an address"),
            "{other}"
        );
    }

    #[test]
    fn a_family_is_a_process_and_all_that_it_started() {
        let stats = [
            ("/proc/7/stat", "7 (a) S 1 0"),
            ("/proc/8/stat", "8 (b) c) S 7 0"),
            ("/proc/9/stat", "9 (d) S 8 0"),
            ("/proc/10/stat", "10 (e) S 1 0"),
        ];
        let files = Files(stats.into_iter().map(|(path, text)| (path.to_owned(), Ok(text))).collect());
        assert_eq!(family(&files, ProcessId(7)), [ProcessId(7), ProcessId(8), ProcessId(9)]);
        assert_eq!(family(&files, ProcessId(11)), [ProcessId(11)]);
    }

    #[test]
    fn processes_are_found_by_name_program_and_file() {
        let files = Files(llama());
        assert_eq!(processes_named(&files, "llama"), [ProcessId(7)]);
        assert_eq!(processes_named(&files, "llama-server"), [ProcessId(7)]);
        assert!(processes_named(&files, "opt").is_empty());
        assert!(maps_file(&files, ProcessId(7), "/models/a.gguf"));
        assert!(!maps_file(&files, ProcessId(7), "/models/a"));
    }

    /// `zerohop where "$PID"` without a PID showed all threads of the kernel.
    #[test]
    fn no_process_has_an_empty_name() {
        let thread_of_kernel = [("/proc/2/comm", "kthreadd\n"), ("/proc/2/cmdline", "")];
        let files: BTreeMap<_, _> = thread_of_kernel.map(|(path, text)| (path.to_owned(), Ok(text))).into();
        assert!(processes_named(&Files(files), "").is_empty());
    }
}
