//! Texts and tables that are damaged, and results that the database refuses.

use super::*;
use crate::Added;

const DAY: &str = "2010-05-01";

/// Damages the text of the result of this number.
fn damage(scratch: &mut Scratch, number: u8) {
    let statement = format!("UPDATE document SET body = zeroblob(40) WHERE id = '{}'", id(number));
    scratch.archive.database.script(&statement).unwrap();
}

/// `archive add` of the good file said that it was there before.
#[test]
fn a_damaged_text_is_repaired_by_the_same_result() {
    let mut scratch = Scratch::new();
    let entries: Vec<Entry> = (1..=3).map(|number| result(number, Some(DAY))).collect();
    scratch.archive.add(&entries, moment(DAY)).unwrap();
    scratch.archive.rename("node-07", "the odd one").unwrap();
    for is_verified in [false, true] {
        damage(&mut scratch, 2);
        if is_verified {
            assert_eq!(scratch.verify().damaged.len(), 1);
            assert_eq!(scratch.list().len(), 2);
        }
        assert!(scratch.archive.result(&id(2)).is_err());
        let added = scratch.archive.add(&entries, moment("2011-01-01")).unwrap();
        let outcomes: Vec<Added> = added.iter().map(|one| one.outcome).collect();
        assert_eq!(outcomes, [Added::Known, Added::Repaired, Added::Known]);
        let kept = scratch.archive.result(&id(2)).unwrap();
        assert_eq!(kept.text, entries[1].packed.text().unwrap());
        assert_eq!(kept.listed.machine, "the odd one");
        assert_eq!(scratch.list().len(), 3);
        assert_eq!(scratch.latest(), 3);
    }
    assert_eq!(scratch.verify().whole, 3);
}

#[test]
fn a_text_that_was_packed_otherwise_is_no_damage() {
    use std::io::Write;
    let mut scratch = Scratch::new();
    let mut entry = result(1, Some(DAY));
    scratch.add(&entry, DAY);
    let text = entry.packed.text().unwrap();
    let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::new(9));
    encoder.write_all(text.as_bytes()).unwrap();
    let body = encoder.finish().unwrap();
    assert_ne!(body, entry.packed.body);
    entry.packed.body = body;
    assert_eq!(scratch.add(&entry, DAY).outcome, Added::Known);
}

/// The latest result of a machine was lost when an unfinished one was replaced.
#[test]
fn the_latest_result_is_found_again_after_a_replacement() {
    let mut scratch = Scratch::new();
    scratch.add(&result(1, Some("2010-05-01")), "2010-05-01");
    scratch.add(&result_that_is(2, Some("2010-05-02"), "interrupted"), "2010-05-02");
    assert_eq!(scratch.latest(), 2);
    let mut whole = result(2, Some("2010-05-02"));
    whole.index.unusable = Some("its verdict says so".to_owned());
    assert_eq!(scratch.add(&whole, "2010-05-03").outcome, Added::Replaced);
    assert_eq!(scratch.latest(), 1);
}

/// One result that the database refuses took a whole batch with it.
#[test]
fn a_refused_result_leaves_out_no_other_one() {
    let mut scratch = Scratch::new();
    let refuse = format!(
        "CREATE TRIGGER refuse BEFORE INSERT ON document WHEN new.id = '{}' BEGIN SELECT RAISE(ABORT, 'not this one'); END",
        id(2)
    );
    scratch.archive.database.script(&refuse).unwrap();
    let entries: Vec<Entry> = (1..=4).map(|number| result(number, Some(DAY))).collect();
    assert!(scratch.archive.add(&entries, moment(DAY)).is_err());
    assert!(scratch.list().is_empty());
    let added = scratch.archive.add_each(&entries, moment(DAY)).unwrap();
    let refused: Vec<String> = added.iter().filter_map(|one| Some(words(one.as_ref().err()?))).collect();
    assert!(matches!(refused.as_slice(), [one] if one.contains("not this one")), "{refused:?}");
    assert_eq!(added.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true, true]);
    assert_eq!(scratch.list().len(), 3);
}

/// What is no number was refused by SQLite, with the whole batch, and kept by PostgreSQL.
#[test]
fn an_interval_without_ends_is_no_reason_to_refuse_a_result() {
    let mut scratch = Scratch::new();
    let mut entry = result(1, Some(DAY));
    entry.index.values[0].reading.low = f64::NAN;
    entry.index.values[0].reading.high = f64::INFINITY;
    scratch.add(&entry, DAY);
    let values = scratch.archive.latest_values().unwrap().remove("node-07").unwrap();
    assert_eq!((values[0].reading.low, values[0].reading.high), (100.0, 100.0));
}

/// `verify` ended with "no such table" and a whole statement.
#[test]
fn lost_tables_of_the_index_are_made_again() {
    for lost in ["reading", "latest", "result", "series", "profile"] {
        let mut scratch = Scratch::new();
        scratch.add(&result(1, Some(DAY)), DAY);
        scratch.archive.database.script(&format!("DROP TABLE {lost}")).unwrap();
        let location = scratch.location();
        let mut reader = Archive::open(&location, Access::Read).unwrap();
        let failed =
            reader.latest_values().err().or_else(|| reader.history("node-07", crate::Scope::Headlines).err());
        let words = words(&failed.unwrap());
        assert!(
            words.contains(&format!("no such table: {lost}")) && words.contains("archive verify"),
            "{words}"
        );
        assert!(!words.contains("SELECT"), "{words}");
        drop(reader);
        assert_eq!(scratch.verify().whole, 1);
        assert_eq!(scratch.latest(), 1);
        let indexes = "SELECT name FROM sqlite_master WHERE name LIKE 'result_by_%'";
        assert_eq!(crate::database::rows(scratch.archive.database.as_mut(), indexes, &[]).unwrap().len(), 3);
    }
}

#[test]
fn lost_texts_are_damage() {
    let scratch = Scratch::new();
    let location = scratch.location();
    let Scratch { folder: _folder, mut archive } = scratch;
    archive.database.script("DROP TABLE document").unwrap();
    for access in [Access::Read, Access::Change, Access::Write] {
        let Err(error) = Archive::open(&location, access) else { panic!("it was opened") };
        assert!(words(&error).contains("is damaged: its table `document` is gone"), "{error}");
    }
}

/// It was said that nothing was removed, when only the file could not be shrunk.
#[test]
fn removing_and_giving_back_room_are_two_things() {
    let mut scratch = Scratch::new();
    let entries: Vec<Entry> = (1..=20).map(|number| result(number, Some(DAY))).collect();
    scratch.archive.add(&entries, moment(DAY)).unwrap();
    let ids: Vec<String> = (1..=19).map(id).collect();
    // Shrinking attaches a database, of which there can be ten.
    let attached = (0..10).map(|rank| format!("ATTACH ':memory:' AS other{rank};"));
    scratch.archive.database.script(&attached.collect::<String>()).unwrap();
    let removed = scratch.archive.remove(&ids).unwrap();
    assert_eq!(removed.count, 19);
    assert!(words(&removed.shrunk.unwrap_err()).contains("too many attached databases"));
    assert_eq!(scratch.list().len(), 1);
    let size = scratch.archive.size().unwrap();
    let detached = (0..10).map(|rank| format!("DETACH other{rank};"));
    scratch.archive.database.script(&detached.collect::<String>()).unwrap();
    // The next one makes up for it.
    let removed = scratch.archive.remove(&[]).unwrap();
    assert!(removed.count == 0 && removed.shrunk.is_ok());
    assert!(scratch.archive.size().unwrap() < size);
}

/// SQLite refused a long pattern, and the server threw its connection away.
#[test]
fn what_is_no_id_is_no_result() {
    let mut scratch = Scratch::new();
    scratch.add(&result(1, Some(DAY)), DAY);
    for none in ["a".repeat(50_001), "-".repeat(37), format!("{}0", id(1)), String::new(), "%".to_owned()] {
        let error = scratch.archive.result(&none).unwrap_err();
        assert!(matches!(error, ArchiveError::NoResult { .. }), "{error}");
        assert!(error.to_string().len() < 200, "{error}");
    }
    assert_eq!(scratch.archive.result(&id(1).to_uppercase()).unwrap().listed.id, id(1));
}
