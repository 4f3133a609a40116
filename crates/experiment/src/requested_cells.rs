//! The places at which somebody wants cells, found at once for each measurement of a plan: both may be many thousands.

use std::collections::{HashMap, HashSet};

use zerohop_result::{Axis, Coordinate, Coordinates};

/// Coordinates in which a place may differ from the cell that stands for it.
const ELASTIC: [Axis; 2] = [Axis::Footprint, Axis::ThreadsPerCore];

/// The places at which cells are wanted.
pub(crate) struct RequestedCells<'a> {
    places: &'a [Coordinates],
    /// The initiators of curves.
    of_curves: HashSet<Option<&'a Coordinate>>,
    /// Coordinates of the places along the axes that a cell fixes, by these axes.
    along: HashMap<Vec<Axis>, HashSet<Vec<&'a Coordinate>>>,
}

impl<'a> RequestedCells<'a> {
    pub(crate) fn at(places: &'a [Coordinates]) -> Self {
        let curves = places.iter().filter(|place| place.get(Axis::Delay).is_some());
        let of_curves = curves.map(|place| place.get(Axis::Initiator)).collect();
        Self { places, of_curves, along: HashMap::new() }
    }

    /// Whether a cell is at one of these places, or at one that replaces it in a model: caches of another machine have other sizes, and a curve is
    /// that of its initiator, whatever its delays.
    pub(crate) fn has(&mut self, own: &Coordinates) -> bool {
        if own.get(Axis::Delay).is_some() {
            return self.of_curves.contains(&own.get(Axis::Initiator));
        }
        let (axes, fixed): (Vec<Axis>, Vec<&Coordinate>) =
            own.0.iter().filter(|(axis, _)| !ELASTIC.contains(axis)).unzip();
        let places = self.places;
        let along = self.along.entry(axes).or_insert_with_key(|axes| {
            let of = |place: &'a Coordinates| axes.iter().map(|axis| place.get(*axis)).collect();
            places.iter().filter_map(of).collect()
        });
        let along: &HashSet<Vec<&Coordinate>> = along;
        along.contains(&fixed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_wanted_at_its_place_whatever_its_buffer_and_on_a_curve_whatever_its_delay() {
        let at = |initiator: u32| Coordinates::new().with(Axis::Initiator, initiator);
        let places = [at(0).with(Axis::Target, 1u32).with(Axis::Mix, "1:1"), at(2).with(Axis::Delay, 5u32)];
        let mut wanted = RequestedCells::at(&places);
        assert!(wanted.has(&at(0)) && wanted.has(&at(0).with(Axis::Footprint, 4096u32)));
        assert!(wanted.has(&places[0]) && !wanted.has(&at(0).with(Axis::Target, 0u32)));
        assert!(wanted.has(&at(2).with(Axis::Delay, 700u32)) && !wanted.has(&at(0).with(Axis::Delay, 5u32)));
        assert!(!wanted.has(&at(3)));
    }
}
