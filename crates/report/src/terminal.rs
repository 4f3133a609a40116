//! Pages for the terminal: a machine, one experiment, a whole survey.

mod experiment;
mod grid;
mod machine;
mod matrix;
mod page;
mod reproduction;
mod style;
mod summary;
mod survey;
mod trust;

pub use experiment::experiment_page;
pub use machine::machine_page;
pub use reproduction::{reproduction_page, studies_page};
pub use style::Style;
pub use survey::survey_page;
