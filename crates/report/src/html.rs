//! A document as one HTML file that needs nothing else: no network, no other file, and no script to be read.
//!
//! ```text
//! file.rs     head, policy, styles and scripts
//! parts.rs    a document's pages, pictures and data, from top to bottom
//! blocks.rs   the blocks of a page as elements
//! heat.rs     matrices as tables with colors
//! values.rs   every value with its evidence
//! surroundings.rs  the surroundings of a page that is one of many
//! style.css   light, dark and printed
//! map.js      a heat map that zooms
//! script.js   buttons: copy a command, save data, tables and pictures
//! ```
//!
//! Text reaches the file through `maud`, which escapes it. Only pictures, the style, the script and data are put in as they are: pictures are
//! written by this crate, which escapes their text, and `<` in data is written as `\u003c`.

mod blocks;
mod file;
mod heat;
mod parts;
mod surroundings;
mod values;

use maud::{Markup, PreEscaped, html};
use zerohop_result::page_data::carried;

use crate::pages::Style;
use crate::printable::plain_line;
pub use file::{Allowance, STYLE, WebPage};
pub(crate) use parts::{Part, Story};
use surroundings::Alone;
pub use surroundings::{Links, SurroundedPage, Surroundings};
pub(crate) use values::{listed, model_in_words};

/// The script of every page: maps that zoom, and buttons that copy and save.
pub const SCRIPT: &str = concat!(include_str!("html/map.js"), include_str!("html/script.js"));

/// The style of pages that become HTML: grids are as wide as they need, and scroll.
pub(crate) const WIDE: Style = Style { colour: false, width: 160 };

/// A story as a file.
pub(crate) fn html_file(story: &Story) -> String {
    surrounded_page(story, &Surroundings::NONE).file
}

/// A story as one page of many.
pub(crate) fn surrounded_page(story: &Story, around: &Surroundings<'_>) -> SurroundedPage {
    let Surroundings { above, below, links, styles, scripts, also } = *around;
    let title = plain_line(&story.title());
    let body = html! {
        (PreEscaped(above))
        main {
            @if story.banner().is_none() { header { h1 { (title) } } }
            @for (rank, part) in story.parts.iter().enumerate() { (part_of(rank, part, rank == 0, links)) }
        }
        (data(story))
        (PreEscaped(below))
    };
    let page = WebPage {
        title: &title,
        body: &body.into_string(),
        styles: &[&[STYLE], styles].concat(),
        scripts: &[&[SCRIPT], scripts].concat(),
        also,
    };
    SurroundedPage { file: page.file(), policy: page.policy() }
}

/// A document as elements of another page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elements {
    pub pictures: String,
    /// Everything in words and tables.
    pub words: String,
}

/// The parts of a story as elements of another page. The pictures are numbered from `first` to avoid conflicts with the page's other pictures.
pub(crate) fn elements(story: &Story, first: usize) -> Elements {
    let mut elements = Elements { pictures: String::new(), words: String::new() };
    for (rank, part) in story.parts.iter().enumerate() {
        let kind = match part {
            Part::Picture { .. } => &mut elements.pictures,
            Part::Page(_) | Part::Values { .. } | Part::Elements(_) => &mut elements.words,
        };
        kind.push_str(&element(first + rank, part));
    }
    elements
}

/// A part of a story as an element of another page.
pub(crate) fn element(rank: usize, part: &Part) -> String {
    part_of(rank, part, false, &Alone).into_string()
}

fn part_of(rank: usize, part: &Part, first: bool, links: &dyn Links) -> Markup {
    match part {
        Part::Page(page) => html! { section { (blocks::blocks(page.blocks(), first, links)) } },
        Part::Values { all, explore } => html! { section {
            h2 { "every value" }
            @for one in all { (one.markup()) }
            @if let Some(command) = explore {
                p.remark { "Try other settings, links or DIMMs in the model of this machine:" }
                p.command { code { (plain_line(command)) } }
            }
        } },
        Part::Elements(elements) => elements.clone(),
        Part::Picture { name, svg } => html! {
            figure.picture data-name=(plain_line(name)) { div.scroll tabindex="0" role="group" aria-label=(plain_line(name)) { (PreEscaped(named_apart(svg, rank))) } }
        },
    }
}

/// A picture whose names of parts no other picture of the file has.
fn named_apart(svg: &str, rank: usize) -> String {
    let ids =
        [("\"title\"", format!("\"title-{rank}\"")), ("\"description\"", format!("\"description-{rank}\""))];
    let labels = ("\"title description\"", format!("\"title-{rank} description-{rank}\""));
    // Only the first few lines name parts: texts come after them.
    let end = svg.find("</title>").unwrap_or(svg.len());
    let (head, rest) = svg.split_at(end);
    let head = head.replacen(labels.0, &labels.1, 1).replacen(ids[0].0, &ids[0].1, 1);
    format!("{head}{}", rest.replacen(ids[1].0, &ids[1].1, 1))
}

/// The document itself, for programs: any verb of zerohop reads it back.
fn data(story: &Story) -> Markup {
    PreEscaped(story.data.iter().map(|json| carried(json)).collect())
}

#[cfg(test)]
mod tests {
    use zerohop_result::page_data::Carried;

    use super::file::hash;
    use super::*;
    use crate::page::Page;

    fn file(text: &str, json: Option<&str>) -> String {
        let mut page = Page::new(&WIDE);
        page.banner(text, text);
        page.alert(text, text);
        page.line(text, text);
        page.command(text);
        html_file(&Story {
            name: "a test",
            parts: vec![Part::Page(page)],
            data: json.map(str::to_owned).into_iter().collect(),
        })
    }

    #[test]
    fn nothing_that_a_text_holds_is_markup() {
        let hostile = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&";
        let file = file(hostile, Some(&format!("{{\"name\": {hostile:?}}}")));
        assert_eq!(file.matches("<script").count(), 2, "the data and the program's own");
        assert!(!file.contains("<img") && file.matches("</script>").count() == 2, "{file}");
        assert!(matches!(Carried::by(&file), Carried::One(json) if json.contains("\\u003cimg")));
    }

    #[test]
    fn data_comes_back_unless_the_end_of_the_page_is_lost() {
        let file = file("a", Some(r#"{"a": "<b>"}"#));
        let Carried::One(json) = Carried::by(&file) else { panic!("{file}") };
        assert_eq!(serde_json::from_str::<serde_json::Value>(json).unwrap()["a"], "<b>");
        assert_eq!(Carried::by(&file[..file.len() - 20]), Carried::Cut);
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
