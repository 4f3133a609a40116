//! Splits `"12.8 GB/s"` into a number and a unit, with errors that name what was expected.

/// Why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseQuantityError {
    /// The text has no number at its start.
    #[error("`{text}` does not start with a number (expected, for example, `{example}`)")]
    NoNumber {
        /// The text as given.
        text: String,
        /// A text that would be valid.
        example: &'static str,
    },
    /// The number has no unit, or one that this quantity does not have.
    #[error("`{text}` is not {quantity} (expected a number and one of {expected})")]
    UnknownUnit {
        /// The text as given.
        text: String,
        /// The expected quantity, in words.
        quantity: &'static str,
        /// The units it may have.
        expected: String,
    },
    /// The number is negative, not finite, or too large for its type.
    #[error("`{text}` is out of range for {quantity}")]
    OutOfRange {
        /// The text as given.
        text: String,
        /// The expected quantity, in words.
        quantity: &'static str,
    },
}

/// The units a quantity may be written in.
pub(crate) struct Notation {
    /// The quantity in words, for errors.
    pub(crate) quantity: &'static str,
    /// A valid text, for errors.
    pub(crate) example: &'static str,
    /// Each unit and its factor to the base unit. Matching ignores case unless two units
    /// differ by case alone.
    pub(crate) units: &'static [(&'static str, f64)],
}

impl Notation {
    /// Reads `text` as a number of base units.
    pub(crate) fn parse(&self, text: &str) -> Result<f64, ParseQuantityError> {
        let trimmed = text.trim();
        let split = trimmed
            .char_indices()
            .find(|&(at, c)| !(c.is_ascii_digit() || c == '.' || (at == 0 && c == '-') || c == '_'))
            .map_or(trimmed.len(), |(at, _)| at);
        let (digits, unit) = trimmed.split_at(split);
        let number: f64 = digits
            .replace('_', "")
            .parse()
            .map_err(|_| ParseQuantityError::NoNumber { text: text.to_owned(), example: self.example })?;
        let unit = unit.trim_start();
        let exact = self.units.iter().find(|(name, _)| *name == unit);
        let (_, factor) = exact
            .or_else(|| self.units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)))
            .ok_or_else(|| ParseQuantityError::UnknownUnit {
                text: text.to_owned(),
                quantity: self.quantity,
                expected: self.unit_list(),
            })?;
        let value = number * factor;
        if number < 0.0 || !value.is_finite() {
            return Err(ParseQuantityError::OutOfRange { text: text.to_owned(), quantity: self.quantity });
        }
        Ok(value)
    }

    fn unit_list(&self) -> String {
        let names: Vec<String> = self
            .units
            .iter()
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        names.join(", ")
    }
}
