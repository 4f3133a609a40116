//! A mapping of a process: a line of `/proc/PID/numa_maps`.

use schemars::JsonSchema;
use serde::Serialize;
use zerohop_machine::NodeId;
use zerohop_units::Bytes;

use crate::spread::Spread;

/// A range of a process's memory, with the location of its pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Mapping {
    /// Start address as the kernel prints it, in hexadecimal.
    pub address: String,
    /// Memory policy of new pages, in the kernel's notation: `default`, `bind:0`, `interleave:0-1`, …
    pub policy: String,
    /// Content of the mapping.
    pub contents: Contents,
    /// Page size in the page table, in bytes; transparent huge pages count as small ones here.
    pub page_bytes: Bytes,
    /// Bytes on each node.
    pub bytes: Spread,
}

/// Content of a mapping.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Contents {
    /// The heap that `brk` extends.
    Heap,
    /// The stack of the first thread.
    Stack,
    /// Anonymous memory: allocations, stacks of threads.
    Anonymous,
    /// A file, or memory that is shared under a file's name.
    File {
        /// Path of the file, as the kernel prints it.
        path: String,
    },
}

/// Why a line of `numa_maps` is not understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: `{word}` is not {expected}")]
pub struct ParseMappingError {
    /// The line's number, from 1.
    pub line: usize,
    pub word: String,
    /// What was expected there.
    pub expected: &'static str,
}

/// The page size of mappings whose line does not state it: kernels before 3.2 did not.
const PAGE: Bytes = Bytes::kib(4);

impl Mapping {
    /// The mappings in the text of `numa_maps`. Mappings without pages are left out.
    ///
    /// # Errors
    /// When a line is not in the kernel's form.
    pub fn of_numa_maps(text: &str) -> Result<Vec<Self>, ParseMappingError> {
        let mut mappings = Vec::new();
        for (rank, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let mapping = Self::of_line(line).map_err(|(word, expected)| ParseMappingError {
                line: rank + 1,
                word,
                expected,
            })?;
            if mapping.bytes.total() > Bytes(0) {
                mappings.push(mapping);
            }
        }
        Ok(mappings)
    }

    fn of_line(line: &str) -> Result<Self, (String, &'static str)> {
        let mut words = line.split_ascii_whitespace();
        let address = words.next().unwrap_or_default();
        if u64::from_str_radix(address, 16).is_err() {
            return Err((address.to_owned(), "an address (expected for example `7f3c00000000`)"));
        }
        let policy = words.next().ok_or((String::new(), "a policy (expected for example `default`)"))?;
        let mut contents = Contents::Anonymous;
        let mut page = PAGE;
        let mut pages: Vec<(NodeId, u64)> = Vec::new();
        for word in words {
            let (key, value) = word.split_once('=').unwrap_or((word, ""));
            match key {
                "heap" => contents = Contents::Heap,
                "stack" => contents = Contents::Stack,
                "file" => contents = Contents::File { path: unescaped(value) },
                "kernelpagesize_kB" => {
                    let wrong =
                        || (word.to_owned(), "a page size (expected for example `kernelpagesize_kB=4`)");
                    let size = value.parse::<u64>().ok().filter(|size| *size > 0).ok_or_else(wrong)?;
                    page = Bytes(size.checked_mul(1024).ok_or_else(wrong)?);
                }
                _ => {
                    let node = key.strip_prefix('N').and_then(|node| node.parse().ok());
                    if let Some(node) = node.map(NodeId) {
                        let wrong = (word.to_owned(), "a number of pages (expected for example `N0=17`)");
                        pages.push((node, value.parse().map_err(|_| wrong)?));
                    }
                }
            }
        }
        let bytes = pages.into_iter().map(|(node, pages)| (node, Bytes(pages.saturating_mul(page.get()))));
        Ok(Self {
            address: address.to_owned(),
            policy: policy.to_owned(),
            contents,
            page_bytes: page,
            bytes: bytes.collect(),
        })
    }
}

/// A path as the kernel prints it, with white space and backslashes as octal numbers.
fn unescaped(path: &str) -> String {
    let mut bytes = Vec::with_capacity(path.len());
    let mut rest = path.as_bytes();
    while let [first, tail @ ..] = rest {
        let number = (*first == b'\\').then(|| tail.get(..3)).flatten();
        let number = number.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 8).ok());
        match number {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[3..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TEXT: &str = "\
55d0c0a00000 default file=/usr/bin/my\\040server mapped=40 mapmax=2 active=38 N0=10 N2=30 kernelpagesize_kB=4
55d0c2000000 default heap anon=700 dirty=700 N0=700 kernelpagesize_kB=4
7f0000000000 bind:0-1 anon=3 dirty=3 N0=1 N1=2 kernelpagesize_kB=2048
7f1000000000 prefer (many):1 file=/dev/zero\\040(deleted) dirty=5 N1=5 kernelpagesize_kB=4
7f2000000000 default
7ffc00000000 default stack anon=4 dirty=4 N2=4 kernelpagesize_kB=4
";

    #[test]
    fn every_kind_of_line_is_read() {
        let mappings = Mapping::of_numa_maps(TEXT).unwrap();
        let contents: Vec<&Contents> = mappings.iter().map(|mapping| &mapping.contents).collect();
        let file = |path: &str| Contents::File { path: path.to_owned() };
        assert_eq!(
            contents,
            [
                &file("/usr/bin/my server"),
                &Contents::Heap,
                &Contents::Anonymous,
                &file("/dev/zero (deleted)"),
                &Contents::Stack
            ]
        );
        assert_eq!(mappings[0].bytes.on(NodeId(2)), Bytes::kib(120));
        assert_eq!(mappings[2].bytes.on(NodeId(1)), Bytes::mib(4));
        assert_eq!(mappings[2].policy, "bind:0-1");
    }

    #[test]
    fn a_line_in_another_form_is_refused_with_its_number() {
        let message = |text: &str| Mapping::of_numa_maps(text).unwrap_err().to_string();
        assert_eq!(
            message("7f00 default N0=1\nhello"),
            "line 2: `hello` is not an address (expected for example `7f3c00000000`)"
        );
        assert!(message("7f00 default N0=many").contains("a number of pages"));
        assert!(message("7f00 default N0=1 kernelpagesize_kB=0").contains("a page size"));
        assert!(message("7f00").contains("a policy"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "([0-9a-f]{1,17} )?(default|bind:0|N0=[0-9]{1,25}|kernelpagesize_kB=[0-9]{1,22}|file=[\\\\0-9a-z]*| |\n|\\PC){0,12}") {
            drop(Mapping::of_numa_maps(&text));
        }
    }
}
