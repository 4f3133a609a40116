//! The explorer as one file: its elements, its scripts, and the model as compressed WebAssembly.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use zerohop_report::{Allowance, SCRIPT, STYLE, Surroundings, WebPage};
use zerohop_result::ResultFile;
use zerohop_result::page_data::carried;

const BODY: &str = include_str!("page/body.html");
const OWN_STYLE: &str = include_str!("page/style.css");
/// After the script of every page, in this order: each uses those before it.
const SCRIPTS: [&str; 12] = [
    include_str!("page/elements.js"),
    include_str!("page/model.js"),
    include_str!("page/state.js"),
    include_str!("page/drag.js"),
    include_str!("page/threads.js"),
    include_str!("page/controls.js"),
    include_str!("page/changes.js"),
    include_str!("page/cards.js"),
    include_str!("page/stories.js"),
    include_str!("page/walks.js"),
    include_str!("page/tabs.js"),
    include_str!("page/start.js"),
];
const WORKER: &str = include_str!("page/worker.js");

/// The model as WebAssembly, as `packaging/explorer` builds it.
#[derive(Debug, Clone, Copy)]
pub struct Module<'a> {
    /// The module, compressed by gzip.
    pub compressed: &'a [u8],
    /// The script by which pages call it.
    pub glue: &'a str,
}

/// What a page shows when it is opened, unless its address says something else.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Start {
    /// The machine; none for the list of all.
    pub machine: String,
    pub set: Vec<String>,
    pub fault: Vec<String>,
    /// Machine files that the page carries, by name.
    pub files: BTreeMap<String, String>,
    /// The result that the model is compared with: the page carries it.
    pub result: Option<CarriedResult>,
}

/// A result that a page carries.
#[derive(Debug, Clone, Serialize)]
pub struct CarriedResult {
    /// Its path, as the user typed it.
    path: String,
    /// The experiments of which it has values.
    experiments: Vec<String>,
}

impl CarriedResult {
    /// The result of that path.
    pub fn new(path: &str, result: &ResultFile) -> Self {
        let with_values = result.experiments.iter().filter(|one| !one.cells.is_empty());
        Self {
            path: path.to_owned(),
            experiments: with_values.map(|one| one.experiment.to_string()).collect(),
        }
    }
}

#[derive(Debug, Clone, Copy)]
pub struct ExplorerPage<'a> {
    pub module: Module<'a>,
    pub start: &'a Start,
}

/// The explorer as a tab of another page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tab {
    below: String,
}

/// What chooses between the two. It is there for those who have scripts; to the others, the page is what it is without the tab.
const TABS: &str = concat!(
    "<nav id=\"tabs\" aria-label=\"views\" hidden>",
    "<button type=\"button\" id=\"tab-report\" aria-pressed=\"true\">report</button> ",
    "<button type=\"button\" id=\"tab-explorer\" aria-pressed=\"false\">explorer: what if?</button></nav>"
);
/// What the explorer may do besides running its scripts: compile the model, and run it in workers.
const ALSO: Allowance<'static> =
    Allowance { scripts: "'wasm-unsafe-eval'", directives: &["worker-src blob:"], forms: "" };

impl Tab {
    /// The tab around the other page.
    pub fn surroundings(&self) -> Surroundings<'_> {
        Surroundings {
            above: TABS,
            below: &self.below,
            styles: &[OWN_STYLE],
            scripts: &SCRIPTS,
            also: ALSO,
            ..Surroundings::NONE
        }
    }
}

impl ExplorerPage<'_> {
    /// As a file, which carries a result if there is one.
    pub fn file(&self, result: Option<&ResultFile>) -> String {
        let title = match self.start.machine.as_str() {
            "" => "zerohop explorer".to_owned(),
            machine => format!("zerohop explorer: {machine}"),
        };
        let data = result.map(|result| carried(&result.text())).unwrap_or_default();
        let page = WebPage {
            title: &title,
            body: &format!("{}{data}", self.body("")),
            styles: &[STYLE, OWN_STYLE],
            scripts: &[&[SCRIPT][..], &SCRIPTS].concat(),
            also: ALSO,
        };
        page.file()
    }

    /// As a tab of a page that carries the result, if there is one, as the first of its data.
    pub fn tab(&self) -> Tab {
        Tab { below: self.body(" hidden") }
    }

    /// Its elements, and the blocks of data that its scripts read.
    fn body(&self, attributes: &str) -> String {
        let start = serde_json::to_string(self.start).unwrap_or_default();
        let worker = format!("{}\n{WORKER}", self.module.glue);
        let data = [
            ("zerohop-start", STANDARD.encode(start)),
            ("zerohop-worker", STANDARD.encode(worker)),
            ("zerohop-model", STANDARD.encode(self.module.compressed)),
        ];
        let blocks =
            data.map(|(name, text)| format!("<script type=\"text/plain\" id=\"{name}\">{text}</script>"));
        format!("<main class=\"explorer\"{attributes}>{BODY}</main>{}", blocks.concat())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hostile_name_is_inert() {
        let machine = "</script><script>alert(1)</script>";
        let start = Start { machine: machine.to_owned(), ..Start::default() };
        let module = Module { compressed: &[1, 2, 3], glue: "let wasm_bindgen;</script>" };
        let file = ExplorerPage { module, start: &start }.file(None);
        assert_eq!(file.matches("<script").count(), 3 + 1 + SCRIPTS.len());
        assert!(!file.contains("alert(1)</script>"));
        assert!(file.contains("script-src 'sha256-") || file.contains("script-src &#39;sha256-"));
        assert!(file.contains("worker-src blob:"));
    }
}
