//! Texts with a comma for the decimal point, as programs and spreadsheets write them under some locales, and marks between thousands.

use std::borrow::Cow;

/// Whether numbers of a text have a comma for the decimal point.
///
/// They do if some number has a comma that no separator of thousands can be, no number has a point that none can be, and the text has
/// words: a file of fields separated by commas may have neither.
pub(crate) fn are_commas<'a>(lines: impl Iterator<Item = &'a str>) -> bool {
    let (mut commas, mut words) = (false, false);
    for line in lines {
        words |= line.chars().any(char::is_alphabetic);
        if is_list(line) {
            continue;
        }
        for token in tokens(line) {
            // Also in a row of fields: `Reads,866.5,80.6`.
            let has_point = |field: &str| {
                let parts = field.split_once('.');
                parts.is_some_and(|(whole, fraction)| is_digits(whole) && is_digits(fraction))
                    && !is_grouped(field, '.')
            };
            if token.split(',').any(has_point) {
                return false;
            }
            // Millions; an address of the network has a third point.
            commas |= is_grouped(token, '.') && token.matches('.').count() == 2;
            if let Some((whole, fraction)) = parts(token) {
                commas |= fraction.len() != 3 || whole == "0" || whole.contains('.');
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
    let line = without_blanks(line);
    let mut text = String::with_capacity(line.len());
    let mut rest = line.as_ref();
    while !rest.is_empty() {
        let end = rest.find(is_separator).unwrap_or(rest.len());
        let (token, after) = rest.split_at(end);
        match parts(token) {
            Some((whole, fraction)) => text.extend([sign(token), &whole.replace('.', ""), ".", fraction]),
            None if is_grouped(token, '.') => text.push_str(&token.replace('.', "")),
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

/// A line without the marks between thousands that mean nothing else: `150'617.2` of Switzerland, `150_617.2` of programs.
pub(crate) fn without_marks(line: &str) -> Cow<'_, str> {
    const MARKS: [char; 2] = ['\'', '_'];
    if !line.contains(MARKS) {
        return line.into();
    }
    let plain = |token: &str| {
        let (whole, fraction) = token.split_once(['.', ',']).unwrap_or((token, ""));
        let is_number =
            |mark: &char| is_grouped(whole, *mark) && (fraction.is_empty() || is_digits(fraction));
        MARKS
            .iter()
            .find(|mark| is_number(mark))
            .map_or_else(|| token.to_owned(), |&mark| token.replace(mark, ""))
    };
    mapped(line, is_separator, plain).into()
}

/// A line without the blanks between thousands, as in France: `150 617,2`, where tabs, colons or several blanks part the columns.
fn without_blanks(line: &str) -> Cow<'_, str> {
    const PARTING: [&str; 3] = ["\t", ":", "  "];
    if !PARTING.into_iter().any(|parting| line.contains(parting)) {
        return line.into();
    }
    // Two blanks become one character, which no text has.
    let parted = line.replace("  ", "\u{1}");
    let plain = |cell: &str| {
        let bare = cell.trim();
        let is_number = bare
            .split_once(',')
            .is_some_and(|(whole, fraction)| is_grouped(whole, ' ') && is_digits(fraction));
        if is_number { cell.replace(bare, &bare.replace(' ', "")) } else { cell.to_owned() }
    };
    mapped(&parted, |one| matches!(one, '\t' | ':' | '\u{1}'), plain).replace('\u{1}', "  ").into()
}

/// A line with each part between separators changed.
fn mapped(line: &str, is_separator: impl Fn(char) -> bool, plain: impl Fn(&str) -> String) -> String {
    let parts = line.split_inclusive(&is_separator);
    let changed = parts.map(|part| {
        let end = part.trim_end_matches(&is_separator).len();
        plain(&part[..end]) + &part[end..]
    });
    changed.collect()
}

/// Whether a whole number has a mark before each three digits, and does not begin with 0.
fn is_grouped(number: &str, mark: char) -> bool {
    let mut groups = number.split(mark);
    let first = groups.next().unwrap_or_default();
    let is_first = is_digits(first) && first.len() <= 3 && !first.starts_with('0');
    is_first && number.contains(mark) && groups.all(|group| is_digits(group) && group.len() == 3)
}

/// Whether a line lists CPUs or nodes, of which two are separated by a comma, too.
fn is_list(line: &str) -> bool {
    let lower = line.to_ascii_lowercase();
    ["cpu", "node", "numactl", "taskset"].iter().any(|word| lower.contains(word))
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

/// `78,5` or `150.617,2`: what stands on either side of its only comma.
fn parts(token: &str) -> Option<(&str, &str)> {
    let (whole, fraction) = token.strip_prefix('-').unwrap_or(token).split_once(',')?;
    ((is_digits(whole) || is_grouped(whole, '.')) && is_digits(fraction)).then_some((whole, fraction))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_with_points_have_no_decimal_commas() {
        let rows = ["0,All Reads,921.31,85.71", "1,3:1 Reads-Writes,866.54,80.61"];
        assert!(!are_commas(rows.into_iter()));
        assert!(are_commas(["Numa node 0", "0 78,5"].into_iter()));
    }

    #[test]
    fn commas_are_points_only_if_they_can_be_nothing_else() {
        let are = |text: &str| are_commas(text.lines());
        assert!(are("Numa node 0 1\n0 78,5 119,4\n"));
        assert!(are("Copy: 254046,3 0,006921"));
        assert!(!are("Copy: 254,046 0.006"), "a point");
        assert!(!are("ALL Reads : 190,909"), "thousands");
        assert!(!are("0,46\n46,0\n"), "fields");
        assert!(!are("relaxed,sweep\n"), "words");
        assert!(are("ALL Reads : 190.909,3\n2:1 Reads-Writes : 180.500"), "both");
        assert!(are("ALL Reads : 1.190.909\n2:1 Reads-Writes : 980.500"), "millions");
        assert!(!are("ssh 192.168.100.101\nALL Reads : 190.909"), "an address");
        assert!(!are("ALL Reads : 190.909\n2:1 Reads-Writes : 180.500"), "points, or thousands");
        assert!(!are("NUMA node0 CPU(s): 0,4\nThread(s) per core: 2\n"), "CPUs");
    }

    #[test]
    fn numbers_get_points_and_fields_commas() {
        assert_eq!(with_points(" 0\t78,5\t-119,4"), " 0\t78.5\t-119.4");
        assert_eq!(with_points("100;0;120,5;98,25"), "100,0,120.5,98.25");
        assert_eq!(with_points("took 1,5 (2,25)"), "took 1.5 (2.25)");
        assert_eq!(with_points("0,1,2"), "0,1,2");
        assert_eq!(with_points("0\t150.617,2\t76.512\t0,5"), "0\t150617.2\t76512\t0.5");
        assert_eq!(with_points("Copy:   150 617,2   0,006"), "Copy:   150617.2   0.006");
        assert_eq!(with_points("0 150 617,2"), "0 150 617.2", "no column ends");
    }

    #[test]
    fn apostrophes_and_underscores_stand_between_thousands() {
        assert_eq!(without_marks("0 150_617.2 76_512 node_1 1_2"), "0 150617.2 76512 node_1 1_2");
        assert_eq!(without_marks("0\t150'617.2\t1'076'512,5"), "0\t150617.2\t1076512,5");
        for other in ["'echo 3'", "1'2", "don't", "0'123", "12'345'6"] {
            assert_eq!(without_marks(other), other);
        }
    }
}
