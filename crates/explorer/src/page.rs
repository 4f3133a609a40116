//! The explorer as one file: its elements, its scripts, and the model as compressed WebAssembly.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;
use zerohop_report::{Allowance, SCRIPT, STYLE, WebPage};

const BODY: &str = include_str!("page/body.html");
const OWN_STYLE: &str = include_str!("page/style.css");
/// In this order: each uses those before it.
const SCRIPTS: [&str; 10] = [
    SCRIPT,
    include_str!("page/elements.js"),
    include_str!("page/model.js"),
    include_str!("page/state.js"),
    include_str!("page/drag.js"),
    include_str!("page/threads.js"),
    include_str!("page/controls.js"),
    include_str!("page/cards.js"),
    include_str!("page/walks.js"),
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
    /// Its settings.
    pub set: Vec<String>,
    /// Its faults.
    pub fault: Vec<String>,
    /// Machine files that the page carries, by name.
    pub files: BTreeMap<String, String>,
}

/// The explorer.
#[derive(Debug, Clone, Copy)]
pub struct ExplorerPage<'a> {
    /// The model.
    pub module: Module<'a>,
    /// Where to start.
    pub start: &'a Start,
}

impl ExplorerPage<'_> {
    /// The file.
    pub fn file(&self) -> String {
        let start = serde_json::to_string(self.start).unwrap_or_default();
        let worker = format!("{}\n{WORKER}", self.module.glue);
        let data = [
            ("zerohop-start", STANDARD.encode(start)),
            ("zerohop-worker", STANDARD.encode(worker)),
            ("zerohop-model", STANDARD.encode(self.module.compressed)),
        ];
        let blocks =
            data.map(|(name, text)| format!("<script type=\"text/plain\" id=\"{name}\">{text}</script>"));
        let body = format!("{BODY}{}", blocks.concat());
        let title = match self.start.machine.as_str() {
            "" => "zerohop explorer".to_owned(),
            machine => format!("zerohop explorer: {machine}"),
        };
        let page = WebPage {
            title: &title,
            body: &body,
            styles: &[STYLE, OWN_STYLE],
            scripts: &SCRIPTS,
            also: Allowance { scripts: "'wasm-unsafe-eval'", directives: &["worker-src blob:"], forms: "" },
        };
        page.file()
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
        let file = ExplorerPage { module, start: &start }.file();
        assert_eq!(file.matches("<script").count(), 3 + SCRIPTS.len());
        assert!(!file.contains("alert(1)</script>"));
        assert!(file.contains("script-src 'sha256-") || file.contains("script-src &#39;sha256-"));
        assert!(file.contains("worker-src blob:"));
    }
}
