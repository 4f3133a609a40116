//! Reports of the nodes of a fleet, which a page links to.

use std::path::{Component, Path};

use zerohop_fleet::Fleet;

use super::Gathered;
use crate::file_kind::IN_DIRECTORY;
use crate::files::{Entry, Files};

/// The report in the directory of a survey.
const REPORT: &str = "report.html";

/// Names the report of each node that has one, as an address relative to the directory of the page: that in the directory of
/// a survey, or the file that differs from that of the result in its extension only.
pub fn link_reports(fleet: &mut Fleet, gathered: &Gathered, directory: &Path, files: &dyn Files) {
    for member in fleet.file.groups.iter_mut().flat_map(|group| &mut group.members) {
        let number = gathered.roster.number_of(&member.node);
        let Some((result, _)) = number.and_then(|number| gathered.sources.get(number)) else { continue };
        let report = match files.entry(result) {
            Some(Entry::Directory) => result.join(REPORT),
            _ if result.file_name().is_some_and(|name| name == IN_DIRECTORY) => result.with_file_name(REPORT),
            _ => result.with_extension("html"),
        };
        if files.entry(&report) == Some(Entry::File) {
            member.report = address(directory, &report);
        }
    }
}

/// The address of a file as seen from a directory; `None` if that cannot be told from their names.
fn address(directory: &Path, file: &Path) -> Option<String> {
    let parts = |path: &Path| -> Option<Vec<String>> {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        parts.map(|part| Some(part.as_os_str().to_str()?.to_owned())).collect()
    };
    if directory.is_absolute() != file.is_absolute() {
        return None;
    }
    let (from, to) = (parts(directory)?, parts(file)?);
    let common = from.iter().zip(&to).take_while(|(one, other)| one == other).count();
    let (from, to) = (&from[common..], &to[common..]);
    if from.iter().any(|part| part == "..") {
        return None;
    }
    let up = from.iter().map(|_| "..".to_owned());
    let down = to.iter().map(|part| encoded(part));
    Some(up.chain(down).collect::<Vec<_>>().join("/"))
}

/// A name as a part of an address (RFC 3986): what could be anything else is written in hexadecimal.
fn encoded(part: &str) -> String {
    let encode = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    part.bytes().map(encode).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_are_found_from_where_the_page_is() {
        let of = |directory: &str, file: &str| address(Path::new(directory), Path::new(file));
        for (directory, file, found) in [
            ("", "fleet/n1/report.html", "fleet/n1/report.html"),
            ("./pages", "./fleet/n1.html", "../fleet/n1.html"),
            ("fleet", "fleet/a b:#?.html", "a%20b%3A%23%3F.html"),
            ("a", "../b.html", "../../b.html"),
            ("/x/a", "/x/b.html", "../b.html"),
        ] {
            assert_eq!(of(directory, file).as_deref(), Some(found), "{directory} {file}");
        }
        assert_eq!(of("..", "b.html"), None);
        assert_eq!(of("/x", "b.html"), None);
    }
}
