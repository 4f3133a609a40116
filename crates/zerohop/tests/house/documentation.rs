//! Holds the documentation to its links: every file that a page names is there, and every heading.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders that hold no documentation of ours.
const OTHERS: [&str; 3] = ["target", "node_modules", ".git"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_owned()
}

/// Every page below a folder.
fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() && !OTHERS.contains(&name.as_str()) {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found
}

/// The lines of a page outside of code.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The names that readers of Markdown give to the headings of a page: lower case, with hyphens for blanks, and a number where it is there already.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for line in prose(text) {
        let heading = line.trim_start_matches('#');
        if !(1..=6).contains(&(line.len() - heading.len())) || !heading.starts_with(' ') {
            continue;
        }
        let plain = without_links(heading.trim());
        let kept = plain.chars().filter(|one| one.is_alphanumeric() || [' ', '-', '_'].contains(one));
        let name = kept.collect::<String>().to_lowercase().replace(' ', "-");
        let numbered = (1..).map(|rank| format!("{name}-{rank}"));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| !names.contains(name));
        names.extend(free);
    }
    names
}

/// A heading with the words of its links instead of the links.
fn without_links(text: &str) -> String {
    let Some((before, rest)) = text.split_once('[') else { return text.to_owned() };
    match rest.split_once("](") {
        Some((words, rest)) => {
            let after = rest.split_once(')').map_or("", |(_, after)| after);
            format!("{before}{words}{}", without_links(after))
        }
        None => text.to_owned(),
    }
}

/// The targets of the links of a page.
fn targets(text: &str) -> Vec<String> {
    let lines: Vec<&str> = prose(text).collect();
    // A link may go on in the next line.
    let text = lines.join("\n");
    let ends = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
    ends.map(|(target, _)| target.split_whitespace().next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading() {
    let mut broken = Vec::new();
    let mut checked = 0;
    for page in pages(&root()) {
        let text = fs::read_to_string(&page).unwrap();
        let shown = page.strip_prefix(root()).unwrap().display().to_string();
        for target in targets(&text).iter().filter(|target| !target.contains(':') && !target.is_empty()) {
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            checked += 1;
            if !file.exists() {
                broken.push(format!("{shown}: no file `{target}`"));
            } else if !anchor.is_empty() && !anchors(&fs::read_to_string(&file).unwrap()).contains(anchor) {
                broken.push(format!("{shown}: no heading `{target}`"));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
    assert!(checked > 200, "only {checked} links were found");
}

#[test]
fn headings_have_the_names_that_readers_give_them() {
    let text = "# A page: `code`, and (more)\n```\n# no heading\n```\n## [Linked](a.md) words_too\n## Twice\n## Twice\n#none\n";
    let expected = ["a-page-code-and-more", "linked-words_too", "twice", "twice-1"];
    assert_eq!(anchors(text), expected.into_iter().map(str::to_owned).collect());
}
