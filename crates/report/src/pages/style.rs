//! The styles of text.

use std::collections::BTreeSet;

use anstyle::AnsiColor;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Whether text may carry ANSI colors. Color is never the only cue.
    pub colour: bool,
    /// Width of a line in characters.
    pub width: u16,
}

impl Default for Style {
    /// Plain text, 80 characters wide.
    fn default() -> Self {
        Self { colour: false, width: 80 }
    }
}

/// Reason for highlighting a piece of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// Head of a section.
    Heading,
    /// Head of a column, a label.
    Label,
    /// Secondary text: notes, margins.
    Faint,
    /// The best of its kind.
    Best,
    /// The worst of its kind.
    Worst,
    Doubtful,
}

impl Look {
    pub(crate) const ALL: [Self; 6] =
        [Self::Heading, Self::Label, Self::Faint, Self::Best, Self::Worst, Self::Doubtful];

    /// The escape sequences that they use.
    pub(crate) fn sequences() -> Vec<String> {
        let looks = Self::ALL.map(|look| format!("{ansi}{ansi:#}", ansi = look.ansi())).concat();
        let sequences: BTreeSet<&str> = looks.split_inclusive('m').collect();
        sequences.into_iter().map(str::to_owned).collect()
    }

    fn ansi(self) -> anstyle::Style {
        let plain = anstyle::Style::new();
        match self {
            Self::Heading => plain.bold().fg_color(Some(AnsiColor::Cyan.into())),
            Self::Label => plain.bold(),
            Self::Faint => plain.dimmed(),
            Self::Best => plain.fg_color(Some(AnsiColor::Green.into())),
            Self::Worst => plain.fg_color(Some(AnsiColor::Red.into())),
            Self::Doubtful => plain.fg_color(Some(AnsiColor::Yellow.into())),
        }
    }
}

impl Style {
    /// `text` with a look, if colors are allowed.
    pub(crate) fn paint(&self, look: Look, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let ansi = look.ansi();
        format!("{ansi}{text}{ansi:#}")
    }

    /// Width of a line in characters; never too small to fit anything.
    pub(crate) fn columns(&self) -> usize {
        usize::from(self.width).max(40)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_escape_leaves_a_plain_style() {
        assert_eq!(Style::default().paint(Look::Worst, "x"), "x");
        let coloured = Style { colour: true, width: 80 }.paint(Look::Worst, "x");
        assert!(coloured.starts_with('\u{1b}') && coloured.ends_with("\u{1b}[0m"), "{coloured:?}");
    }
}
