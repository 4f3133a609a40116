//! A web page as one file: its head, its policy, its styles and its scripts.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{DOCTYPE, PreEscaped, html};
use sha2::{Digest, Sha256};
use zerohop_result::page_data::GENERATOR;

/// A web page that needs no other file. A browser lets no other style and no other script into it.
#[derive(Debug, Clone, Copy)]
pub struct WebPage<'a> {
    pub title: &'a str,
    /// Elements below the title: all text in them is escaped. They end with the page's data.
    pub body: &'a str,
    pub styles: &'a [&'a str],
    /// Scripts of the page, which run once the body is there.
    pub scripts: &'a [&'a str],
    /// Additional permissions, in the syntax of a Content-Security-Policy: more sources of scripts, and more directives.
    pub also: Allowance<'a>,
}

/// Permissions of a page besides running its own scripts.
#[derive(Debug, Clone, Copy, Default)]
pub struct Allowance<'a> {
    /// More sources of scripts.
    pub scripts: &'a str,
    /// More directives, each with its sources.
    pub directives: &'a [&'a str],
    /// Targets of forms; none if empty.
    pub forms: &'a str,
}

impl Allowance<'_> {
    pub(crate) const NONE: Allowance<'static> = Allowance { scripts: "", directives: &[], forms: "" };
}

/// The style of every page.
pub const STYLE: &str =
    concat!(include_str!("style.css"), include_str!("result.css"), include_str!("../fleet_story/fleet.css"));

impl WebPage<'_> {
    pub fn file(&self) -> String {
        let policy = self.policy();
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="Content-Security-Policy" content=(policy);
                    meta name="generator" content={ (GENERATOR) (env!("CARGO_PKG_VERSION")) };
                    title { (self.title) }
                    @for style in self.styles { style { (PreEscaped(style)) } }
                }
                body {
                    (PreEscaped(self.body))
                    @for script in self.scripts { script { (PreEscaped(script)) } }
                }
            }
        };
        page.into_string()
    }

    pub fn policy(&self) -> String {
        let Self { styles, scripts, also, .. } = self;
        let hashes =
            |texts: &[&str]| texts.iter().map(|text| format!(" 'sha256-{}'", hash(text))).collect::<String>();
        let more: String = also.directives.iter().map(|directive| format!("; {directive}")).collect();
        let forms = if also.forms.is_empty() { "'none'" } else { also.forms };
        let sources = if also.scripts.is_empty() { String::new() } else { format!(" {}", also.scripts) };
        format!(
            "default-src 'none'; style-src{}; script-src{}{sources}; img-src data:; base-uri 'none'; form-action {forms}{more}",
            hashes(styles),
            hashes(scripts)
        )
    }
}

/// Hash of a text for a policy.
pub(super) fn hash(text: &str) -> String {
    STANDARD.encode(Sha256::digest(text.as_bytes()))
}
