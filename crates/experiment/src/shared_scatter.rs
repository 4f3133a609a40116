//! Scatter shared by the cells of a run, for times and for rates.

use zerohop_statistics::{Rounds, Scatter};
use zerohop_workload::{Dimension, Measure};

/// Scatter of the rounds of times, of rates and of all cells.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct SharedScatter {
    times: Option<Scatter>,
    rates: Option<Scatter>,
}

impl SharedScatter {
    /// The scatter that these cells show. Where there are too few times or rates, what all cells show stands for them.
    pub(crate) fn of(cells: &[(Measure, Rounds)]) -> Self {
        let of = |wanted: Option<Dimension>| {
            let is_wanted = |measure: &Measure| {
                let own = measure.dimension();
                wanted.map_or(matches!(own, Dimension::Time | Dimension::Rate), |wanted| own == wanted)
            };
            Scatter::of(
                cells.iter().filter(|(measure, _)| is_wanted(measure)).map(|(_, rounds)| rounds.batches()),
            )
        };
        let all = of(None);
        Self { times: of(Some(Dimension::Time)).or(all), rates: of(Some(Dimension::Rate)).or(all) }
    }

    /// Scatter of the cells of a measure.
    pub(crate) fn scatter(&self, measure: Measure) -> Option<&Scatter> {
        match measure.dimension() {
            Dimension::Time => self.times.as_ref(),
            Dimension::Rate => self.rates.as_ref(),
            _ => None,
        }
    }
}
