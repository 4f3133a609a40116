//! Pages for the terminal: a machine, one experiment, a whole survey.

mod cases;
mod comparison;
mod experiment;
mod first_screen;
mod first_touch;
mod grid;
mod hardware;
mod idle;
mod imported;
mod light_load;
mod machine;
mod machine_list;
mod matrix;
mod node_matrix;
mod page;
mod parameters;
mod ramp;
mod reproduction;
mod style;
mod summary;
mod survey;
mod sweep;
mod trust;

pub use crate::printable::printable;
pub(crate) use comparison::comparison_page;
pub(crate) use experiment::experiment_page;
pub(crate) use first_screen::first_screen;
pub(crate) use hardware::{hardware_page, hardware_summary};
pub(crate) use imported::imported_page;
pub(crate) use machine::machine_page;
pub(crate) use machine_list::machine_list;
pub(crate) use reproduction::{reproduction_page, studies_page};
pub(crate) use style::Look;
pub use style::Style;
pub(crate) use survey::survey_page;
pub(crate) use sweep::sweep_page;
