//! Numbers as tools print them, and as people paste them.

/// A token that may be a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token {
    Number(f64),
    /// A mark for a value that was not measured (`-`, `N/A`).
    Gap,
    /// A number that is not one (`nan`, `inf`).
    NotFinite,
    Word,
}

impl Token {
    pub(crate) fn of(text: &str) -> Self {
        let lower = text.to_ascii_lowercase();
        match lower.trim_start_matches(['-', '+']) {
            "nan" | "inf" | "infinity" | "-nan" | "nan(ind)" | "1.#inf" | "1.#ind" | "1.#qnan" => {
                return Self::NotFinite;
            }
            "" | "-" | "n/a" | "na" | "none" | "x" | "null" if !lower.is_empty() => return Self::Gap,
            _ => {}
        }
        match number(text) {
            Some(number) if number.is_finite() => Self::Number(number),
            Some(_) => Self::NotFinite,
            None => Self::Word,
        }
    }

    /// Reads a value that people typed: `150.6k` is thousands.
    pub(crate) fn of_value(text: &str) -> Self {
        thousands(text).map_or_else(|| Self::of(text), Self::Number)
    }

    pub(crate) const fn is_word(self) -> bool {
        matches!(self, Self::Word)
    }
}

/// A decimal number, perhaps with commas between thousands.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    if !text.starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '.')) {
        return None;
    }
    if !text.contains(',') {
        return text.parse().ok();
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(',');
    let first = groups.next()?;
    let thousands = !first.is_empty() && first.len() <= 4 && groups.clone().all(|group| group.len() == 3);
    if !thousands || groups.clone().next().is_none() {
        return None;
    }
    format!("{}.{fraction}0", whole.replace(',', "")).parse().ok()
}

/// `150.6k` as 150600; sizes of memory look alike, so that only rates are read with it.
pub(crate) fn thousands(text: &str) -> Option<f64> {
    let bare = text.strip_suffix(['k', 'K'])?;
    let is_plain = bare.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let (whole, fraction) = bare.split_once('.').unwrap_or((bare, ""));
    // Read as text, so that no digit is lost on the way.
    let decimals = fraction.len().max(3);
    let digits = format!("{fraction:0<decimals$}");
    (is_plain && !whole.is_empty() && !fraction.contains('.'))
        .then(|| format!("{whole}{}.{}", &digits[..3], &digits[3..]).parse().ok())?
}

/// The first decimal number anywhere in a text.
pub(crate) fn first_number(text: &str) -> Option<f64> {
    let start = text.find(|one: char| one.is_ascii_digit())?;
    let signed = if text[..start].ends_with('-') { start - 1 } else { start };
    let rest = &text[signed..];
    let end = rest
        .char_indices()
        .skip(1)
        .find(|(_, one)| !(one.is_ascii_digit() || *one == '.'))
        .map_or(rest.len(), |(at, _)| at);
    number(rest[..end].trim_end_matches('.'))
}

/// Whether a word begins what somebody wrote behind a value: `<--`, `(`, `#`, `//`.
pub(crate) fn is_remark(word: &str) -> bool {
    let mark = word.starts_with(['#', '(', '<', '←', '/', '*', ';', '!', '=', '|', '"', '-']);
    mark && Token::of(word).is_word()
}

/// A whole number without sign.
pub(crate) fn count(text: &str) -> Option<u64> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

/// Numbers that were printed with `decimals` decimals and lost the blanks between them: `96253.831712.3` is two numbers.
/// `None` unless all of the text is such numbers.
pub(crate) fn glued(text: &str, decimals: usize) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let point = rest.find('.')?;
        let end = point + 1 + decimals;
        let part = rest.get(..end)?;
        let is_number = point > 0 && part.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if !is_number || part.matches('.').count() != 1 {
            return None;
        }
        parts.push(part);
        rest = &rest[end..];
    }
    (!parts.is_empty()).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_may_have_commas() {
        assert_eq!(number("12,345.6"), Some(12345.6));
        assert_eq!(number("12,34"), None);
        assert_eq!(number("-3.5"), Some(-3.5));
        assert_eq!(number("e5"), None);
        assert_eq!(number("infinity"), None);
    }

    #[test]
    fn thousands_may_have_a_letter() {
        assert_eq!(
            (thousands("150.6k"), thousands("51K"), thousands("1.2345k")),
            (Some(150_600.0), Some(51_000.0), Some(1234.5))
        );
        assert_eq!(
            (thousands("k"), thousands("-5k"), thousands("5"), thousands("1.2.3k")),
            (None, None, None, None)
        );
    }

    #[test]
    fn marks_of_missing_values_are_not_numbers() {
        for (text, token) in [
            ("-", Token::Gap),
            ("N/A", Token::Gap),
            ("-nan", Token::NotFinite),
            ("inf", Token::NotFinite),
            ("7.5", Token::Number(7.5)),
            ("node", Token::Word),
        ] {
            assert_eq!(Token::of(text), token, "{text}");
        }
    }

    #[test]
    fn glued_numbers_are_taken_apart_by_their_decimals() {
        assert_eq!(glued("96253.831712.3", 1), Some(vec!["96253.8", "31712.3"]));
        assert_eq!(glued("96253.8", 1), Some(vec!["96253.8"]));
        assert_eq!(glued("1.2.3", 2), None);
        assert_eq!(glued("a", 1), None);
    }

    #[test]
    fn the_first_number_of_a_line_is_found_among_words() {
        assert_eq!(first_number("took 201.2 core clocks"), Some(201.2));
        assert_eq!(first_number("none"), None);
    }
}
