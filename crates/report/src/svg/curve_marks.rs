//! Marks next to a curve of latency against bandwidth: the band of the expectation, and programs as points.

use zerohop_expectation::{ByPlace, Curve, Curves, Expectations};
use zerohop_result::{Cell, ExperimentResult, Measure};

use crate::expected_words::Ends;
use crate::number::significant;
use crate::printable::plain_line;
use crate::program_point::ProgramPoint;
use crate::svg::canvas::{Canvas, Point, Type, at};
use crate::svg::labels::Labels;
use crate::svg::palette::{CATEGORIES, INK};
use crate::svg::scale::Scale;

/// The band's color, light enough for all that is drawn on it.
pub(super) const BAND: &str = "#dff0e8";
/// Half of a program's mark.
const HALF: f64 = 6.0;
const SIZE: f64 = 11.5;

/// Knowledge besides the values of an experiment.
#[derive(Clone, Copy)]
pub(super) struct Beside<'a> {
    pub(super) result: &'a ExperimentResult,
    /// Expectations for the values.
    pub(super) expectations: Option<&'a Expectations>,
    pub(super) points: &'a [ProgramPoint],
}

impl<'a> Beside<'a> {
    /// Ends of the expected latency, in ns. A guess that was never validated is omitted.
    pub(super) fn expected(
        &self,
        latency: &Cell,
        (cells, ends): (&ByPlace<'_>, &Ends<'_>),
    ) -> Option<(f64, f64)> {
        let cell = cells.get(&(&self.result.experiment, Measure::Latency, &latency.at))?;
        let (low, high) = ends.around(cell);
        (cell.expected.validated && low.is_finite() && high.is_finite()).then_some((low, high))
    }

    /// Position of the programs on the curve of this cell: bandwidth, latency, and whether the curve extends so far.
    pub(super) fn on_curve(self, latency: &Cell) -> Vec<OnCurve<'a>> {
        let curves = Curves::new(self.result);
        let place = |point| OnCurve::of(point, curves.of(&latency.at));
        self.points.iter().map(place).collect()
    }
}

/// Characters of a name in a label.
const LONGEST: usize = 24;

/// A name, as far as a label has room.
fn short(name: &str) -> String {
    let name = plain_line(name);
    if name.chars().count() <= LONGEST {
        return name;
    }
    name.chars().take(LONGEST - 1).chain(['…']).collect()
}

/// A program next to a curve.
pub(super) struct OnCurve<'a> {
    point: &'a ProgramPoint,
    /// Latency of the program, or of the curve; `None` beyond the end of the curve.
    pub(super) latency: Option<f64>,
}

impl<'a> OnCurve<'a> {
    fn of(point: &'a ProgramPoint, curve: Option<&Curve>) -> Self {
        let own = point.latency.map(zerohop_units::Nanoseconds::get);
        let latency = own.or_else(|| curve?.latency_under(point.bandwidth.get()));
        Self { point, latency }
    }

    /// Bandwidth in GB/s.
    pub(super) fn bandwidth(&self) -> f64 {
        self.point.bandwidth.get()
    }

    /// Its name, its bandwidth, and the latency there.
    fn words(&self) -> String {
        let Self { point, latency } = self;
        let bandwidth = significant(self.bandwidth());
        let name = short(&point.name);
        match latency {
            Some(latency) => format!("{name}: {} ns at {bandwidth} GB/s", significant(*latency)),
            None => format!("{name}: {bandwidth} GB/s, outside the curve"),
        }
    }

    /// Draws it as a diamond with its label.
    pub(super) fn draw(&self, drawing: &mut Canvas, labels: &mut Labels, scales: [&Scale; 2], end: Point) {
        let spot = self.spot(scales, end);
        let words = self.words();
        let Point { x, y } = spot;
        let corners = [at(x, y - HALF), at(x + HALF, y), at(x, y + HALF), at(x - HALF, y)];
        drawing.named(&words, |drawing| drawing.polygon(&corners, CATEGORIES[5], INK));
        let look = Type::new(SIZE).bold();
        if !labels.write(drawing, spot, look, SIZE, &words) {
            // Where there is no room for all of it, the mark's title has the rest.
            labels.write(drawing, spot, look, SIZE, &short(&self.point.name));
        }
    }

    /// The place of its mark; beyond the curve, at the height of its end.
    pub(super) fn spot(&self, [across, up]: [&Scale; 2], end: Point) -> Point {
        at(across.at(self.bandwidth()), self.latency.map_or(end.y, |latency| up.at(latency)))
    }
}
