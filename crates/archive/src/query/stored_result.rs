//! Results as an archive keeps them.

use crate::StoredResult;
use zerohop_experiment::catalogue;
use zerohop_importers::KINDS;
use zerohop_result::{Catalogue, ListedResult, ResultFile};

use crate::query::error::QueryError;

/// Everything that a result may hold.
pub fn experiments() -> Catalogue {
    catalogue().with_imported(KINDS)
}

/// Text of a result's file. A text that only another version can read is returned as stored.
pub fn text_of(kept: StoredResult) -> String {
    ResultFile::read(&kept.text).map_or(kept.text, |result| result.text())
}

/// The result of a text, which was one when it was added.
///
/// # Errors
/// When a later version wrote it, and this one cannot read it.
pub fn read(listed: &ListedResult, text: &str) -> Result<ResultFile, QueryError> {
    ResultFile::read(text).map_err(|error| QueryError::Unreadable { id: listed.id.clone(), error })
}
