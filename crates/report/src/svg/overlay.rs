//! The curves of latency under load of several results, in one picture.

use zerohop_result::{Axis, Catalogue, Drawing, ResultFile};

use crate::origin::subject;
use crate::sheet::{Sheet, sheets};
use crate::svg::canvas::{Canvas, Type, at};
use crate::svg::curve::{Series, curves, series};
use crate::svg::palette::FAINT;
use crate::svg::panel::{Breadth, GAP, PAGE, stack};

/// More curves than this cannot be told apart.
const MOST: usize = 6;

/// A picture of the curves of results, each with its name; `None` if fewer than two have one.
pub(crate) fn overlay(results: &[(String, &ResultFile)], experiments: Catalogue) -> Option<String> {
    let mut all: Vec<Series<'_>> = results
        .iter()
        .filter_map(|(name, file)| {
            let mut drawn = file.experiments.iter().flat_map(|result| sheets(result, experiments));
            let is_curve = |sheet: &Sheet<'_>| {
                sheet.drawing == Some(Drawing::Curve) && sheet.row_axis == Some(Axis::Delay)
            };
            let mut own = series(&drawn.find(is_curve)?)?.into_iter().next()?;
            // What was measured and what a model computed are not the same, in any part of a picture.
            own.name = Some(format!("{name}: {}", subject(file)));
            Some(own)
        })
        .collect();
    if all.len() < 2 {
        return None;
    }
    let more = all.len().saturating_sub(MOST);
    all.truncate(MOST);
    let mut page = Canvas::default();
    page.text(at(GAP, 42.0), Type::new(24.0).bold(), "results side by side");
    if more > 0 {
        let words = format!("the first {MOST}; {more} more have curves");
        page.text(at(GAP, 64.0), Type::new(13.0).fill(FAINT), &words);
    }
    let names: Vec<String> = all.iter().filter_map(|one| one.name.clone()).collect();
    let panel = curves("latency under load".to_owned(), &all, Breadth::Full, None);
    let end = stack(&mut page, &[panel], 84.0);
    Some(page.finish(PAGE, end, "Latency under load of several results", &names.join("; ")))
}
