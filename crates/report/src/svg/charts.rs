//! The panels of a survey's picture, one by one, for a page that arranges them.

use zerohop_result::ExperimentResult;

use crate::assessed_result::AssessedResult;
use crate::svg::curve_marks::Beside;
use crate::svg::marks::Marks;
use crate::svg::panel::Chart;
use crate::svg::reach::machine_chart;
use crate::svg::survey_picture::panels;
use crate::svg::waterfall::waterfall;

/// Charts of a result. All of them mark the same cells.
pub(crate) struct Charts<'a> {
    judged: &'a AssessedResult<'a>,
    marks: Marks,
}

impl<'a> Charts<'a> {
    pub(crate) fn of(judged: &'a AssessedResult<'a>) -> Self {
        Self { judged, marks: Marks::of(judged.result, judged.diagnosis) }
    }

    /// The machine, with the performance of each node; `None` without values of several nodes, or with too many.
    pub(crate) fn machine(&self) -> Option<Chart> {
        machine_chart(self.judged, &self.marks)
    }

    /// Where each node's bandwidth goes; `None` unless a model predicts it.
    pub(crate) fn losses(&self) -> Option<Chart> {
        self.judged.expectations.and_then(waterfall).map(Chart::from)
    }

    /// The charts of an experiment; none if its values are in tables only.
    pub(crate) fn experiment(&self, result: &ExperimentResult) -> Vec<Chart> {
        let AssessedResult { result: file, experiments, expectations, points, .. } = *self.judged;
        let beside = Beside { result, expectations, points };
        panels(beside, experiments, file, &self.marks).into_iter().map(Chart::from).collect()
    }
}
