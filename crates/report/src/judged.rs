//! A result with what is known of it, for a browser.

use zerohop_diagnosis::Diagnosis;
use zerohop_insight::expectation::{Expectations, Knowledge};
use zerohop_result::{Catalogue, ResultFile};
use zerohop_workload::Origin;

use crate::html::{Part, Story, WIDE, listed, model_in_words};
use crate::program_point::ProgramPoint;
use crate::svg::survey_picture;
use crate::terminal::{findings_page, first_screen, survey_page};

/// A result, what its values should be, and what is wrong with its machine.
#[derive(Debug, Clone, Copy)]
pub struct Judged<'a> {
    /// The result.
    pub result: &'a ResultFile,
    /// The known experiments.
    pub experiments: Catalogue,
    /// What its values should be, if that is known.
    pub expectations: Option<&'a Expectations>,
    /// What is wrong with the machine, if rules were applied.
    pub diagnosis: Option<&'a Diagnosis>,
    /// Programs to lay on the curves of latency under load.
    pub points: &'a [ProgramPoint],
}

impl Judged<'_> {
    /// The command that opens a model of the machine: of the one that was simulated, or that values are held against.
    fn explore(&self) -> Option<String> {
        let machine = match (&self.result.origin, self.expectations.map(|known| &known.knowledge)) {
            (Origin::Model(_), _) => model_in_words(&self.result.machine),
            (_, Some(Knowledge::Model { machine, .. })) => {
                let mut words = machine.split(',');
                let name = format!("'{}'", words.next().unwrap_or_default());
                std::iter::once(name).chain(words.map(|setting| format!(" --set '{setting}'"))).collect()
            }
            _ => return None,
        };
        Some(format!("zerohop explore {machine}"))
    }

    /// What to know first, the picture, what was found, and every table.
    pub(crate) fn story(&self) -> Story {
        let Self { result, experiments, expectations, diagnosis, points: _ } = *self;
        let first = first_screen(result, experiments, expectations, diagnosis, &WIDE);
        let picture = Part::Picture { name: "survey".to_owned(), svg: survey_picture(self) };
        let found = diagnosis.map(|diagnosis| Part::Page(findings_page(diagnosis, &WIDE)));
        let whole = Part::Page(survey_page(result, experiments, expectations, diagnosis, &WIDE));
        let parts = [Part::Page(first), picture]
            .into_iter()
            .chain(found)
            .chain([whole, Part::Values { all: listed(result, expectations), explore: self.explore() }])
            .collect();
        Story { name: "a result", parts, data: vec![result.compact()] }
    }
}
