//! Pictures: self-contained SVG with its own background, no scripts and no fonts of its own; every number is printed,
//! and colors can be distinguished without color vision.

mod bars;
mod canvas;
mod comparison_picture;
mod curve;
mod curve_marks;
mod dots;
mod fabric_picture;
mod fleet_dot;
mod fleet_map;
mod fleet_picture;
mod heat_map;
mod labels;
mod machine_picture;
mod marks;
mod name_tags;
mod overlay;
mod palette;
mod panel;
mod ratio_dots;
mod ratio_map;
mod ratio_scale;
mod reach;
mod rise;
mod scale;
mod shade;
mod shares;
mod steps;
mod sums;
mod survey_picture;
mod waterfall;
mod zoomed;

pub(crate) use bars::plain;
pub(crate) use canvas::{Point, at};
pub(crate) use comparison_picture::comparison_picture;
pub use fabric_picture::NoLoad;
pub(crate) use fabric_picture::{hardware_picture, load_picture};
pub(crate) use fleet_dot::is_relative;
pub(crate) use fleet_picture::fleet_picture;
pub(crate) use machine_picture::machine_picture;
pub(crate) use name_tags::{NameTag, name_tags};
pub(crate) use overlay::overlay;
pub(crate) use palette::Ramp;
pub(crate) use scale::Scale;
pub(crate) use shade::{Shade, divergence};
pub(crate) use survey_picture::{experiment_picture, survey_picture};
