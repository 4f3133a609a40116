//! The settings on file, for documentation.

use std::fmt::Write;

use super::settings_files::on_file;

/// A Markdown table of all settings: id, name, values, whether a model can express it, and the vendors that spell it.
pub fn settings_table() -> String {
    let mut text = String::from("| id | setting | values | model | spelled for |\n|---|---|---|---|---|\n");
    let on_file = on_file();
    for kind in &on_file.kinds {
        let values: Vec<String> = kind.values.iter().map(|value| format!("`{}`", value.value)).collect();
        let vendors = on_file.vendors.iter();
        let spelled = vendors.filter(|vendor| vendor.settings.iter().any(|one| one.kind == kind.id));
        let spelled: Vec<&str> = spelled.map(|vendor| vendor.name.as_str()).collect();
        let model = if kind.models.is_empty() { "–" } else { "yes" };
        let spelled = if spelled.is_empty() { "–".to_owned() } else { spelled.join(", ") };
        // A string takes any text.
        let _ = writeln!(
            text,
            "| `{}` | {} | {} | {model} | {spelled} |",
            kind.id,
            kind.title,
            values.join(", ")
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const GUIDE: &str = include_str!("../../../../docs/settings.md");

    #[test]
    fn the_list_in_the_guide_is_that_of_the_files() {
        let (_, list) = GUIDE.split_once("## All settings\n\n").unwrap();
        assert!(
            list == settings_table(),
            "the end of docs/settings.md has drifted from settings/: `just settings-table` writes it anew"
        );
    }
}
