//! Studies by name or by file: those that come with the program, and those that a user wrote.

use std::path::Path;

use zerohop_insight::Study;

use crate::built_in::{is_file, study_names, study_text};
use crate::failure::Failure;
use crate::file_kind::{FileKind, mistaken};
use crate::text_file::read_text;
use crate::unknown_name::{Named, unknown};

/// The study that `name` names: a built-in one, unless the name contains `/` or ends in `.toml`.
///
/// # Errors
/// When there is no study of that name, or its file is wrong.
pub(crate) fn study(name: &str) -> Result<Study, Failure> {
    if !is_file(name) {
        let text = study_text(name).ok_or_else(|| unknown(Named::Study, name))?;
        return parse(&format!("published/{name}.toml"), text);
    }
    let hint = "`zerohop reproduce --list` names the studies that need no file";
    let path = Path::new(name);
    let text = read_text(path, hint)?;
    let mut study = parse(name, &text).map_err(|failure| {
        let other = FileKind::of(path) != Some(FileKind::Study);
        other.then(|| mistaken(path, FileKind::Study.name(), hint)).flatten().unwrap_or(failure)
    })?;
    if is_file(&study.machine) {
        let beside = path.parent().unwrap_or(Path::new("")).join(&study.machine);
        study.machine = beside.display().to_string();
    }
    Ok(study)
}

/// All built-in studies.
///
/// # Errors
/// When the file of one is wrong.
pub(crate) fn all() -> Result<Vec<Study>, Failure> {
    study_names().map(study).collect()
}

fn parse(file: &str, text: &str) -> Result<Study, Failure> {
    if text.trim().is_empty() {
        return Err(Failure::new(format_args!("`{file}` is not a study: it is empty"))
            .hint("docs/published-figures.md shows how to write one"));
    }
    Study::parse(file, text).map_err(Failure::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_that_is_part_of_the_program_has_the_name_of_its_file() {
        let names: Vec<String> = all().unwrap().into_iter().map(|study| study.name).collect();
        let files: Vec<&str> = study_names().collect();
        assert_eq!(names, files);
    }
}
