//! Renames kinds of an extended file wherever they are used.

use zerohop_document::{Content, Entry, Problems, Span, Value, is_name, suggest};

/// The key of the renames.
pub(super) const RENAME: &str = "rename";

/// The tables of kinds, and where parts refer to them: paths of keys from the root, where `*` matches any key.
const KINDS: [(&str, &[&[&str]]); 6] = [
    ("core", &[&["node", "*", "cores", "kind"]]),
    ("channel", &[&["node", "*", "channels", "kind"], &["node", "*", "cache", "channels", "kind"]]),
    ("home", &[&["node", "*", "homes", "kind"]]),
    ("wire", &[&["link", "*", "wire"], &["mesh", "row"], &["mesh", "column"]]),
    (
        "hash",
        &[
            &["node", "*", "channels", "hash"],
            &["node", "*", "homes", "hash"],
            &["node", "*", "cache", "channels", "hash"],
        ],
    ),
    ("cluster", &[&["node", "*", "channels", "within"], &["node", "*", "cache", "channels", "within"]]),
];

/// Renames kinds in the merged tables of the extended files, as `rename.core.old = "new"` requests. Problems are
/// reported.
pub(super) fn rename(merged: &mut Value, rename: &Entry, problems: &mut Problems) {
    let hint = "write, for example, `rename.core.k8 = \"k10\"`";
    let Some(sorts) = rename.value.entries() else {
        let message = format!("`{RENAME}` must be a table of kinds, not {}", rename.value.kind());
        return problems.add_with_hint(rename.value.place, message, hint);
    };
    for sort in sorts {
        let Some((_, uses)) = KINDS.iter().find(|(known, _)| *known == sort.key) else {
            let message = format!("`{RENAME}` does not apply to `{}`", sort.key);
            // The whole path as one key is a likely mistake.
            let hint = match sort.key.split_once('.') {
                Some(_) => hint.to_owned(),
                None => suggest(&sort.key, KINDS.map(|(known, _)| known)),
            };
            problems.add_with_hint(sort.place, message, hint);
            continue;
        };
        let Some(names) = sort.value.entries() else {
            let message = format!("`{RENAME}.{}` must be a table, not {}", sort.key, sort.value.kind());
            problems.add_with_hint(sort.value.place, message, hint);
            continue;
        };
        // All at once, so that two names can be swapped.
        let names: Vec<(String, String)> =
            names.iter().filter_map(|name| new_name(merged, &sort.key, name, hint, problems)).collect();
        change(merged, &sort.key, uses, &names);
        report_doubles(merged, sort, problems);
    }
}

/// The old name and the new one.
fn new_name(
    merged: &Value,
    sort: &str,
    name: &Entry,
    hint: &str,
    problems: &mut Problems,
) -> Option<(String, String)> {
    let there = || merged.entry(sort).and_then(|sort| sort.value.entries()).into_iter().flatten();
    if !there().any(|kind| kind.key == name.key && kind.value.entries().is_some()) {
        let message = format!("no `{sort}.{}` to rename", name.key);
        let kinds: Vec<&str> =
            there().filter(|kind| kind.value.entries().is_some()).map(|kind| kind.key.as_str()).collect();
        problems.add_with_hint(name.place, message, suggest(&name.key, kinds));
        return None;
    }
    let Some(new) = name.value.text().filter(|new| is_name(new)) else {
        let message = format!("`{sort}.{}` cannot have that name", name.key);
        problems.add_with_hint(name.value.place, message, hint);
        return None;
    };
    Some((name.key.clone(), new.clone()))
}

fn renamed<'n>(names: &'n [(String, String)], old: &str) -> Option<&'n str> {
    names.iter().find(|(known, _)| known == old).map(|(_, new)| new.as_str())
}

/// Renames kinds in their tables, and in the changes of options to them.
fn change(tree: &mut Value, sort: &str, uses: &[&[&str]], names: &[(String, String)]) {
    change_tables(tree, sort, uses, names);
    let Some(when) = tree.entry_mut(super::options::WHEN) else { return };
    let Content::List(whens) = &mut when.value.content else { return };
    for when in whens {
        if let Some(change) = when.entry_mut("change") {
            change_tables(&mut change.value, sort, uses, names);
        }
        let Some(remove) = when.entry_mut("remove") else { continue };
        let Content::List(paths) = &mut remove.value.content else { continue };
        for path in paths {
            let Content::Text(text) = &mut path.content else { continue };
            let mut keys: Vec<&str> = text.split('.').collect();
            if let [table, kind, ..] = &mut keys[..]
                && *table == sort
                && let Some(new) = renamed(names, kind)
            {
                *kind = new;
                *text = keys.join(".");
            }
        }
    }
}

fn change_tables(tree: &mut Value, sort: &str, uses: &[&[&str]], names: &[(String, String)]) {
    if let Some(kinds) = tree.entry_mut(sort).and_then(|sort| sort.value.entries_mut()) {
        for kind in kinds.iter_mut().filter(|kind| kind.value.entries().is_some()) {
            if let Some(new) = renamed(names, &kind.key) {
                new.clone_into(&mut kind.key);
            }
        }
    }
    for way in uses {
        change_uses(tree, way, names);
    }
}

/// Changes the names at the end of a path from the root.
fn change_uses(value: &mut Value, way: &[&str], names: &[(String, String)]) {
    let Some((key, rest)) = way.split_first() else {
        if let Content::Text(text) = &mut value.content
            && let Some(new) = renamed(names, text)
        {
            new.clone_into(text);
        }
        return;
    };
    let Some(entries) = value.entries_mut() else { return };
    for entry in entries.iter_mut().filter(|entry| *key == "*" || entry.key == *key) {
        change_uses(&mut entry.value, rest, names);
    }
}

/// Two kinds must not get the same name.
fn report_doubles(merged: &Value, sort: &Entry, problems: &mut Problems) {
    let kinds = merged.entry(&sort.key).and_then(|sort| sort.value.entries()).into_iter().flatten();
    let mut seen: Vec<&str> = Vec::new();
    for kind in kinds {
        if seen.contains(&kind.key.as_str()) {
            let place: Span = sort.place;
            let message = format!("two kinds would be called `{}.{}`", sort.key, kind.key);
            problems.add_with_hint(place, message, "rename both, or `remove` the other one");
        }
        seen.push(&kind.key);
    }
}
