//! Studies by name or by file: built-in ones, and files of the user.

use std::collections::BTreeSet;
use std::path::Path;

use zerohop_document::FigureId;
use zerohop_document::suggest;
use zerohop_machine_file::Hardware;
use zerohop_study::{Study, StudyError};

use crate::built_in::{is_file, study_names, study_text};
use crate::file_kind::{FileKind, Mistaken};
use crate::files::{FileError, Files, NoFiles};
use crate::hint::Hinted;
use crate::name::{NameKind, UnknownName, unknown};
use crate::templates::is_generated;

/// The study that `name` names: a built-in one, unless the name contains `/` or ends in `.toml`.
///
/// # Errors
/// When there is no study of that name, or its file is wrong.
pub fn study(name: &str, files: &dyn Files) -> Result<Study, NoStudy> {
    if !is_file(name) {
        let text = study_text(name).ok_or_else(|| unknown(NameKind::Study, name, files))?;
        return parse(&format!("published/{name}.toml"), text);
    }
    let hint = "`zerohop reproduce --list` lists the built-in studies";
    let path = Path::new(name);
    let text = files.read_text(path, hint)?;
    let mut study = parse(name, &text).map_err(|error| {
        let mistaken = Mistaken::of_text(path, &text, FileKind::Study, hint);
        mistaken.map_or(error, Into::into)
    })?;
    // A rate in what is stated of a template (`MT/s`) makes no path of it.
    if is_file(&study.machine) && !is_generated(&study.machine) {
        let beside = path.parent().unwrap_or(Path::new("")).join(&study.machine);
        study.machine = beside.display().to_string();
    }
    Ok(study)
}

/// All built-in studies.
///
/// # Errors
/// When the file of one is wrong.
pub fn all() -> Result<Vec<Study>, NoStudy> {
    study_names().map(|name| study(name, &NoFiles)).collect()
}

/// Checks that built-in studies have the figures to which parameters of the machine were fitted. Returns the names of studies that
/// are not built in, each once.
///
/// # Errors
/// When a built-in study has no such figure.
pub fn check_fitted(hardware: &Hardware) -> Result<BTreeSet<String>, NoStudy> {
    let mut others = BTreeSet::new();
    for (parameter, fitted_to) in hardware.fitted() {
        for FigureId { study: name, .. } in &fitted_to.figures {
            if study_text(name).is_none() {
                others.insert(name.clone());
                continue;
            }
            let study = study(name, &NoFiles)?;
            if let Some(figure) = study.unknown_figures(fitted_to).next() {
                let known = study.passages.iter().map(|passage| passage.id.as_str());
                return Err(NoStudy::NoFigure {
                    parameter: parameter.path.clone(),
                    figure: figure.to_string(),
                    study: name.clone(),
                    meant: suggest(&figure.figure, known),
                });
            }
        }
    }
    Ok(others)
}

fn parse(file: &str, text: &str) -> Result<Study, NoStudy> {
    if text.trim().is_empty() {
        return Err(NoStudy::Empty { file: file.to_owned() });
    }
    Ok(Study::parse(file, text)?)
}

/// Reason why there is no study of a name, or no figure in it.
#[derive(Debug, thiserror::Error)]
pub enum NoStudy {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is of another kind.
    #[error(transparent)]
    Mistaken(#[from] Mistaken),
    /// Nothing is called so.
    #[error(transparent)]
    Unknown(#[from] UnknownName),
    /// The file is wrong.
    #[error(transparent)]
    Wrong(#[from] StudyError),
    /// The file is empty.
    #[error("`{file}` is not a study: it is empty")]
    Empty { file: String },
    /// It has no figure to which a parameter of a machine was fitted.
    #[error("`{parameter}` is fitted to `{figure}`, but study {study} has no figure with this name")]
    NoFigure {
        parameter: String,
        figure: String,
        study: String,
        /// Suggestion.
        meant: String,
    },
}

impl Hinted for NoStudy {
    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Mistaken(error) => error.hint(),
            Self::Unknown(error) => error.hint(),
            Self::Wrong(_) => None,
            Self::Empty { .. } => Some("docs/published-figures.md explains how to write one".to_owned()),
            Self::NoFigure { meant, .. } => Some(meant.clone()),
        }
    }
}

#[cfg(test)]
mod tests {
    use zerohop_machine::Settings;
    use zerohop_study::FigureGrade;

    use super::*;
    use crate::built_in::machine_names;
    use crate::library;

    /// Every way in which a study or nobody sets the machine: settings may bring parameters of their own.
    fn variants(machine: &str) -> Vec<Hardware> {
        let studies = all().unwrap();
        let of_studies = studies.iter().filter(|study| study.machine == machine);
        let settings = of_studies.flat_map(|study| &study.variants).cloned().chain([Settings::none()]);
        settings.map(|settings| library::hardware(machine, &settings, &NoFiles).unwrap()).collect()
    }

    #[test]
    fn figures_that_built_in_machines_are_fitted_to_are_there_and_graded_as_fitted() {
        let mut named = 0;
        for machine in machine_names() {
            for hardware in variants(machine) {
                assert_eq!(check_fitted(&hardware).unwrap(), BTreeSet::new(), "{machine}");
                for figure in hardware.fitted().flat_map(|(_, fitted_to)| &fitted_to.figures) {
                    let study = study(&figure.study, &NoFiles).unwrap();
                    let passage = study.passages.iter().find(|passage| passage.id == figure.figure).unwrap();
                    // Runs of machines from spec sheets are predicted without what was chosen on them.
                    if machine_names().any(|name| name == study.machine) {
                        assert_eq!(passage.grade, FigureGrade::Fitted, "{machine}: {figure}");
                        named += 1;
                    }
                }
            }
        }
        assert!(named > 20, "{named}");
    }

    #[test]
    fn a_study_that_is_part_of_the_program_has_the_name_of_its_file() {
        let names: Vec<String> = all().unwrap().into_iter().map(|study| study.name).collect();
        let files: Vec<&str> = study_names().collect();
        assert_eq!(names, files);
    }
}
