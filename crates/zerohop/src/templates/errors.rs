//! How far predictions from spec sheets are known to be off: what the validation page says.

/// The page that `zerohop reproduce --validation` writes.
const PAGE: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/validation.md"));

/// Where its table of errors by measure begins, and where the next one does.
const TABLE: [&str; 2] = ["## By measure", "## By machine"];

/// For each measure, the error that nine of ten predictions stay within: `idle latency ±5 %`.
pub(super) fn known() -> Vec<String> {
    of(PAGE)
}

fn of(page: &str) -> Vec<String> {
    let table = page.split(TABLE[0]).nth(1).and_then(|rest| rest.split(TABLE[1]).next()).unwrap_or_default();
    table.lines().filter_map(phrase).collect()
}

/// A row's measure and its error, in whole percent.
fn phrase(row: &str) -> Option<String> {
    let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
    let [measure, _, _, nine_of_ten, ..] = cells.as_slice() else { return None };
    let percent: f64 = nine_of_ten.strip_suffix(" %")?.parse().ok()?;
    Some(format!("{measure} ±{} %", percent.ceil()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_those_of_the_page() {
        let page = "## By measure\n\n| measure | predicted | median | nine of ten within |\n|---|--:|--:|--:|\n\
                    | mixes | 9 | 1.0 % | 4.2 % |\n| CXL | none | – | – |\n\n## By machine\n\n| a | 1 | 1 % | 2 % |\n";
        assert_eq!(of(page), ["mixes ±5 %"]);
        assert!(known().len() >= 3, "{:?}", known());
    }
}
