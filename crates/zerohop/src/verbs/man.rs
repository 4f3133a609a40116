//! `zerohop man`: the manual pages, one per verb, for packagers.

use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::arguments::Arguments;
use crate::atomic_file::{WholeFile, make_directory};
use crate::failure::Failure;

/// The title of the whole manual, in the head of each page.
const MANUAL: &str = "zerohop manual";

pub(super) fn man(directory: &Path) -> Result<(), Failure> {
    make_directory(directory)?;
    // The top-level `help` has a page; pages for `machine help show` would be useless.
    let mut program = Arguments::command().mut_subcommands(|verb| verb.disable_help_subcommand(true));
    program.build();
    write_pages(&program, directory)
}

/// Writes the page of a command and of its subcommands.
fn write_pages(command: &Command, directory: &Path) -> Result<(), Failure> {
    for below in command.get_subcommands().filter(|one| !one.is_hide_set()) {
        write_pages(below, directory)?;
    }
    let (name, page) = page(command);
    WholeFile::at(&directory.join(format!("{name}.1")))?.replace(page)
}

/// A command's name with hyphens for spaces, and its page in roff.
fn page(command: &Command) -> (String, String) {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let man = Man::new(command.clone())
        .title(name.to_uppercase())
        .source(concat!("zerohop ", env!("CARGO_PKG_VERSION")))
        .manual(MANUAL);
    let mut page = Vec::new();
    let rendered = man
        .render_title(&mut page)
        .and_then(|()| man.render_name_section(&mut page))
        .and_then(|()| man.render_synopsis_section(&mut page))
        .and_then(|()| man.render_description_section(&mut page))
        .and_then(|()| man.render_options_section(&mut page));
    rendered.expect("memory takes every byte");
    if command.get_subcommands().any(|one| !one.is_hide_set()) {
        man.render_subcommands_section(&mut page).expect("memory takes every byte");
    }
    let mut page = String::from_utf8_lossy(&page).into_owned();
    if let Some(text) = command.get_after_help() {
        page.push_str(&preformatted(&text.to_string()));
    }
    (name, page)
}

/// Examples and exit statuses, whose columns roff would otherwise fill into paragraphs. Lines without indentation are
/// headings.
fn preformatted(text: &str) -> String {
    let mut page = String::new();
    let mut open = false;
    for line in text.lines() {
        match line.strip_suffix(':').filter(|_| !line.starts_with(' ')) {
            Some(heading) => {
                if std::mem::take(&mut open) {
                    page.push_str(".fi\n");
                }
                page.push_str(&format!(".SH \"{}\"\n.nf\n", heading.to_uppercase()));
                open = true;
            }
            None => {
                page.push_str(&literal(line.strip_prefix("  ").unwrap_or(line)));
                page.push('\n');
            }
        }
    }
    if open {
        page.push_str(".fi\n");
    }
    page
}

/// A line that roff prints unchanged: no escapes, no requests, hyphens that can be pasted.
fn literal(line: &str) -> String {
    let text = line.replace('\\', "\\\\").replace('-', "\\-").replace('\'', "\\(aq").replace('`', "\\(ga");
    if text.starts_with('.') { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_examples_are_kept() {
        let text = "Examples:\n  zerohop survey --quick    'a' \\ b\n\nExit status:\n  0    fine";
        let expected = ".SH \"EXAMPLES\"\n.nf\nzerohop survey \\-\\-quick    \\(aqa\\(aq \\\\ b\n\n.fi\n\
                        .SH \"EXIT STATUS\"\n.nf\n0    fine\n.fi\n";
        assert_eq!(preformatted(text), expected);
    }
}
