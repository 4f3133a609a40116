//! What is damaged, refused or left out is named, and takes nothing else with it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::drawn::Drawn;
use crate::robustness::damage_a_text;
use crate::server::Server;
use crate::{ids, printed, said};

const ARCHIVE: &str = "a.sqlite";

fn drawn(folder: &Path, results: u64) -> Vec<Drawn> {
    let drawn: Vec<Drawn> = (0..results).map(|day| Drawn::new(1, day)).collect();
    drawn.iter().for_each(|one| one.write(&folder.join("in")));
    drawn
}

/// The good file of a damaged text was "there before", and only `prune` helped.
#[test]
fn adding_again_repairs_a_damaged_text() {
    let folder = tempfile::tempdir().unwrap();
    drawn(folder.path(), 3);
    let at = |arguments: &[&str]| said(folder.path(), ARCHIVE, arguments);
    printed(folder.path(), ARCHIVE, &["archive", "add", "in", "-q"]);
    for is_verified in [false, true] {
        damage_a_text(&folder.path().join(ARCHIVE));
        if is_verified {
            assert_eq!(at(&["archive", "verify"]).2, 1);
        }
        let (_, talk, status) = at(&["archive", "add", "in"]);
        assert!(status == 0 && talk.contains("0 results added, 2 there before, 1 repaired"), "{talk}");
        let (_, talk, status) = at(&["archive", "verify"]);
        assert!(status == 0 && talk.contains("3 results intact, 0 damaged"), "{talk}");
    }
}

/// An export ended at the first damaged text.
#[test]
fn an_export_goes_on_past_damage_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let drawn = drawn(folder.path(), 4);
    printed(folder.path(), ARCHIVE, &["archive", "add", "in", "-q"]);
    damage_a_text(&folder.path().join(ARCHIVE));
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "export", "-o", "out"]);
    assert!(status == 1 && talk.contains("3 results written to out, skipped 1 damaged"), "{talk}");
    let named = drawn.iter().filter(|one| talk.contains(&format!("the result {} is damaged", one.id())));
    assert_eq!(named.count(), 1, "{talk}");
    assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 3);
    // Nor is it hidden once it is in no list.
    said(folder.path(), ARCHIVE, &["archive", "verify"]);
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "export", "-o", "out"]);
    assert!(status == 1 && talk.contains("3 results written to out, skipped 1 damaged"), "{talk}");
    let (shown, _, _) = said(folder.path(), ARCHIVE, &["archive", "prune", "--damaged", "--dry-run"]);
    assert_eq!(drawn.iter().filter(|one| shown.contains(&one.id())).count(), 1, "{shown}");
}

/// A folder of links was `0 results added`, without a word.
#[test]
fn what_a_folder_has_is_added_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let result = Drawn::new(1, 0);
    result.write(&at("elsewhere"));
    Drawn::new(1, 1).write(&at("in"));
    symlink(at("elsewhere").join(format!("{}.json", result.id())), at("in/link.json")).unwrap();
    symlink(at("in"), at("in/loop")).unwrap();
    symlink("nothing", at("in/dangling")).unwrap();
    fs::write(at("in/notes.txt"), "no result").unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    rustix::fs::mknodat(rustix::fs::CWD, at("in/pipe"), rustix::fs::FileType::Fifo, mode, 0).unwrap();
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "add", "in"]);
    assert!(status == 0 && talk.contains("2 results added, 4 skipped"), "{talk}");
    for line in [
        "skipped: in/loop: a link to a directory",
        "skipped: in/dangling: dangling link",
        "skipped: in/pipe: a named pipe",
        "skipped: in/notes.txt: ",
    ] {
        assert!(talk.contains(line), "{line}: {talk}");
    }
}

/// The first file that could not be read ended the whole, and nobody knew what had been added.
#[test]
fn what_cannot_be_read_fails_and_leaves_out_no_other_one() {
    let folder = tempfile::tempdir().unwrap();
    drawn(folder.path(), 3);
    let (_, talk, status) = said(folder.path(), ARCHIVE, &["archive", "add", "absent.json", "in"]);
    assert!(status == 2 && talk.contains("3 results added, 1 failed"), "{talk}");
    assert!(talk.contains("error: cannot read `absent.json`") && talk.contains("hint: "), "{talk}");
    let (_, talk, status) =
        said(folder.path(), ARCHIVE, &["archive", "add", "absent.json", "in", "gone.json", "-q"]);
    assert!(status == 2 && talk.contains("warning: cannot read `gone.json`"), "{talk}");
    assert!(talk.contains("error: 2 files could not be added"), "{talk}");
    assert_eq!(ids(folder.path(), ARCHIVE).len(), 3);
    // Nobody gets an archive who has nothing for it.
    assert_eq!(said(folder.path(), "new.sqlite", &["archive", "add", "absent.json"]).2, 2);
    assert!(!folder.path().join("new.sqlite").exists());
}

#[test]
#[ignore = "long: starts a server of PostgreSQL"]
fn a_name_that_no_index_holds_costs_no_result_on_a_server() {
    let (folder, server) = (tempfile::tempdir().unwrap(), Server::start(None));
    drawn(folder.path(), 20);
    let mut value = Drawn::new(2, 5).value();
    // More than a row of an index of PostgreSQL holds, and nothing that packs well.
    let long: String =
        (0_u64..12_000).map(|rank| char::from(b'a' + (rank * rank * 7919 % 8191 % 26) as u8)).collect();
    value["run"]["host"]["name"] = long.into();
    fs::write(folder.path().join("in/bad.json"), value.to_string()).unwrap();
    let (_, talk, status) = said(folder.path(), &server.url(), &["archive", "add", "in"]);
    // It is shortened before it reaches the server.
    assert!(status == 0 && talk.contains("21 results added") && talk.contains("in/bad.json"), "{talk}");
    assert_eq!(ids(folder.path(), &server.url()).len(), 21);
}

/// `prune` said that it failed, and what it should remove was gone.
#[test]
fn on_a_full_disk_prune_says_what_it_did() {
    let folder = tempfile::tempdir().unwrap();
    let disk = folder.path().join("disk");
    fs::create_dir(&disk).unwrap();
    let mount = |words: &[&str]| {
        Command::new("mount").args(words).arg(&disk).output().is_ok_and(|done| done.status.success())
    };
    // Only root may mount, and not in every container.
    if !mount(&["-t", "tmpfs", "-o", "size=1500k", "none"]) {
        return;
    }
    let tried = std::panic::catch_unwind(|| {
        (0..24).for_each(|day| Drawn { cells: 40, ..Drawn::new(1, day) }.write(&folder.path().join("in")));
        Drawn::new(2, 3).write(&folder.path().join("in"));
        let archive = disk.join("a.sqlite").display().to_string();
        printed(folder.path(), &archive, &["archive", "add", "in", "-q"]);
        // So little is left that the rest cannot be written a second time.
        let size = fs::metadata(&archive).unwrap().len();
        let left = 1500 * 1024 - size;
        assert!(left > 200_000, "the archive has {size} bytes");
        fs::write(disk.join("ballast"), vec![1_u8; (left - 160 * 1024) as usize]).unwrap();
        let arguments =
            ["archive", "prune", "node-02", "--keep", "0", "--before", "2030-01-01", "--archive", &archive];
        let (_, talk, status) = said(folder.path(), &archive, &arguments);
        assert!(status == 0 && talk.contains("1 result removed"), "{status}: {talk}");
        assert!(talk.contains("warning: their disk space could not be freed"), "{talk}");
        assert_eq!(ids(folder.path(), &archive).len(), 24);
        fs::remove_file(disk.join("ballast")).unwrap();
        let again = ["archive", "prune", "node-01", "--before", "2001-01-01"];
        let (_, talk, status) = said(folder.path(), &archive, &again);
        assert!(status == 0 && talk.contains("0 results removed") && !talk.contains("warning"), "{talk}");
        assert!(fs::metadata(&archive).unwrap().len() < size);
    });
    let _ = Command::new("umount").arg(&disk).status();
    if let Err(panic) = tried {
        std::panic::resume_unwind(panic);
    }
}
