//! Documents, one per file: the name of each, and the formats that it has.

mod calibration;
mod capture;
mod ceiling;
mod cells;
mod comparison;
mod expected;
mod experiment;
mod hardware;
mod imported;
mod latency_checker;
mod link_load;
mod machine;
mod machine_check;
mod machine_file;
mod machine_list;
mod placed_file;
mod placement_advice;
mod reproduction;
mod settings_advice;
mod studies;
mod survey;
mod sweep;
mod template;
mod validation;
mod whereabouts;

pub use expected::ShownResult;
pub use experiment::Experiment;
pub use imported::ImportedResult;
pub use latency_checker::LatencyChecker;
pub use link_load::LinkLoad;
pub use machine_check::MachineCheck;
pub use machine_list::MachineList;
pub(crate) use settings_advice::standing_word;
pub use studies::Studies;
pub use survey::Survey;
pub use template::{TemplateList, TemplateParameters};
