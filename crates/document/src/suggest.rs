//! Hints for unknown names: what was probably meant.

/// The name most similar to `wrong`, if any is similar.
fn nearest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    names
        .into_iter()
        .map(|name| (strsim::jaro_winkler(wrong, name), name))
        .filter(|&(likeness, _)| likeness > 0.8)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, name)| name)
}

/// What to write instead of `wrong`: the most similar name, or a list of all names.
pub fn suggest<'a>(wrong: &str, names: impl IntoIterator<Item = &'a str> + Clone) -> String {
    if let Some(name) = nearest(wrong, names.clone()) {
        return format!("did you mean `{name}`?");
    }
    const SHOWN: usize = 16;
    let names: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match names.len() {
        0 => "there are none".to_owned(),
        1 => format!("there is only {}", names[0]),
        2..=SHOWN => format!("there are {}", names.join(", ")),
        count => format!("there are {} and {} more", names[..SHOWN].join(", "), count - SHOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_told_from_another_name() {
        assert_eq!(suggest("clok", ["clock", "threads"]), "did you mean `clock`?");
        assert_eq!(suggest("zzz", ["clock", "threads"]), "there are `clock`, `threads`");
        assert_eq!(suggest("zzz", ["clock"]), "there is only `clock`");
        assert_eq!(suggest("zzz", []), "there are none");
        let many: Vec<String> = (0..20).map(|rank| format!("tile{rank:02}")).collect();
        assert!(suggest("zzz", many.iter().map(String::as_str)).ends_with("`tile15` and 4 more"));
    }
}
