//! Templates by the names that people have for processors: `Graviton4`, `Ampere Altra`, `EPYC Milan`, `Sapphire Rapids`.

use std::sync::LazyLock;

use zerohop_machine_file::Template;

use crate::built_in::{is_file, machine_text, template_names, template_text};

/// A template, and the words by which it is known.
struct Spoken {
    name: &'static str,
    /// The words of its name.
    own: Vec<String>,
    /// Words of its name, and of its title without the year.
    all: Vec<String>,
}

/// Words of titles that name nothing.
const FILLING: [&str; 6] = ["and", "with", "generation", "scalable", "performance", "cores"];

/// The template that a name means: the only one whose name, or else whose title, has all of the name's words.
pub(super) fn meant(name: &str) -> Option<&'static str> {
    if is_file(name) || machine_text(name).is_some() {
        return None;
    }
    let words = words(name);
    // A bare number may be that of any processor.
    if !words.iter().any(|word| word.starts_with(char::is_alphabetic)) {
        return None;
    }
    // Of a name that was cut off, a message says how it goes on.
    let is_cut = |known: &Spoken| known.own.len() > words.len() && known.own.starts_with(&words);
    if ALL.iter().any(is_cut) {
        return None;
    }
    let only = |of: fn(&Spoken) -> &Vec<String>| {
        let mut found = ALL.iter().filter(|known| words.iter().all(|word| of(known).contains(word)));
        let first = found.next()?;
        found.next().is_none().then_some(first.name)
    };
    only(|known| &known.own).or_else(|| only(|known| &known.all))
}

static ALL: LazyLock<Vec<Spoken>> = LazyLock::new(|| {
    let spoken = |name: &'static str| {
        let own = words(name);
        let template = template_text(name).and_then(|text| Template::parse(name, text).ok());
        let title = template.map_or_else(String::new, |template| template.title().to_owned());
        let title = title.rsplit_once(',').map_or(title.as_str(), |(before, _)| before);
        let all = own.iter().cloned().chain(words(title)).collect();
        Spoken { name, own, all }
    };
    template_names().map(spoken).collect()
});

/// The words of a name or a title, in small letters.
fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace("(r)", " ").replace("(tm)", " ");
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let noise = |word: &&str| !["intel", "amd", "cpu", "processor"].contains(word) && !FILLING.contains(word);
    words.filter(noise).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_found_as_people_name_them() {
        for (typed, name) in [
            ("Graviton2", "graviton2"),
            ("Graviton4", "graviton4"),
            ("AWS Graviton4", "graviton4"),
            ("Grace", "grace"),
            ("NVIDIA Grace CPU", "grace"),
            ("A64FX", "a64fx"),
            ("Fujitsu A64FX", "a64fx"),
            ("Ampere Altra", "ampere-altra"),
            ("altra", "ampere-altra"),
            ("Milan", "epyc-7003"),
            ("AMD EPYC Genoa", "epyc-9004"),
            ("Sapphire Rapids", "xeon-sapphire-rapids"),
            ("Intel Xeon Max", "xeon-max"),
            ("sandy bridge", "xeon-ivy-bridge"),
        ] {
            assert_eq!(meant(typed), Some(name), "{typed}");
        }
        for typed in [
            "Neoverse V2",
            "Xeon",
            "Xeon Scalable",
            "7003",
            "2019",
            "",
            "-",
            "./grace",
            "quartet",
            "with cores",
            "xeon-cascade",
        ] {
            assert_eq!(meant(typed), None, "{typed}");
        }
    }

    /// Whatever name a template has, it means itself.
    #[test]
    fn the_name_of_a_template_means_no_other() {
        for name in template_names() {
            assert_eq!(meant(&name.to_uppercase()), Some(name), "{name}");
        }
    }
}
