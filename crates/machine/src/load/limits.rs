//! The `ulimit` limits of this process.

use zerohop_units::Bytes;

use super::reader::Reader;

/// Lines of `/proc/self/limits` that limit what a process maps: `ulimit -v` and `ulimit -d`.
const MEMORY: [&str; 2] = ["Max address space", "Max data size"];

/// Memory that this process may map; `None` means no limit. The tighter of the two limits counts.
pub(super) fn memory(reader: &Reader<'_>) -> Option<Bytes> {
    let text = reader.text("/proc/self/limits")?;
    let limits = text.lines().filter(|line| is_kept(line)).filter_map(|line| {
        let limit = MEMORY.iter().find_map(|name| line.strip_prefix(name))?;
        // The soft limit comes first. The word `unlimited` does not parse as a number.
        limit.split_whitespace().next()?.parse().ok().map(Bytes)
    });
    limits.min()
}

/// Whether a line is read.
pub(crate) fn is_kept(line: &str) -> bool {
    MEMORY.iter().any(|name| line.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Capture;

    fn limit(text: &str) -> Option<Bytes> {
        memory(&Reader::new(&Capture::from_files([("/proc/self/limits", text)])))
    }

    #[test]
    fn the_tighter_soft_limit_counts() {
        let head = "Limit                     Soft Limit           Hard Limit           Units     \n";
        let address = "Max address space         307200000            unlimited            bytes     \n";
        let data = "Max data size             1048576              2097152              bytes     \n";
        assert_eq!(limit(&format!("{head}{address}")), Some(Bytes(307_200_000)));
        assert_eq!(limit(&format!("{head}{data}{address}")), Some(Bytes::mib(1)));
        assert_eq!(
            limit("Max address space         unlimited            unlimited            bytes\n"),
            None
        );
        assert_eq!(limit(head), None);
    }
}
