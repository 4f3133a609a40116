//! Advice: what to set on a machine, by the effect that a model gives it and by what vendors document.

#![forbid(unsafe_code)]

pub mod settings;
