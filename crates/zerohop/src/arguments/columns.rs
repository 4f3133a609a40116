//! Which columns rows have.

use clap::Args;
use zerohop_report::Columns;

/// Which columns rows have.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct ColumnArguments {
    /// Keep CSV columns that are empty in every row (default: omit coordinates that no row has)
    #[arg(long)]
    pub(crate) all_columns: bool,
}

impl ColumnArguments {
    pub(crate) const fn columns(self) -> Columns {
        if self.all_columns { Columns::All } else { Columns::Filled }
    }
}
