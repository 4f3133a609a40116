//! Texts with a comma for the decimal point, as programs and spreadsheets write them under some locales.

/// Whether numbers of a text have a comma for the decimal point.
///
/// They do if some number has a comma that no separator of thousands can be, no number has a point, and the text has words: a file
/// of fields separated by commas may have neither.
pub(crate) fn are_commas<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let (mut commas, mut words) = (false, false);
    for line in lines {
        words |= line.chars().any(char::is_alphabetic);
        if is_list(line) {
            continue;
        }
        for token in tokens(line) {
            if let Some((whole, fraction)) = token.split_once('.')
                && is_digits(whole)
                && is_digits(fraction)
            {
                return false;
            }
            if let Some((whole, fraction)) = parts(token) {
                commas |= fraction.len() != 3 || whole == "0";
            }
        }
    }
    commas && words
}

/// A line with points in its numbers. Fields may then be separated by semicolons, which become commas.
pub(crate) fn with_points(line: &str) -> String {
    if is_list(line) {
        return line.to_owned();
    }
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while !rest.is_empty() {
        let end = rest.find(is_separator).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        match parts(token) {
            Some((whole, fraction)) => text.extend([sign(token), whole, ".", fraction]),
            None => text.push_str(token),
        }
        let mut after = after.chars();
        match after.next() {
            Some(';') => text.push(','),
            Some(separator) => text.push(separator),
            None => {}
        }
        rest = after.as_str();
    }
    text
}

/// Whether a line lists CPUs or nodes, of which two are separated by a comma, too.
fn is_list(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    ["cpu", "node"].iter().any(|word| lower.contains(word))
}

fn tokens(line: &str) -> impl Iterator<Item = &str> {
    line.split(is_separator).filter(|token| !token.is_empty())
}

fn is_separator(one: char) -> bool {
    one.is_whitespace() || matches!(one, ';' | '|' | ':' | '(' | ')')
}

fn sign(token: &str) -> &str {
    if token.starts_with('-') { "-" } else { "" }
}

/// `78,5`: the digits on either side of its only comma.
fn parts(token: &str) -> Option<(&str, &str)> {
    let (whole, fraction) = token.strip_prefix('-').unwrap_or(token).split_once(',')?;
    (is_digits(whole) && is_digits(fraction)).then_some((whole, fraction))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_are_points_only_if_they_can_be_nothing_else() {
        let are = |text: &str| are_commas(text.lines());
        assert!(are("Numa node 0 1\n0 78,5 119,4\n"));
        assert!(are("Copy: 254046,3 0,006921"));
        assert!(!are("Copy: 254,046 0.006"), "a point");
        assert!(!are("ALL Reads : 190,909"), "thousands");
        assert!(!are("0,46\n46,0\n"), "fields");
        assert!(!are("relaxed,sweep\n"), "words");
        assert!(!are("NUMA node0 CPU(s): 0,4\nThread(s) per core: 2\n"), "CPUs");
    }

    #[test]
    fn numbers_get_points_and_fields_commas() {
        assert_eq!(with_points(" 0\t78,5\t-119,4"), " 0\t78.5\t-119.4");
        assert_eq!(with_points("100;0;120,5;98,25"), "100,0,120.5,98.25");
        assert_eq!(with_points("took 1,5 (2,25)"), "took 1.5 (2.25)");
        assert_eq!(with_points("0,1,2"), "0,1,2");
    }
}
