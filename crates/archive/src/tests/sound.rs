//! What reading leaves as it is.

use std::fs;
use std::path::Path;

use super::*;
use crate::sqlite::Sqlite;

/// All files of a folder and their bytes.
fn all(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> =
        entries.map(|path| (path.display().to_string(), fs::read(&path).unwrap())).collect();
    all.sort();
    all
}

/// `archive list` put seven tables into a database of another program.
#[test]
fn what_is_no_archive_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    let foreign = rusqlite::Connection::open(at("foreign.db")).unwrap();
    foreign.execute_batch("CREATE TABLE bookmarks (a); CREATE TABLE archive (b);").unwrap();
    drop(foreign);
    // One whose log is beside it.
    let logged = rusqlite::Connection::open(at("logged.db")).unwrap();
    logged.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE moz_places (a);").unwrap();
    fs::copy(at("logged.db"), at("copied.db")).unwrap();
    drop(logged);
    fs::write(at("a.json"), SAMPLE).unwrap();
    fs::write(at("text"), "no database").unwrap();
    fs::write(at("empty"), "").unwrap();
    let before = all(folder.path());
    for (name, words) in [
        ("foreign.db", "it is a database of another program, with the tables archive, bookmarks"),
        ("logged.db", "it is a database of another program, with the table moz_places"),
        ("copied.db", "it is a database of another program"),
        ("a.json", "it is a result, which `zerohop archive add` adds to an archive"),
        ("text", "it is a text"),
    ] {
        for access in [Access::Read, Access::Change, Access::Write] {
            let Err(error) = Archive::open(&Location::File(at(name)), access) else { panic!("{name}") };
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    for (name, words) in [("empty", "it is an empty file"), ("absent", "no archive")] {
        for access in [Access::Read, Access::Change] {
            let Err(error) = Archive::open(&Location::File(at(name)), access) else { panic!("{name}") };
            assert!(error.to_string().contains(words), "{error}");
        }
    }
    assert_eq!(all(folder.path()), before);
    drop(Archive::open(&Location::File(at("empty")), Access::Write).unwrap());
    drop(Archive::open(&Location::File(at("empty")), Access::Read).unwrap());
}

#[test]
fn a_reader_cannot_write() {
    let mut scratch = Scratch::new();
    scratch.add(&result(1, Some("2010-05-01")), "2010-05-01");
    let before = all(scratch.folder.path());
    let mut reader = Archive::open(&scratch.location(), Access::Read).unwrap();
    reader.list(&Filter::default()).unwrap();
    reader.machines().unwrap();
    reader.rename("node-07", "other", false).unwrap_err();
    reader.add(&[result(2, None)], moment("2010-05-02")).unwrap_err();
    drop(reader);
    assert_eq!(all(scratch.folder.path()), before);
}

/// What a writer leaves that is killed while it writes: a file that is half changed, and the journal that undoes it.
#[test]
fn a_reader_undoes_what_a_killed_writer_left() {
    let mut scratch = Scratch::new();
    for number in 1..=3 {
        scratch.add(&result(number, Some("2010-05-01")), "2010-05-01");
    }
    let whole = fs::read(scratch.folder.path().join("a.sqlite")).unwrap();
    let database = &mut scratch.archive.database;
    // With little memory, the file is written before the change is whole.
    database.script("PRAGMA cache_size = 2").unwrap();
    database.begin().unwrap();
    database.script("UPDATE document SET body = zeroblob(100000); DELETE FROM result;").unwrap();
    let killed = tempfile::tempdir().unwrap();
    for name in ["a.sqlite", "a.sqlite-journal"] {
        fs::copy(scratch.folder.path().join(name), killed.path().join(name)).unwrap();
    }
    let path = killed.path().join("a.sqlite");
    assert_ne!(fs::read(&path).unwrap(), whole);
    let mut reader = Archive::open(&Location::File(path.clone()), Access::Read).unwrap();
    assert_eq!(reader.list(&Filter::default()).unwrap().len(), 3);
    assert_eq!(fs::read(&path).unwrap(), whole);
}

/// SQLite takes `:memory:` and `file:…` for other things than files.
#[test]
fn every_path_is_a_path() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:x.db?mode=memory", "a?mode=ro", "%41"] {
        let location = Location::File(folder.path().join(name));
        drop(Archive::open(&location, Access::Write).unwrap());
        assert!(folder.path().join(name).is_file(), "{name}");
        drop(Archive::open(&location, Access::Read).unwrap());
        // From the folder where the program is.
        let error = Sqlite::open(Path::new(name), Access::Read).err().unwrap();
        assert!(matches!(error, ArchiveError::Absent { .. }), "{error}");
    }
    let error = Sqlite::open(Path::new(""), Access::Write).err().unwrap();
    assert!(matches!(error, ArchiveError::Closed { .. }), "{error}");
    // Nor is it the name of a table that it has.
    fs::write(folder.path().join("ü ?#%.db"), b"SQLite format 3\0").unwrap();
    let error = Sqlite::open(&folder.path().join("ü ?#%.db"), Access::Write).err().unwrap();
    assert!(matches!(error, ArchiveError::Foreign { .. }), "{error}");
}
