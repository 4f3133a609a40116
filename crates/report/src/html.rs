//! A document as one HTML file that needs nothing else: no network, no other file, and no script to be read.
//!
//! ```text
//! parts.rs    a document's pages, pictures and data, from top to bottom
//! blocks.rs   the blocks of a page as elements
//! style.css   light, dark and printed
//! script.js   buttons: copy a command, save data, tables and pictures
//! ```
//!
//! Text reaches the file through `maud`, which escapes it. Only pictures, the style, the script and data are put in as they are: pictures are
//! written by this crate, which escapes their text, and `<` in data is written as `\u003c`.

mod blocks;
mod parts;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest, Sha256};

use crate::printable::{one_line, printable};
use crate::terminal::Style;
pub(crate) use parts::{Part, Story};

const STYLE: &str = include_str!("html/style.css");
const SCRIPT: &str = include_str!("html/script.js");

/// What a file of data begins with in a page: [`embedded_json`] finds it again.
const DATA: &str = r#"<script type="application/json" id="zerohop-data">"#;

/// Pages are laid out for a screen: grids are as wide as they need, and scroll.
const WIDE: Style = Style { colour: false, width: 160 };

/// The style in which a document writes pages that become HTML.
pub(crate) const fn style() -> Style {
    WIDE
}

/// A story as a file.
pub(crate) fn html_file(story: &Story) -> String {
    let title = shown(&story.title());
    let policy = format!(
        "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        hash(STYLE),
        hash(SCRIPT)
    );
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="generator" content=(concat!("zerohop ", env!("CARGO_PKG_VERSION")));
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main { @for part in &story.parts { (part_of(part)) } }
                (data(story))
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    page.into_string()
}

/// The JSON that a file written by [`html_file`] holds; `None` if it is none of these, or has lost its end.
pub fn embedded_json(text: &str) -> Option<&str> {
    let (_, after) = text.split_once(DATA)?;
    after.split_once("</script>").map(|(json, _)| json)
}

fn part_of(part: &Part) -> Markup {
    match part {
        Part::Page(page) => blocks::blocks(page.blocks()),
        Part::Picture { name, svg } => html! {
            figure.picture data-name=(shown(name)) { div.scroll tabindex="0" role="group" aria-label=(shown(name)) { (PreEscaped(svg)) } }
        },
    }
}

/// The document itself, for programs: any verb of zerohop reads it back.
fn data(story: &Story) -> Markup {
    match &story.json {
        Some(json) => PreEscaped(format!("{DATA}{}</script>", json.replace('<', "\\u003c"))),
        None => html! {},
    }
}

fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}

/// `text` on one line, without what would reorder or hide it.
fn shown(text: &str) -> String {
    one_line(&printable(text, &Style::default()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::Page;

    fn file(text: &str, json: Option<&str>) -> String {
        let mut page = Page::new(&style());
        page.banner(text, text);
        page.alert(text, text);
        page.line(text, text);
        page.command(text);
        html_file(&Story { parts: vec![Part::Page(page)], json: json.map(str::to_owned) })
    }

    #[test]
    fn nothing_that_a_text_holds_is_markup() {
        let hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&";
        let file = file(hostile, Some(&format!("{{\"name\": {:?}}}", hostile)));
        assert_eq!(file.matches("<script").count(), 2, "the data and the program's own");
        assert!(!file.contains("<img") && file.matches("</script>").count() == 2, "{file}");
        assert_eq!(embedded_json(&file).map(|json| json.contains("\\u003cimg")), Some(true));
    }

    #[test]
    fn data_comes_back_unless_its_end_is_lost() {
        let file = file("a", Some(r#"{"a": "<b>"}"#));
        let json: serde_json::Value = serde_json::from_str(embedded_json(&file).unwrap()).unwrap();
        assert_eq!(json["a"], "<b>");
        let cut = &file[..file.find("<b>").unwrap_or(file.find("\\u003cb").unwrap())];
        assert_eq!(embedded_json(cut), None);
        assert_eq!(embedded_json("{}"), None);
    }

    #[test]
    fn the_policy_allows_this_style_and_this_script_only() {
        let file = file("a", None);
        let between = |open: &str, close: &str| {
            let (_, after) = file.split_once(open).unwrap();
            after.split_once(close).unwrap().0.to_owned()
        };
        for (name, text) in
            [("style", between("<style>", "</style>")), ("script", between("<script>", "</script>"))]
        {
            assert!(
                file.contains(&format!("{name}-src &#39;sha256-{}", hash(&text)))
                    || file.contains(&format!("{name}-src 'sha256-{}", hash(&text))),
                "{name}"
            );
        }
    }
}
