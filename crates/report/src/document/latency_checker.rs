//! One measurement of Intel's Memory Latency Checker, or all of them, as it prints them.

use zerohop_result::{Catalogue, ResultFile};

use crate::mlc::{MlcOutput, everything, output};
use crate::render::{Document, Views};

/// A result in the place of output of Intel's Memory Latency Checker.
#[derive(Debug, Clone, Copy)]
pub struct LatencyChecker<'a> {
    pub file: &'a ResultFile,
    pub experiments: Catalogue,
    /// The measurement, or none for all of them.
    pub output: Option<MlcOutput>,
}

impl Document for LatencyChecker<'_> {
    const NAME: &'static str = "output of Intel's Memory Latency Checker";
    const VIEWS: Views<Self> = Views {
        mlc: Some(|checker| {
            Ok(match checker.output {
                Some(one) => output(checker.file, one, checker.experiments)?,
                None => everything(checker.file, checker.experiments)?,
            })
        }),
        ..Views::NONE
    };
}
