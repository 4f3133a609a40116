//! Which words can be names of hosts.

/// Words before a colon in the output of tools that are no hosts.
const LABELS: [&str; 18] = [
    "copy",
    "scale",
    "add",
    "triad",
    "dot",
    "warning",
    "error",
    "note",
    "local",
    "remote",
    "interleaved",
    "all",
    "total",
    "node",
    "srat",
    "slit",
    "acpi",
    "numa",
];

/// Parts of a machine, which have numbers as hosts do. (`node1` may be either.)
const PARTS: [&str; 6] = ["socket", "numa", "cpu", "core", "thread", "gpu"];

/// Whether a word in lower case, before a colon, is no host.
pub(super) fn is_label(lower: &str) -> bool {
    let word = lower.trim_end_matches(|one: char| one.is_ascii_digit());
    LABELS.contains(&lower) || PARTS.contains(&word)
}

/// Whether a word can be the name of a host, or of several: `node[01-04]`, `a,b`.
pub(super) fn is_host(word: &str) -> bool {
    const LONGEST: usize = 120;
    let allowed =
        |one: char| one.is_ascii_alphanumeric() || matches!(one, '.' | '-' | '_' | '[' | ']' | ',' | '/');
    word.len() <= LONGEST
        && word.starts_with(|one: char| one.is_ascii_alphanumeric())
        && word.chars().all(allowed)
}
