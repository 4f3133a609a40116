//! The file that a sweep's rows go to, in the form that its name says.

use std::path::Path;

use zerohop_insight::SweepResult;
use zerohop_report::{csv, json};

use crate::failure::Failure;
use crate::whole_file::WholeFile;

/// A file of rows.
#[derive(Debug)]
pub(crate) struct SweepOutput {
    file: WholeFile,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Csv,
    Json,
    Parquet,
}

impl SweepOutput {
    /// The file at `path`; nothing is written yet.
    ///
    /// # Errors
    /// When its ending names no form, or something stands there that is no regular file.
    pub(crate) fn at(path: &Path) -> Result<Self, Failure> {
        let form = form(path)?;
        Ok(Self { file: WholeFile::at(path)?, form })
    }

    /// Its path, as the user named it.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Replaces it.
    ///
    /// # Errors
    /// When it cannot be written; what was there before is still there.
    pub(crate) fn write(&self, result: &SweepResult) -> Result<(), Failure> {
        match self.form {
            Form::Csv => self.file.replace(csv::sweep_csv(result)),
            Form::Json => self.file.replace(json::sweep_json(result)),
            Form::Parquet => self.file.replace(parquet(result)?),
        }
    }
}

fn form(path: &Path) -> Result<Form, Failure> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    match ending.to_str() {
        Some("csv") => Ok(Form::Csv),
        Some("json") => Ok(Form::Json),
        Some("parquet") if cfg!(feature = "parquet") => Ok(Form::Parquet),
        Some("parquet") => Err(Failure::new("this zerohop was built without Parquet")
            .hint("end the name with .csv or .json, or build with `--features parquet`")),
        _ => Err(Failure::new(format_args!("`{}` does not say in which form rows are kept", path.display()))
            .hint("end its name with .csv, .json or .parquet")),
    }
}

#[cfg(feature = "parquet")]
fn parquet(result: &SweepResult) -> Result<Vec<u8>, Failure> {
    zerohop_report::parquet::sweep_parquet(result)
        .map_err(|error| Failure::new(format_args!("cannot write the rows as Parquet: {error}")))
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &SweepResult) -> Result<Vec<u8>, Failure> {
    Err(Failure::new("this zerohop was built without Parquet"))
}
