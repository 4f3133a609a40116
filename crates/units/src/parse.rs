//! Splitting `"12.8 GB/s"` into a number and a factor, with errors that name what was expected.

/// Why a text is not a quantity.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParseQuantityError {
    /// The text has no number at its start.
    #[error("`{text}` does not start with a number (expected for example `{example}`)")]
    NoNumber {
        /// What was given.
        text: String,
        /// A text that would have been right.
        example: &'static str,
    },
    /// The number has no unit, or one that this quantity does not have.
    #[error("`{text}` has no unit of {quantity} (expected one of {expected})")]
    UnknownUnit {
        /// What was given.
        text: String,
        /// The quantity that was wanted, in words.
        quantity: &'static str,
        /// The units it may have.
        expected: String,
    },
    /// The number is negative, not finite, or too large for its type.
    #[error("`{text}` is out of range for {quantity}")]
    OutOfRange {
        /// What was given.
        text: String,
        /// The quantity that was wanted, in words.
        quantity: &'static str,
    },
}

/// The units a quantity may be written in.
pub(crate) struct Notation {
    /// The quantity in words, for errors.
    pub(crate) quantity: &'static str,
    /// A text that is right, for errors.
    pub(crate) example: &'static str,
    /// Unit and what one of it is worth in the base unit. Compared without regard to case unless two units
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
