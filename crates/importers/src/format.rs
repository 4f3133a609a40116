//! What a format declares about itself.

use crate::harvest::Harvest;
use crate::lines::Text;
use crate::problem::Problem;
use crate::sample::Sample;

/// Whether a text is of a format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Sign {
    /// It bears no sign of it.
    None,
    /// It may be, if it is of no other.
    Likely,
    /// It bears words that only this tool prints.
    Certain,
}

pub(crate) struct Declaration {
    /// Its name, as a value of `--as`, and as the tool of a result's origin.
    pub(crate) name: &'static str,
    /// What it is, in a few words.
    pub(crate) words: &'static str,
    /// Words, in lower case, of which any text of it that is longer than a few pages has one near its values. JSON and XML need none.
    pub(crate) marks: &'static [&'static str],
    /// Whether a text is of it.
    pub(crate) sign: fn(&Sample<'_>) -> Sign,
    /// Whether it reads cells between commas by itself. The cells of other texts are parted by tabs.
    pub(crate) cells: bool,
    /// Reads a text and marks the lines that it understood. The first argument is the file's name.
    pub(crate) read: fn(&str, &mut Text) -> Result<Harvest, Problem>,
}

/// A certain sign if any line satisfies the condition, in lower case.
pub(crate) fn certain_if(text: &Sample<'_>, is_sign: impl Fn(&str) -> bool) -> Sign {
    if text.any(is_sign) { Sign::Certain } else { Sign::None }
}
