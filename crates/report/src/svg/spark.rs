//! A course of values in the room of a few words.

use maud::{Markup, html};

use crate::svg::history_chart::LEAST_ROOM;

/// Size, in pixels.
const SIZE: (f64, f64) = (132.0, 30.0);

/// Free room around it, so that a dot at its end is whole.
const MARGIN: f64 = 4.0;

/// Points of it, at most.
const MOST: usize = 60;

/// Values in their order, with these words for a pointer and for who cannot see it. Its height is five percent of the median up and down, or more.
pub(crate) fn spark(values: &[f64], words: &str) -> Markup {
    let every = values.len().div_ceil(MOST).max(1);
    // The last value is always drawn.
    let shown: Vec<f64> = values.iter().rev().step_by(every).rev().copied().collect();
    let median = zerohop_statistics::median(shown.iter().copied()).unwrap_or(0.0);
    let room = LEAST_ROOM * median.abs();
    let (least, most) = shown
        .iter()
        .fold((median - room, median + room), |(least, most), value| (least.min(*value), most.max(*value)));
    let span = if most > least { most - least } else { 1.0 };
    let across = (SIZE.0 - 2.0 * MARGIN) / shown.len().saturating_sub(1).max(1) as f64;
    let place = |(rank, value): (usize, &f64)| {
        let y = MARGIN + (most - value) / span * (SIZE.1 - 2.0 * MARGIN);
        (MARGIN + rank as f64 * across, if y.is_finite() { y } else { SIZE.1 / 2.0 })
    };
    let points: Vec<(f64, f64)> = shown.iter().enumerate().map(place).collect();
    let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    html! {
        svg.spark width=(SIZE.0) height=(SIZE.1) viewBox={ "0 0 " (SIZE.0) " " (SIZE.1) } role="img" aria-label=(words) {
            title { (words) }
            polyline points=(line.join(" ")) fill="none" {}
            @if let Some((x, y)) = points.last() { circle cx=(format!("{x:.1}")) cy=(format!("{y:.1}")) r="2.5" {} }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn noise_stays_in_the_middle_and_a_loss_does_not() {
        let heights = |values: &[f64]| {
            let markup = spark(values, "a").into_string();
            let points = markup.split("points=\"").nth(1).unwrap().split('"').next().unwrap();
            let heights: Vec<f64> =
                points.split(' ').map(|point| point.split_once(',').unwrap().1.parse().unwrap()).collect();
            heights
        };
        let noise = heights(&[100.0, 101.0, 99.5, 100.0]);
        assert!(noise.iter().all(|height| (10.0..20.0).contains(height)), "{noise:?}");
        let loss = heights(&[100.0, 100.0, 100.0, 82.0]);
        assert!(loss[3] > 25.0 && loss[0] < 14.0, "{loss:?}");
        assert_eq!(heights(&[5.0]).len(), 1);
        assert!(heights(&(0..1000).map(f64::from).collect::<Vec<_>>()).len() <= MOST);
        assert!(heights(&[0.0, f64::MAX, f64::MIN]).iter().all(|height| height.is_finite()));
    }
}
