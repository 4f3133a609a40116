//! Studies by name or by file: those that are part of the program, and those that a user wrote.

use std::path::Path;

use zerohop_insight::Study;

use crate::failure::Failure;
use crate::library::{self, is_file};
use crate::text_file::read_text;

/// The study that `name` names: one that is part of the program, unless it has a `/` in it or `.toml` at its end.
///
/// # Errors
/// When there is none of that name, or its file is wrong.
pub(crate) fn study(name: &str) -> Result<Study, Failure> {
    if !is_file(name) {
        let known = library::studies().iter().find(|(known, _)| *known == name);
        let (name, text) = known.ok_or_else(|| library::unknown("study", name, library::studies()))?;
        return parse(&format!("published/{name}.toml"), text);
    }
    let hint = "`zerohop reproduce --list` names the studies that need no file";
    let text = read_text(Path::new(name), hint)?;
    let mut study = parse(name, &text)?;
    if is_file(&study.machine) {
        let beside = Path::new(name).parent().unwrap_or(Path::new("")).join(&study.machine);
        study.machine = beside.display().to_string();
    }
    Ok(study)
}

/// All that are part of the program.
///
/// # Errors
/// When the file of one is wrong.
pub(crate) fn all() -> Result<Vec<Study>, Failure> {
    library::studies().iter().map(|(name, _)| study(name)).collect()
}

fn parse(file: &str, text: &str) -> Result<Study, Failure> {
    Study::parse(file, text).map_err(Failure::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_study_that_is_part_of_the_program_has_the_name_of_its_file() {
        let names: Vec<String> = all().unwrap().into_iter().map(|study| study.name).collect();
        let files: Vec<&str> = library::studies().iter().map(|(name, _)| *name).collect();
        assert_eq!(names, files);
    }
}
