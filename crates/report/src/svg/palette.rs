//! Colors. Categories are those of Okabe and Ito (<https://jfly.uni-koeln.de/color/>), which people with any kind of
//! color vision can distinguish; ramps run from light to dark, so that lightness alone shows their order.

pub(crate) const INK: &str = "#17212b";
/// Ink on a colored cell. It differs from [`INK`] in one unit, so that a page in dark colors, which replaces ink by a light color, leaves it.
pub(crate) const INK_ON_COLOR: &str = "#17212a";
pub(crate) const FAINT: &str = "#5b6875";
pub(crate) const HAIRLINE: &str = "#d3dae1";
/// Text on colors between light and dark, where ink is too light.
const BLACK: &str = "#000000";
pub(crate) const PAPER: &str = "#ffffff";
/// A panel on the page.
pub(crate) const PANEL: &str = "#f6f8fa";
pub(crate) const VOID: &str = "#eceff2";
pub(crate) const DOUBT: &str = "#9a4a00";

/// Categories, in the order of use: blue, orange, green, purple, sky, vermilion.
pub(crate) const CATEGORIES: [&str; 6] = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00"];

/// A color: red, green and blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Colour(pub(crate) u8, pub(crate) u8, pub(crate) u8);

/// A scale of colors from light to dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ramp {
    /// Sand to brown: times; dark is slow.
    Warm,
    /// Ice to navy: rates; dark is high.
    Cool,
    /// White to graphite: everything else.
    Grey,
}

impl Ramp {
    const fn stops(self) -> [Colour; 5] {
        match self {
            Self::Warm => [
                Colour(255, 247, 230),
                Colour(253, 217, 158),
                Colour(245, 165, 84),
                Colour(201, 99, 24),
                Colour(116, 46, 4),
            ],
            Self::Cool => [
                Colour(236, 245, 252),
                Colour(176, 212, 238),
                Colour(98, 165, 214),
                Colour(27, 105, 170),
                Colour(8, 48, 107),
            ],
            Self::Grey => [
                Colour(250, 251, 252),
                Colour(218, 224, 230),
                Colour(170, 180, 190),
                Colour(110, 122, 134),
                Colour(62, 72, 82),
            ],
        }
    }

    /// The color at the fraction `share` from light to dark.
    pub(crate) fn at(self, share: f64) -> Colour {
        let stops = self.stops();
        let way = if share.is_finite() { share.clamp(0.0, 1.0) } else { 0.0 } * (stops.len() - 1) as f64;
        let below = (way.floor() as usize).min(stops.len() - 2);
        let part = way - below as f64;
        let (from, to) = (stops[below], stops[below + 1]);
        let mix =
            |from: u8, to: u8| (f64::from(from) + (f64::from(to) - f64::from(from)) * part).round() as u8;
        Colour(mix(from.0, to.0), mix(from.1, to.1), mix(from.2, to.2))
    }
}

impl Colour {
    /// Color in SVG syntax.
    pub(crate) fn hexadecimal(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// Relative luminance, 0 to 1 (WCAG 2.2).
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { libm::pow((value + 0.055) / 1.055, 2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Ink, black or paper: what has the contrast that WCAG asks for on it, 4.5.
    pub(crate) fn text(self) -> &'static str {
        match self.luminance() {
            luminance if luminance > 0.25 => INK_ON_COLOR,
            // Where black and paper have the same contrast.
            luminance if luminance > 0.179 => BLACK,
            _ => PAPER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ramps_darken_all_the_way() {
        for ramp in [Ramp::Warm, Ramp::Cool, Ramp::Grey] {
            let luminances: Vec<f64> =
                (0..=40).map(|step| ramp.at(f64::from(step) / 40.0).luminance()).collect();
            assert!(luminances.windows(2).all(|pair| pair[1] < pair[0]), "{ramp:?}");
        }
    }

    #[test]
    fn text_stands_out_everywhere() {
        let ink = Colour(23, 33, 42).luminance();
        for ramp in [Ramp::Warm, Ramp::Cool, Ramp::Grey] {
            for step in 0..=40 {
                let colour = ramp.at(f64::from(step) / 40.0);
                let text = match colour.text() {
                    INK_ON_COLOR => ink,
                    BLACK => 0.0,
                    _ => 1.0,
                };
                let (light, dark) = (colour.luminance().max(text), colour.luminance().min(text));
                assert!((light + 0.05) / (dark + 0.05) > 4.5, "{ramp:?} {step}");
            }
        }
    }

    #[test]
    fn what_is_no_number_is_light() {
        assert_eq!(Ramp::Cool.at(f64::NAN), Ramp::Cool.at(0.0));
        assert_eq!(Ramp::Cool.at(0.0).hexadecimal(), "#ecf5fc");
    }
}
