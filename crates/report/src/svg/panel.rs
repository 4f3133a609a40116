//! Panels: titled drawings, stacked in two columns of a page or across both.

use crate::svg::canvas::{Area, Canvas, Type, area, at};
use crate::svg::palette::{FAINT, HAIRLINE, PANEL};

/// Width of a page.
pub(crate) const PAGE: f64 = 1200.0;
/// Margin around the page, and gap between panels.
pub(crate) const GAP: f64 = 20.0;
/// Inside a panel's border.
const PADDING: f64 = 18.0;
/// Room for a panel's title.
const HEAD: f64 = 52.0;

/// Width of a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Breadth {
    Half,
    Full,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    pub(crate) title: String,
    /// Unit and reading aid.
    pub(crate) aside: String,
    /// Width of the panel.
    pub(crate) breadth: Breadth,
    /// Height of the drawing, without title and border.
    pub(crate) height: f64,
    /// The drawing, as wide as [`Breadth::content`].
    pub(crate) drawing: Canvas,
}

impl Breadth {
    fn outer(self) -> f64 {
        match self {
            Self::Half => (PAGE - 3.0 * GAP) / 2.0,
            Self::Full => PAGE - 2.0 * GAP,
        }
    }

    /// Width of the drawing in a panel.
    pub(crate) fn content(self) -> f64 {
        self.outer() - 2.0 * PADDING
    }
}

/// A drawing for a page that writes the title itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chart {
    pub(crate) title: String,
    /// Unit and reading aid.
    pub(crate) aside: String,
    /// Whether it takes the width of two others.
    pub(crate) is_wide: bool,
    /// The drawing, whose text is escaped.
    pub(crate) svg: String,
}

impl From<Panel> for Chart {
    fn from(panel: Panel) -> Self {
        let Panel { title, aside, breadth, height, drawing } = panel;
        let svg = drawing.finish_inside(breadth.content(), height, &title);
        Self { title, aside, is_wide: breadth == Breadth::Full, svg }
    }
}

/// Places panels on a page from `top` on, each in the column where it ends highest; returns the page's height without a
/// bottom margin.
pub(crate) fn stack(page: &mut Canvas, panels: &[Panel], top: f64) -> f64 {
    let mut ends = [top, top];
    for panel in panels {
        let column = usize::from(panel.breadth == Breadth::Half && ends[1] < ends[0]);
        let y = match panel.breadth {
            Breadth::Half => ends[column],
            Breadth::Full => ends[0].max(ends[1]),
        };
        let x = GAP + column as f64 * (Breadth::Half.outer() + GAP);
        let height = HEAD + panel.height + PADDING;
        draw(page, panel, area(x, y, panel.breadth.outer(), height));
        let end = y + height + GAP;
        match panel.breadth {
            Breadth::Half => ends[column] = end,
            Breadth::Full => ends = [end, end],
        }
    }
    ends[0].max(ends[1])
}

fn draw(page: &mut Canvas, panel: &Panel, place: Area) {
    page.framed(place, 10.0, PANEL, HAIRLINE);
    page.text(at(place.x + PADDING, place.y + 24.0), Type::new(14.5).bold(), &panel.title);
    page.text(at(place.x + PADDING, place.y + 41.0), Type::new(11.5).fill(FAINT), &panel.aside);
    page.place(at(place.x + PADDING, place.y + HEAD), &panel.drawing);
}
