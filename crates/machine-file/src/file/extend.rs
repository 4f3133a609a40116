//! Merges a file and the files that it extends into one tree.

use zerohop_document::{Content, Entry, Problems, Span, Value, parse, suggest};

use super::library::Library;
use super::options::WHEN;
use super::rename::{RENAME, rename};

/// The hint for a text that is not a machine file.
const FORM: &str =
    "machine files are TOML; `zerohop machine export quartet --format toml` writes one to start from";

const EXTEND: &str = "extend";
const REMOVE: &str = "remove";

/// The longest chain of extensions. It stops a library that makes up a new text for every name.
const LONGEST_CHAIN: usize = 16;

/// The tree of `text`, merged over the trees that it extends; `None` if a problem prevents merging.
pub(super) fn load(name: &str, text: &str, library: &dyn Library, problems: &mut Problems) -> Option<Value> {
    let mut chain = Vec::new();
    load_into(&mut chain, name, "", text, library, problems)
}

/// `chain` lists the names of the files from the first to the one that extends this one; `folder` is the directory of
/// this one, relative to that of the first.
fn load_into(
    chain: &mut Vec<String>,
    name: &str,
    folder: &str,
    text: &str,
    library: &dyn Library,
    problems: &mut Problems,
) -> Option<Value> {
    chain.push(name.to_owned());
    let file = problems.file(name, text);
    let before = problems.any();
    let mut own = parse(file, FORM, problems);
    if problems.any() && !before {
        return None;
    }
    let (extend, names, remove) = (own.take(EXTEND), own.take(RENAME), own.take(REMOVE));
    let Some(extend) = extend else {
        if let Some(names) = names {
            problems.add_with_hint(
                names.place,
                "there is nothing to rename",
                "`rename` renames kinds of the file in `extend`",
            );
        }
        if let Some(remove) = remove {
            problems.add_with_hint(
                remove.place,
                "there is nothing to remove from",
                "`remove` removes parts of the file in `extend`",
            );
        }
        return Some(own);
    };
    let base_name = text_of(&extend, problems)?;
    let is_in_chain = |text: &str| (0..=file).any(|earlier| problems.text(earlier).as_ref() == text);
    let Some(base_text) = library.read(&base_name, folder) else {
        let mut names = library.names();
        // A file that extends itself is not a better suggestion.
        names.retain(|name| library.read(name, folder).is_none_or(|text| !is_in_chain(&text)));
        let message = format!("no machine file `{base_name}`");
        let hint = match names.is_empty() {
            true => "give a built-in machine, or the path of a machine file".to_owned(),
            false => suggest(&base_name, names.iter().map(String::as_str)),
        };
        problems.add_with_hint(extend.value.place, message, hint);
        return None;
    };
    // One file may have several names, but a circle comes back to the same text.
    if is_in_chain(&base_text) {
        let way: Vec<String> = chain.iter().chain([&base_name]).map(|name| format!("`{name}`")).collect();
        let message = format!("files extend each other in a cycle: {}", way.join(" extends "));
        problems.add_with_hint(extend.value.place, message, "remove `extend` from one of them");
        return None;
    }
    if chain.len() == LONGEST_CHAIN {
        let message = format!("more than {LONGEST_CHAIN} files extend each other");
        problems.add_with_hint(extend.value.place, message, "extend the file at the end of the chain");
        return None;
    }
    if let Some(refused) = refusal(&base_name, &base_text) {
        let hint =
            format!("`zerohop machine check {base_name}` shows what is wrong with a machine file; {FORM}");
        problems.add_with_hint(extend.value.place, refused, hint);
        return None;
    }
    let base_folder = folder_of(folder, &base_name);
    let mut merged = load_into(chain, &base_name, &base_folder, &base_text, library, problems)?;
    if let Some(names) = names {
        rename(&mut merged, &names, problems);
    }
    if let Some(remove) = remove {
        remove_parts(&mut merged, &remove, problems);
    }
    // Changes accumulate: those of the extended file come first, then those of this one.
    let earlier = merged.take(WHEN);
    merged.overlay(own);
    if let Some(earlier) = earlier {
        prepend(&mut merged, earlier);
    }
    Some(merged)
}

/// Keys of which a machine file has at least one, whatever else it has.
const KEYS: [&str; 18] = [
    "channel",
    "cluster",
    "coherence",
    "core",
    EXTEND,
    "hash",
    "home",
    "link",
    "mesh",
    "node",
    "option",
    "prediction",
    "processor",
    "router",
    "routing",
    "system",
    WHEN,
    "wire",
];

/// Why a file that another names is none to be extended. A path in a file may lead to any file of the reader's, so that nothing
/// of it is quoted before it is known for a machine file.
fn refusal(name: &str, text: &str) -> Option<String> {
    let mut alone = Problems::of(name, text);
    let own = parse(0, FORM, &mut alone);
    if let Some(first) = alone.into_list().first() {
        return Some(format!("`{name}` is not a machine file: line {} is not TOML", first.line));
    }
    let has_one = KEYS.iter().any(|key| own.entry(key).is_some());
    (!has_one).then(|| format!("`{name}` is not a machine file: it has none of its tables"))
}

/// The directory of the file that a file in `folder` refers to as `name`.
fn folder_of(folder: &str, name: &str) -> String {
    match name.rsplit_once('/') {
        Some(("", _)) => "/".to_owned(),
        Some((own, _)) if own.starts_with('/') || folder.is_empty() => own.to_owned(),
        Some((own, _)) => format!("{folder}/{own}"),
        None => folder.to_owned(),
    }
}

/// Puts `earlier` before the list of the same key.
fn prepend(merged: &mut Value, earlier: Entry) {
    let Some(entries) = merged.entries_mut() else { return };
    let Some(own) = entries.iter_mut().find(|entry| entry.key == earlier.key) else {
        return entries.push(earlier);
    };
    // If one of them is not a list, this is reported where the key is read.
    if let (Content::List(own), Content::List(earlier)) = (&mut own.value.content, earlier.value.content) {
        own.splice(0..0, earlier);
    }
}

fn text_of(entry: &Entry, problems: &mut Problems) -> Option<String> {
    let text = entry.value.text().cloned();
    if text.is_none() {
        let message = format!("`{}` must be the name of a machine, not {}", entry.key, entry.value.kind());
        problems.add_with_hint(entry.value.place, message, "write, for example, `extend = \"quartet\"`");
    }
    text
}

fn remove_parts(merged: &mut Value, remove: &Entry, problems: &mut Problems) {
    let wrong = |problems: &mut Problems, place: Span, kind: &str| {
        let message = format!("`remove` must be a list of parts, not {kind}");
        problems.add_with_hint(place, message, "write, for example, `remove = [\"link.0-1\"]`");
    };
    let Content::List(paths) = &remove.value.content else {
        return wrong(problems, remove.value.place, remove.value.kind());
    };
    for path in paths {
        match path.text() {
            None => wrong(problems, path.place, path.kind()),
            Some(text) => remove_part(merged, text, path.place, problems),
        }
    }
}

/// Removes a part; a part that does not exist is reported.
pub(super) fn remove_part(merged: &mut Value, path: &str, place: Span, problems: &mut Problems) {
    let mut table = &mut *merged;
    let mut rest = path;
    while let Some((key, inner)) = rest.split_once('.') {
        if table.entry(key).is_none() {
            break;
        }
        let Some(entry) = table.entry_mut(key) else { return };
        (table, rest) = (&mut entry.value, inner);
    }
    if table.take(rest).is_some() {
        return;
    }
    let parent = &path[..path.len() - rest.len()];
    let there: Vec<String> =
        table.entries().into_iter().flatten().map(|entry| format!("{parent}{}", entry.key)).collect();
    let message = format!("no `{path}` to remove");
    problems.add_with_hint(place, message, suggest(path, there.iter().map(String::as_str)));
}
