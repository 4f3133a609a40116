//! Processors by their names on the market: which template describes each, and what its maker publishes of it.

use std::sync::LazyLock;

use zerohop_document::{Problems, Value, bare, parse};
use zerohop_machine_file::KnownFact;

use super::error::TemplateError;
use crate::built_in::{processor_texts, template_names};
use crate::name::nearest;

#[derive(Debug, Clone)]
pub(crate) struct Processor {
    /// Name on the market.
    pub(crate) name: String,
    /// The template that describes it.
    pub(crate) template: String,
    /// Facts published by the vendor.
    pub(crate) facts: Vec<KnownFact>,
}

/// The key that names a processor's template.
const TEMPLATE: &str = "template";
/// The key of the source of a file.
const SOURCE: &str = "source";

/// The processor of that name; letter case and what vendors print around a name do not matter.
///
/// # Errors
/// When it is not in the table.
pub(crate) fn processor(name: &str) -> Result<Processor, TemplateError> {
    find(name).or_else(|| find_loosely(name)).ok_or_else(|| {
        let all = all();
        // A processor of another family is never meant.
        let family = |name: &str| plain(name).split_whitespace().next().map(str::to_owned);
        let alike = all.iter().filter(|known| family(&known.name) == family(name));
        let known: Vec<&str> = alike.map(|known| known.name.as_str()).collect();
        let meant = match nearest(name, &known) {
            Some(meant) => format!("did you mean `{meant}`? If not, give a template and the published properties: `TEMPLATE,cores=…`"),
            None => match nearest(name, &template_names().collect::<Vec<_>>()) {
                Some(meant) => format!("the nearest template is `{meant}`; add known properties of the machine after commas: `{meant},cores=…`"),
                None => "give a template (`zerohop machine templates` lists them) and the published properties: `TEMPLATE,cores=…`".to_owned(),
            },
        };
        TemplateError::NoProcessor { name: name.to_owned(), meant }
    })
}

/// The processor of that name, if it is in the table.
pub(crate) fn find(name: &str) -> Option<Processor> {
    let wanted = plain(name);
    // AMD's `P` says that a processor works alone in a machine, and nothing else.
    let without_suffix = wanted
        .strip_suffix('p')
        .filter(|alike| alike.starts_with("epyc") && alike.ends_with(|one: char| one.is_ascii_digit()));
    let named = |name: &str| all().iter().find(|known| plain(&known.name) == name);
    named(&wanted).or_else(|| named(without_suffix?)).cloned()
}

/// The processor whose name ends so, if there is only one: `6240`, `gold-6240` and `E5-2690v4` are names that people use.
fn find_loosely(name: &str) -> Option<Processor> {
    let wanted: String = words(name).concat();
    if wanted.len() < 4 || !wanted.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let is_meant = |known: &Processor| {
        let words = words(&known.name);
        (0..words.len()).any(|first| words[first..].concat() == wanted)
    };
    let mut found = all().iter().filter(|known| is_meant(known));
    let only = found.next()?;
    found.next().is_none().then(|| only.clone())
}

/// The words of a plain name.
fn words(name: &str) -> Vec<String> {
    let separates = |c: char| !c.is_alphanumeric() && c != '+';
    plain(name).split(separates).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// A name without what vendors print around it: `Intel(R) Xeon(R) Gold 6240 CPU @ 2.60GHz` is `xeon gold 6240`.
fn plain(name: &str) -> String {
    let name = name.to_lowercase().replace("(r)", " ").replace("(tm)", " ");
    let name = name.split('@').next().unwrap_or_default().to_owned();
    let noise =
        |word: &&str| !["intel", "amd", "cpu", "processor"].contains(word) && !word.ends_with("-core");
    // `E5-2680 v4` also is `E5-2680v4`.
    name.split_whitespace().filter(noise).collect::<Vec<_>>().join(" ").replace(" v", "v")
}

/// All of them, read once: each result of a fleet looks for its own.
fn all() -> &'static [Processor] {
    static ALL: LazyLock<Vec<Processor>> =
        LazyLock::new(|| processor_texts().flat_map(|(file, text)| read(file, text)).collect());
    &ALL
}

/// The processors of a file of the project.
fn read(file: &str, text: &str) -> Vec<Processor> {
    let mut problems = Problems::of(file, text);
    let tree = parse(0, "", &mut problems);
    let source = tree.entry(SOURCE).and_then(|entry| entry.value.text()).cloned().unwrap_or_default();
    let entries = tree.entries().into_iter().flatten().filter(|entry| entry.value.entries().is_some());
    entries.filter_map(|entry| row(&entry.key, &entry.value, &source)).collect()
}

fn row(name: &str, value: &Value, source: &str) -> Option<Processor> {
    let template = value.entry(TEMPLATE)?.value.text()?.clone();
    let facts = value.entries()?.iter().filter(|entry| entry.key != TEMPLATE && entry.key != SOURCE);
    let fact =
        |name: &str, value: String| KnownFact { name: name.to_owned(), value, source: source.to_owned() };
    let facts = facts.map(|entry| fact(&entry.key, bare(&entry.value))).collect();
    Some(Processor { name: name.to_owned(), template, facts })
}

#[cfg(test)]
mod tests {
    use zerohop_machine::Settings;

    use super::*;
    use crate::files::NoFiles;
    use crate::hint::Hinted;
    use crate::templates::template;

    #[test]
    fn a_processor_is_found_as_it_identifies_itself() {
        for name in ["Xeon Gold 6240", "Intel(R) Xeon(R) Gold 6240 CPU @ 2.60GHz", "xeon gold 6240"] {
            assert_eq!(processor(name).unwrap().template, "xeon-cascade-lake", "{name}");
        }
        assert_eq!(processor("Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz").unwrap().name, "Xeon E5-2680 v4");
        assert_eq!(processor("AMD EPYC 7742 64-Core Processor").unwrap().template, "epyc-7002");
        for (typed, name) in [
            ("6240", "Xeon Gold 6240"),
            ("gold-6240", "Xeon Gold 6240"),
            ("EPYC9654", "EPYC 9654"),
            ("epyc_9654", "EPYC 9654"),
            ("AMD EPYC 9354P 32-Core Processor", "EPYC 9354"),
            ("Xeon Silver 4416+", "Xeon Silver 4416+"),
            ("Intel Xeon E5 2690 v4", "Xeon E5-2690 v4"),
            ("E5-2690v4", "Xeon E5-2690 v4"),
        ] {
            assert_eq!(processor(typed).unwrap().name, name, "{typed}");
        }
        // A part of a number is no name, and neither is a processor of another family.
        for typed in ["240", "240R", "Xeon", " ", "Opteron 6274"] {
            let error = processor(typed).unwrap_err();
            assert!(!error.hint().unwrap().contains("did you mean `EPYC"), "{typed}");
        }
        assert!(!processor("Opteron 6274").unwrap_err().hint().unwrap().contains("did you mean"));
        assert!(processor("Xeon Gold 6241").unwrap_err().hint().unwrap().contains("did you mean"));
    }

    #[test]
    fn every_processor_suits_its_template() {
        let all = all();
        assert!(all.len() >= 100, "{}", all.len());
        for processor in all {
            let template = template(&processor.template, &NoFiles).unwrap();
            let template = template.with_facts(&processor.name, &processor.facts);
            let file =
                template.map(std::sync::Arc::new).unwrap().machine_file(&Settings::none(), &Settings::none());
            file.unwrap_or_else(|error| panic!("{}: {error}", processor.name));
        }
    }
}
