//! Pages for the terminal: a machine, one experiment, a whole survey.

mod cases;
mod comparison;
mod experiment;
mod first_touch;
mod grid;
mod hardware;
mod idle;
mod machine;
mod machine_list;
mod matrix;
mod page;
mod ramp;
mod reproduction;
mod style;
mod summary;
mod survey;
mod sweep;
mod trust;

pub use comparison::comparison_page;
pub use experiment::experiment_page;
pub use hardware::{hardware_page, hardware_summary};
pub use machine::machine_page;
pub use machine_list::machine_list;
pub use reproduction::{reproduction_page, studies_page};
pub use style::Style;
pub use survey::survey_page;
pub use sweep::sweep_page;
