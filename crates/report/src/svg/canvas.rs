//! Writing SVG: shapes, text and groups, with everything escaped.

use std::fmt::Write as _;

use zerohop_machine::xml_text;

use crate::svg::palette::{INK, PAPER};

/// A place, in pixels from the upper left.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

/// A rectangle, in pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Area {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// The typography of a piece of text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Type {
    size: f64,
    fill: &'static str,
    bold: bool,
    anchor: &'static str,
}

/// A drawing in progress.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Canvas {
    body: String,
    /// Whether it has links: a picture that is one image to who cannot see it hides them.
    has_links: bool,
}

const FONTS: &str = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif";

pub(crate) const fn at(x: f64, y: f64) -> Point {
    Point { x, y }
}

pub(crate) const fn area(x: f64, y: f64, width: f64, height: f64) -> Area {
    Area { x, y, width, height }
}

impl Type {
    /// Plain text of this size, beginning at its place.
    pub(crate) const fn new(size: f64) -> Self {
        Self { size, fill: INK, bold: false, anchor: "start" }
    }

    pub(crate) const fn bold(self) -> Self {
        Self { bold: true, ..self }
    }

    pub(crate) const fn fill(self, fill: &'static str) -> Self {
        Self { fill, ..self }
    }

    /// Centered at its place.
    pub(crate) const fn middle(self) -> Self {
        Self { anchor: "middle", ..self }
    }

    /// Ending at its place.
    pub(crate) const fn end(self) -> Self {
        Self { anchor: "end", ..self }
    }

    /// About how wide `text` is, for layout: fonts differ, so this is on the generous side.
    pub(crate) fn width(self, text: &str) -> f64 {
        let em = if self.bold { 0.64 } else { 0.6 };
        text.chars().count() as f64 * self.size * em
    }
}

impl Canvas {
    /// A filled rectangle with rounded corners.
    pub(crate) fn rect(&mut self, area: Area, radius: f64, fill: &str) {
        let shape = shape(area, radius);
        self.push(&format!("<rect {shape} fill=\"{}\"/>", xml_text(fill)));
    }

    /// A rectangle with a thin border.
    pub(crate) fn framed(&mut self, area: Area, radius: f64, fill: &str, stroke: &str) {
        let (shape, fill, stroke) = (shape(area, radius), xml_text(fill), xml_text(stroke));
        self.push(&format!("<rect {shape} fill=\"{fill}\" stroke=\"{stroke}\"/>"));
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, stroke: &str, width: f64) {
        self.push(&format!(
            "<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"{}\" stroke-width=\"{}\"/>",
            pixels(from.x),
            pixels(from.y),
            pixels(to.x),
            pixels(to.y),
            xml_text(stroke),
            pixels(width)
        ));
    }

    /// A line through points.
    pub(crate) fn polyline(&mut self, points: &[Point], stroke: &str, width: f64) {
        let points: Vec<String> =
            points.iter().map(|point| format!("{},{}", pixels(point.x), pixels(point.y))).collect();
        self.push(&format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\"/>",
            points.join(" "),
            xml_text(stroke),
            pixels(width)
        ));
    }

    /// A filled shape between points.
    pub(crate) fn polygon(&mut self, points: &[Point], fill: &str, stroke: &str) {
        let points: Vec<String> =
            points.iter().map(|point| format!("{},{}", pixels(point.x), pixels(point.y))).collect();
        self.push(&format!(
            "<polygon points=\"{}\" fill=\"{}\" stroke=\"{}\"/>",
            points.join(" "),
            xml_text(fill),
            xml_text(stroke)
        ));
    }

    /// A dot with a rim in the color of the paper, which separates it from a line through it.
    pub(crate) fn dot(&mut self, place: Point, radius: f64, fill: &str) {
        self.push(&format!(
            "<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" stroke=\"{PAPER}\" stroke-width=\"1.5\"/>",
            pixels(place.x),
            pixels(place.y),
            pixels(radius),
            xml_text(fill)
        ));
    }

    /// Text with its base line at a place.
    pub(crate) fn text(&mut self, place: Point, look: Type, text: &str) {
        let weight = if look.bold { " font-weight=\"600\"" } else { "" };
        let anchor =
            if look.anchor == "start" { String::new() } else { format!(" text-anchor=\"{}\"", look.anchor) };
        self.push(&format!(
            "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill=\"{}\"{weight}{anchor}>{}</text>",
            pixels(place.x),
            pixels(place.y),
            pixels(look.size),
            look.fill,
            xml_text(text)
        ));
    }

    /// Groups what `draw` draws, with a tooltip.
    pub(crate) fn named(&mut self, name: &str, draw: impl FnOnce(&mut Self)) {
        self.push(&format!("<g><title>{}</title>", xml_text(name)));
        draw(self);
        self.push("</g>");
    }

    /// Draws with a link to an address.
    pub(crate) fn linked(&mut self, address: &str, name: &str, draw: impl FnOnce(&mut Self)) {
        let (address, name) = (xml_text(address), xml_text(name));
        self.push(&format!("<a href=\"{address}\" aria-label=\"{name}\"><title>{name}</title>"));
        draw(self);
        self.push("</a>");
        self.has_links = true;
    }

    /// Bars one unit high along lines that a path of SVG draws, in a grid with cells of this size whose upper left corner is here.
    pub(crate) fn bars_in_grid(&mut self, grid: Area, paths: impl Iterator<Item = (String, String)>) {
        let Area { x, y, width, height } = grid;
        // The middle of the first row is half a cell below the corner. Edges between neighbors must not shine through.
        self.push(&format!(
            "<g transform=\"translate({} {}) scale({width:.4} {height:.4}) translate(0 0.5)\" fill=\"none\" shape-rendering=\"crispEdges\">",
            pixels(x),
            pixels(y)
        ));
        for (path, stroke) in paths {
            self.push(&format!("<path d=\"{}\" stroke=\"{}\"/>", xml_text(&path), xml_text(&stroke)));
        }
        self.push("</g>");
    }

    /// Data for scripts of a page, which nothing draws.
    pub(crate) fn data(&mut self, class: &str, json: &str) {
        self.push(&format!("<metadata class=\"{class}\">{}</metadata>", xml_text(json)));
    }

    /// Another drawing, with its upper left corner here.
    pub(crate) fn place(&mut self, corner: Point, other: &Self) {
        self.has_links |= other.has_links;
        self.push(&format!("<g transform=\"translate({} {})\">", pixels(corner.x), pixels(corner.y)));
        self.body.push_str(&other.body);
        self.push("</g>");
    }

    /// The whole file: the drawing on a page of its own, with a title and a description for readers who cannot see it.
    pub(crate) fn finish(self, width: f64, height: f64, title: &str, description: &str) -> String {
        let (width, height) = (pixels(width), pixels(height));
        let role = if self.has_links { "group" } else { "img" };
        let mut text = String::new();
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"{role}\" aria-labelledby=\"title description\" \
             font-family=\"{FONTS}\">"
        );
        let _ = writeln!(text, "<title id=\"title\">{}</title>", xml_text(title));
        let _ = writeln!(text, "<desc id=\"description\">{}</desc>", xml_text(description));
        let _ = writeln!(text, "<rect width=\"{width}\" height=\"{height}\" rx=\"12\" fill=\"{PAPER}\"/>");
        text.push_str(&self.body);
        text.push_str("</svg>\n");
        text
    }

    /// The drawing alone, for a page that has its own background, title and colors. A page in dark colors replaces those of the drawing.
    pub(crate) fn finish_inside(self, width: f64, height: f64, label: &str) -> String {
        let (width, height) = (pixels(width), pixels(height));
        let role = if self.has_links { "group" } else { "img" };
        let label = xml_text(label);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             role=\"{role}\" aria-label=\"{label}\" font-family=\"{FONTS}\">\n{}</svg>",
            self.body
        )
    }

    fn push(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }
}

fn shape(area: Area, radius: f64) -> String {
    let corner = if radius > 0.0 { format!(" rx=\"{}\"", pixels(radius)) } else { String::new() };
    format!(
        "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"{corner}",
        pixels(area.x),
        pixels(area.y),
        pixels(area.width.max(0.0)),
        pixels(area.height.max(0.0))
    )
}

/// A length with at most one decimal: a tenth of a pixel is finer than anyone sees.
fn pixels(length: f64) -> String {
    let length = if length.is_finite() { length } else { 0.0 };
    let tenths = format!("{length:.1}");
    tenths.strip_suffix(".0").map_or(tenths.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_breaks_the_markup() {
        let mut canvas = Canvas::default();
        canvas.text(at(f64::NAN, 1.25), Type::new(12.0), "a < b & \"c\" \u{0}\u{ffff}");
        canvas.named("<x>", |canvas| canvas.rect(area(0.0, 0.0, -1.0, 2.0), 3.0, "red"));
        let text = canvas.finish(10.0, 20.0, "<t>", "d & e");
        let tree = roxmltree::Document::parse(&text).unwrap();
        let written = tree.descendants().find(|node| node.has_tag_name("text")).unwrap();
        assert_eq!(written.text(), Some("a < b & \"c\" \u{fffd}\u{fffd}"));
        assert_eq!(written.attribute("x"), Some("0"));
    }
}
