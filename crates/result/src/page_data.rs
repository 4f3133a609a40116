//! The data that a web page of zerohop carries: a page is a document and its own file of data.

/// What stands before each of the documents that a page carries, as JSON in which `<` is written `\u003c`.
const OPENS: &str = r#"<script type="application/json" class="zerohop-data">"#;

/// What stands behind it.
const CLOSES: &str = "</script>";

/// Prefix of the generator named by a page.
pub const GENERATOR: &str = "zerohop ";

/// How a page ends: one without it was cut off.
const END: &str = "</html>";

/// A document as a page carries it.
pub fn carried(json: &str) -> String {
    format!("{OPENS}{}{CLOSES}", json.replace('<', "\\u003c"))
}

/// The data of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carried<'a> {
    /// The text is no such page, or carries nothing.
    Nothing,
    /// The page was cut off.
    Cut,
    One(&'a str),
    Several(usize),
}

impl<'a> Carried<'a> {
    /// Data that a text carries.
    pub fn by(text: &'a str) -> Self {
        let start = text.trim_start_matches('\u{feff}').trim_start();
        let is_page = start.get(..15).is_some_and(|start| start.eq_ignore_ascii_case("<!doctype html>"));
        if !is_page || !text.contains(&format!("content=\"{GENERATOR}")) {
            return Self::Nothing;
        }
        if !text.trim_end().ends_with(END) {
            return Self::Cut;
        }
        let mut documents = text.split(OPENS).skip(1).filter_map(|after| after.split(CLOSES).next());
        match (documents.next(), documents.count()) {
            (None, _) => Self::Nothing,
            (Some(one), 0) => Self::One(one),
            (Some(_), others) => Self::Several(1 + others),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(documents: &[&str]) -> String {
        let data: String = documents.iter().map(|json| format!("{OPENS}{json}{CLOSES}")).collect();
        format!(
            "<!DOCTYPE html><html><meta name=\"generator\" content=\"zerohop 1\"><body>{data}<script>1</script></body></html>\n"
        )
    }

    #[test]
    fn nothing_in_a_document_ends_it() {
        let page = page(&[]).replace("</body>", &format!("{}</body>", carried(r#"{"a": "</script>"}"#)));
        assert_eq!(Carried::by(&page), Carried::One(r#"{"a": "\u003c/script>"}"#));
    }

    #[test]
    fn a_page_carries_what_was_put_into_it() {
        let (one, none) = (page(&["{}"]), page(&[]));
        assert_eq!((Carried::by(&one), Carried::by(&none)), (Carried::One("{}"), Carried::Nothing));
        assert_eq!(Carried::by(&page(&["{}", "[]"])), Carried::Several(2));
        assert_eq!(Carried::by(&one[..one.len() - 9]), Carried::Cut);
        assert_eq!(Carried::by(&one.replace("zerohop 1", "another")), Carried::Nothing);
        assert_eq!(Carried::by("{}"), Carried::Nothing);
    }
}
