//! What an archive survives: kills, writers at once, full disks, damage.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Instant;

use crate::drawn::Drawn;
use crate::server::Server;
use crate::{ids, printed, said, zerohop};

/// Results that one add has to write: several batches.
const RESULTS: u64 = 400;

fn draw(folder: &Path, machine: u64, results: u64) -> BTreeSet<String> {
    let drawn = (0..results).map(|day| Drawn { cells: 16, ..Drawn::new(machine, day) });
    let ids = drawn.map(|drawn| {
        drawn.write(folder);
        drawn.id()
    });
    ids.collect()
}

fn start(folder: &Path, archive: &str, arguments: &[&str]) -> Child {
    let mut command = zerohop(folder, archive);
    command.args(arguments).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
fn a_kill_in_the_middle_of_an_add_leaves_what_was_committed_and_no_half() {
    let folder = tempfile::tempdir().unwrap();
    survives_kills(folder.path(), "a.sqlite", 6);
}

#[test]
#[ignore = "long: a hundred kills"]
fn a_hundred_kills_leave_what_was_committed_and_no_half_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    survives_kills(folder.path(), "a.sqlite", 100);
}

#[test]
#[ignore = "long: a hundred kills, and starts a server of PostgreSQL"]
fn a_hundred_kills_leave_what_was_committed_and_no_half_on_a_server() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(None));
    survives_kills(folder.path(), &server.url(), 100);
}

/// Kills adds at moments that are spread over the time that one takes, and begins again with an empty archive whenever all is there.
fn survives_kills(folder: &Path, archive: &str, kills: u32) {
    let all = draw(&folder.join("in"), 1, RESULTS);
    let begun = Instant::now();
    printed(folder, archive, &["archive", "add", "in", "-q"]);
    let whole = begun.elapsed();
    let empty = || {
        printed(folder, archive, &["archive", "prune", "node-01", "--keep", "0", "-q"]);
    };
    empty();
    let mut before = BTreeSet::new();
    let mut in_between = 0;
    for kill in 0..kills {
        // A golden section spreads any number of moments evenly.
        let moment = whole.mul_f64((f64::from(kill) * 0.618_034).fract() * 1.1);
        let mut child = start(folder, archive, &["archive", "add", "in", "-q"]);
        sleep(moment);
        child.kill().unwrap();
        child.wait().unwrap();
        let now: BTreeSet<String> = ids(folder, archive).into_iter().collect();
        assert!(now.is_superset(&before) && all.is_superset(&now), "kill {kill}: {} results", now.len());
        // The index holds what the texts say: nothing is half there.
        let (_, talk, status) = said(folder, archive, &["archive", "verify"]);
        assert!(status == 0 && talk.contains(&format!("{} result", now.len())), "kill {kill}: {talk}");
        assert_eq!(ids(folder, archive).into_iter().collect::<BTreeSet<_>>(), now);
        in_between += usize::from(!now.is_empty() && now != all);
        before = now;
        if before == all {
            empty();
            before.clear();
        }
    }
    assert!(in_between > 0, "no kill fell between two batches");
    printed(folder, archive, &["archive", "add", "in", "-q"]);
    assert_eq!(ids(folder, archive).into_iter().collect::<BTreeSet<_>>(), all);
}

#[test]
fn two_writers_at_once_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    survives_writers(folder.path(), "a.sqlite", 2);
}

#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn eight_writers_at_once_lose_nothing_on_a_server() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(None));
    survives_writers(folder.path(), &server.url(), 8);
}

/// Each writes results of its own, and some that all write. Not even the tables are there before.
fn survives_writers(folder: &Path, archive: &str, writers: u64) {
    let mut all = draw(&folder.join("shared"), 99, 40);
    let names: Vec<String> = (0..writers).map(|writer| format!("in-{writer}")).collect();
    for (machine, name) in names.iter().enumerate() {
        all.extend(draw(&folder.join(name), machine as u64, 60));
    }
    let children: Vec<Child> =
        names.iter().map(|name| start(folder, archive, &["archive", "add", name, "shared", "-q"])).collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    assert_eq!(ids(folder, archive).into_iter().collect::<BTreeSet<_>>(), all);
    let (_, talk, status) = said(folder, archive, &["archive", "verify"]);
    assert_eq!(status, 0, "{talk}");
}

/// A limit on the size of files stands for a full disk: writing beyond it fails.
#[test]
fn a_full_disk_is_an_error_and_what_was_there_stays() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("a.sqlite").display().to_string();
    draw(&folder.path().join("first"), 1, 20);
    draw(&folder.path().join("in"), 2, RESULTS);
    printed(folder.path(), &archive, &["archive", "add", "first", "-q"]);
    let before = ids(folder.path(), &archive);
    let program = snapbox::cmd::cargo_bin!("zerohop").display().to_string();
    let line = format!("trap '' XFSZ; ulimit -f 300; exec '{program}' archive add in");
    let output = std::process::Command::new("bash")
        .args(["-c", &line])
        .current_dir(folder.path())
        .env("ZEROHOP_ARCHIVE", &archive)
        .output()
        .unwrap();
    let talk = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && talk.contains("cannot write the archive"), "{talk}");
    assert!(talk.contains("hint: free some space"), "{talk}");
    let after = ids(folder.path(), &archive);
    assert!(before.iter().all(|id| after.contains(id)) && after.len() < 20 + RESULTS as usize);
    let (_, talk, status) = said(folder.path(), &archive, &["archive", "verify"]);
    assert_eq!(status, 0, "{talk}");
    // With room again, the rest follows.
    printed(folder.path(), &archive, &["archive", "add", "in", "-q"]);
    assert_eq!(ids(folder.path(), &archive).len(), 20 + RESULTS as usize);
}

#[test]
fn a_damaged_file_is_an_error_or_its_damage_is_found() {
    let folder = tempfile::tempdir().unwrap();
    draw(&folder.path().join("in"), 1, 60);
    printed(folder.path(), "a.sqlite", &["archive", "add", "in", "-q"]);
    let whole = fs::read(folder.path().join("a.sqlite")).unwrap();
    let (mut found, tries) = (0, 24);
    for part in 0..tries {
        let mut bytes = whole.clone();
        let begin = bytes.len() * part / tries;
        bytes[begin..begin + 512].iter_mut().for_each(|byte| *byte ^= 0x5a);
        fs::write(folder.path().join("b.sqlite"), &bytes).unwrap();
        for verb in ["list", "machines", "verify"] {
            let (_, talk, status) = said(folder.path(), "b.sqlite", &["archive", verb]);
            assert!((0..=2).contains(&status) && !talk.contains("panicked"), "part {part}, {verb}: {talk}");
            found += usize::from(verb == "verify" && status != 0);
        }
    }
    assert!(found >= tries * 3 / 4, "verify found {found} of {tries}");
    let text = b"not a database".repeat(400);
    for (bytes, words) in
        [(&text[..], "is not a zerohop archive: it is a text"), (&whole[..whole.len() / 2], "is damaged")]
    {
        fs::write(folder.path().join("b.sqlite"), bytes).unwrap();
        let (_, talk, status) = said(folder.path(), "b.sqlite", &["archive", "verify"]);
        assert!(status == 2 && talk.contains(words), "{talk}");
        assert!(talk.contains("hint:"), "{talk}");
    }
}

/// Changes a bit of the last text in a file.
pub(crate) fn damage_a_text(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    // The first bytes of a packed text (RFC 1950).
    let begin = bytes.windows(2).rposition(|pair| pair == [0x78, 0x5e]).unwrap();
    bytes[begin + 40] ^= 1;
    fs::write(file, bytes).unwrap();
}

/// One damaged text kept the machines of a whole archive from being held against each other.
#[test]
fn a_damaged_text_leaves_its_machine_out_of_a_fleet_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    for machine in 1..=5 {
        let factor = 1.0 + 0.001 * machine as f64;
        Drawn { factor, ..Drawn::new(machine, 3) }.write(&folder.path().join("in"));
    }
    printed(folder.path(), "a.sqlite", &["archive", "add", "in", "-q"]);
    damage_a_text(&folder.path().join("a.sqlite"));
    let (page, talk, status) = said(folder.path(), "a.sqlite", &["fleet", "analyse", "--archive", "-q"]);
    assert_eq!(status, 0, "{talk}");
    assert!(page.contains("fleet of 4 nodes") && page.contains("result is damaged"), "{page}");
}

#[test]
fn damage_of_a_text_is_found_and_the_result_can_be_removed() {
    let folder = tempfile::tempdir().unwrap();
    draw(&folder.path().join("in"), 1, 3);
    printed(folder.path(), "a.sqlite", &["archive", "add", "in", "-q"]);
    damage_a_text(&folder.path().join("a.sqlite"));
    let (_, talk, status) = said(folder.path(), "a.sqlite", &["archive", "verify"]);
    assert!(status == 1 && talk.contains("2 results intact, 1 damaged"), "{talk}");
    assert_eq!(ids(folder.path(), "a.sqlite").len(), 2);
    let (_, talk, _) = said(folder.path(), "a.sqlite", &["archive", "prune", "--damaged"]);
    assert!(talk.contains("1 result removed"), "{talk}");
    let (_, talk, status) = said(folder.path(), "a.sqlite", &["archive", "verify"]);
    assert!(status == 0 && talk.contains("2 results intact, 0 damaged"), "{talk}");
}
