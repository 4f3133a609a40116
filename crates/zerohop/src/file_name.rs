//! Names of machines as names of files.

use twox_hash::XxHash3_64;

/// File systems take names of 255 bytes; the rest is for what follows.
const LONGEST: usize = 200;

/// A machine's name as part of a file's name, on any file system. Of a name that is too long, the beginning and a digest: machines with
/// many settings differ somewhere in the middle.
pub(crate) fn file_name(machine: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let name: String = machine.trim_start_matches('.').chars().map(plain).collect();
    match name.len() {
        0 => "machine".to_owned(),
        length if length <= LONGEST => name,
        _ => format!("{}-{:016x}", &name[..LONGEST - 17], XxHash3_64::oneshot(machine.as_bytes())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_machine_leads_out_of_the_directory() {
        assert_eq!(file_name("node-07.cluster"), "node-07.cluster");
        assert_eq!(file_name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!(file_name(""), "machine");
        assert_eq!(file_name(".."), "machine");
    }

    /// Ten `--set` made a name that no file system takes: "File name too long".
    #[test]
    fn names_of_machines_with_many_settings_fit_and_stay_apart() {
        let name = |last: &str| file_name(&format!("{}{last}", "wire.socket.packets.data=92 B,".repeat(20)));
        assert_eq!(name("links=3").len(), LONGEST);
        assert_ne!(name("links=3"), name("links=2"));
        assert_eq!(name("links=3"), name("links=3"));
    }
}
