//! Texts and tables that are damaged, and results that the database refuses.

use super::*;
use crate::{Added, Cause};

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
    scratch.archive.rename("node-07", "the odd one", false).unwrap();
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
        assert!(words(&error).contains("is damaged: its table `document` is missing"), "{error}");
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

fn run(scratch: &mut Scratch, statement: &str) {
    scratch.archive.database.script(statement).unwrap();
}

/// The ids and causes of the results that no list shows.
fn unlisted(scratch: &mut Scratch) -> Vec<(u8, Cause)> {
    let found = scratch.archive.unlisted(&[]).unwrap();
    found.into_iter().map(|one| (number(&one.id), one.cause)).collect()
}

/// `prune --damaged` removed every result that the index did not have.
#[test]
fn what_only_the_index_has_lost_is_not_damaged() {
    let mut scratch = Scratch::new();
    let entries: Vec<Entry> = (1..=3).map(|number| result(number, Some(DAY))).collect();
    scratch.archive.add(&entries, moment(DAY)).unwrap();
    run(&mut scratch, "DELETE FROM result");
    damage(&mut scratch, 2);
    let found = unlisted(&mut scratch);
    assert!(
        matches!(&found[..], [(1, Cause::NoIndex), (2, Cause::Damaged(_)), (3, Cause::NoIndex)]),
        "{found:?}"
    );
    assert_eq!((scratch.verify().whole, unlisted(&mut scratch).len()), (2, 1));
}

/// It was called damaged, and then removed as such.
#[test]
fn a_result_of_a_later_version_is_whole() {
    let mut scratch = Scratch::new();
    let mut entry = result(1, Some(DAY));
    let mut file: serde_json::Value = serde_json::from_str(&entry.packed.text().unwrap()).unwrap();
    file["schema_version"] = 99.into();
    entry.packed = Packed::of(&file.to_string());
    scratch.add(&entry, DAY);
    let verified = scratch.verify();
    assert_eq!((verified.whole, verified.later.len(), verified.damaged.len()), (0, 1, 0));
    assert!(matches!(&unlisted(&mut scratch)[..], [(1, Cause::OtherVersion(_))]));
    // What this version has of the same run does not take its place.
    assert_eq!(scratch.add(&result(1, Some(DAY)), DAY).outcome, Added::Differs);
}

/// It was said that the good file differs, or that it took the place of an unfinished one.
#[test]
fn a_damaged_digest_is_repaired() {
    let mut scratch = Scratch::new();
    for is_verified in [false, true] {
        scratch.add(&result(1, Some(DAY)), DAY);
        run(&mut scratch, "UPDATE document SET digest = 'f00'");
        if is_verified {
            assert_eq!(scratch.verify().damaged.len(), 1);
        }
        assert_eq!(scratch.add(&result(1, Some(DAY)), DAY).outcome, Added::Repaired);
        assert_eq!(scratch.verify().whole, 1);
    }
}

/// A machine whose row was lost was in no list for ever, and `verify` found nothing.
#[test]
fn a_machine_that_lost_its_name_is_found_again() {
    let mut scratch = Scratch::new();
    for loss in ["DELETE FROM machine", "UPDATE document SET machine = '?'"] {
        scratch.add(&result(1, Some(DAY)), DAY);
        run(&mut scratch, loss);
        run(&mut scratch, "DELETE FROM machine");
        assert_eq!(unlisted(&mut scratch), [(1, Cause::NoIndex)]);
        let verified = scratch.verify();
        assert_eq!((verified.whole, verified.machines), (1, 1));
        assert_eq!((scratch.latest(), unlisted(&mut scratch)), (1, Vec::new()));
        assert_eq!(scratch.archive.machines().unwrap()[0].name, "node-07");
    }
    run(&mut scratch, "DELETE FROM machine");
    assert_eq!(scratch.add(&result(1, Some(DAY)), DAY).outcome, Added::Repaired);
    assert_eq!(scratch.latest(), 1);
}

/// An export left it out and said nothing.
#[test]
fn a_damaged_id_is_damage_until_it_is_made_again() {
    let mut scratch = Scratch::new();
    scratch.add(&result(1, Some(DAY)), DAY);
    run(&mut scratch, &format!("UPDATE document SET id = '{}'", id(9)));
    assert!(matches!(scratch.archive.result(&id(1)), Err(ArchiveError::DamagedResult { .. })));
    assert_eq!(scratch.verify().whole, 1);
    assert_eq!(scratch.archive.result(&id(1)).unwrap().listed.id, id(1));
}

/// A later result that does not count was the one that was kept.
#[test]
fn pruning_keeps_the_latest_that_count() {
    let mut scratch = Scratch::new();
    for (number, day) in [(1, "2010-05-01"), (2, "2010-05-02"), (3, "2010-05-03")] {
        let mut entry = result(number, Some(day));
        entry.index.unusable = (number == 3).then(|| "it was interrupted".to_owned());
        scratch.add(&entry, day);
    }
    let mut prunable = |keep, unusable| {
        let pruning = crate::Pruning { of: Filter::default(), keep, unusable };
        let found = scratch.archive.prunable(&pruning).unwrap();
        found.iter().map(|one| number(&one.id)).collect::<Vec<_>>()
    };
    assert_eq!(prunable(1, false), [1]);
    assert_eq!(prunable(1, true), [3]);
    assert_eq!(prunable(0, false), [3, 2, 1]);
}
