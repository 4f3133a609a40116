//! Files that are moved while an archive is open.

use std::fs;

use super::*;

fn refusal<T>(tried: Result<T, ArchiveError>) -> String {
    match tried {
        Ok(_) => panic!("it was taken"),
        Err(error @ ArchiveError::Moved { .. }) => words(&error),
        Err(error) => panic!("{error}"),
    }
}

/// A server made a new archive at the place of one that was moved, and filled it.
#[test]
fn a_moved_file_is_neither_written_nor_made_again() {
    let mut scratch = Scratch::new();
    let (location, identity) = (scratch.location(), scratch.archive.identity().clone());
    let (path, away) = (scratch.folder.path().join("a.sqlite"), scratch.folder.path().join("away"));
    scratch.add(&result(1, Some("2010-05-01")), "2010-05-01");
    assert!(scratch.archive.is_in_place());

    fs::rename(&path, &away).unwrap();
    assert!(!scratch.archive.is_in_place());
    let entry = [result(2, Some("2010-05-02"))];
    let words = refusal(scratch.archive.add(&entry, moment("2010-05-02")));
    assert!(words.contains("was moved or replaced, or its disk is not mounted"), "{words}");
    let same = |access| Archive::open_same(&location, access, &identity);
    for access in [Access::Read, Access::Change, Access::Write] {
        assert!(refusal(same(access)).contains("nothing is there now"));
    }
    assert!(!path.exists());

    // Another archive, an empty file, or the file of another program took its place.
    drop(Archive::open(&location, Access::Write).unwrap());
    assert!(!scratch.archive.is_in_place());
    refusal(scratch.archive.add(&entry, moment("2010-05-02")));
    assert!(refusal(same(Access::Write)).contains("another archive is there now"));
    for bytes in [&b""[..], b"a text"] {
        fs::write(&path, bytes).unwrap();
        refusal(same(Access::Write));
        assert_eq!(fs::read(&path).unwrap(), bytes);
    }

    // A copy of it is the same archive, in another file.
    fs::copy(&away, &path).unwrap();
    assert!(!scratch.archive.is_in_place());
    assert_eq!(same(Access::Write).unwrap().identity(), &identity);
    fs::rename(&away, &path).unwrap();
    assert!(scratch.archive.is_in_place());
    scratch.add(&entry[0], "2010-05-02");
    assert_eq!(scratch.list().len(), 2);
}

/// A server kept the answers of the archive that a copy of earlier days took the place of.
#[test]
fn a_copy_of_earlier_days_never_comes_to_a_generation_that_was() {
    let mut scratch = Scratch::new();
    let path = scratch.folder.path().join("a.sqlite");
    scratch.add(&result(1, Some("2010-05-01")), "2010-05-01");
    fs::copy(&path, scratch.folder.path().join("copy")).unwrap();
    let mut seen = vec![scratch.archive.generation().unwrap()];
    for number in 2..5 {
        scratch.add(&result(number, Some("2010-05-01")), "2010-05-01");
        seen.push(scratch.archive.generation().unwrap());
    }
    assert!(seen.is_sorted_by(|one, other| one < other), "{seen:?}");
    // More writes in a second than it has milliseconds are not to be expected.
    std::thread::sleep(std::time::Duration::from_millis(1100));
    let mut copy =
        Archive::open(&Location::File(scratch.folder.path().join("copy")), Access::Change).unwrap();
    for number in 2..5 {
        copy.add(&[result(number, Some("2010-05-01"))], moment("2010-05-01")).unwrap();
        assert!(!seen.contains(&copy.generation().unwrap()), "{seen:?}");
    }
}

#[test]
fn no_two_archives_are_the_same() {
    assert_ne!(Scratch::new().archive.identity(), Scratch::new().archive.identity());
    assert_eq!(Scratch::new().archive.identity().0.len(), 32);
}
