//! An experiment as typed after `zerohop run`, with the options that a model knows.

use std::str::FromStr;

use zerohop_app::{CommandError, nearest, option_values};
use zerohop_experiment::campaign::Run;
use zerohop_experiment::{CaseChoice, Cases, Effort, Options, catalogue};
use zerohop_result::ExperimentName;

use crate::refusal::no_experiment;

/// An option: its name, and what its value chooses.
struct Word {
    name: &'static str,
    reads: Reads,
}

/// How an option is read.
enum Reads {
    Alone(fn(&mut Options)),
    /// With the value behind it.
    Value(fn(&mut Options, &str) -> Result<(), String>),
}

/// The options of `zerohop run` that change what a model measures; a test of the command line holds them to its own.
const WORDS: [Word; 21] = [
    alone("--quick", |options| options.effort = Effort::Quick),
    alone("--full", |options| options.effort = Effort::Full),
    alone("--all", |options| options.cases = Some(Cases::All)),
    alone("--all-pairs", |options| options.all_pairs = true),
    alone("--detail", |options| options.detail = true),
    value("--nodes", |options, text| option_values::node_list(text).map(|list| options.nodes = Some(list))),
    value("--cpus", |options, text| option_values::cpu_list(text).map(|list| options.cpus = Some(list))),
    value("--buffer", |options, text| read(text).map(|size| options.buffer = Some(size))),
    value("--pages", |options, text| read(text).map(|pages| options.pages = pages)),
    value("--duration", |options, text| {
        option_values::sample_time(text).map(|time| options.window = Some(time))
    }),
    value("--interval", |options, text| {
        option_values::percentage(text).map(|share| options.interval = Some(share))
    }),
    value("--seed", |options, text| read(text).map(|seed| options.seed = seed)),
    value("--kernel", |options, text| read(text).map(|kernel| options.kernel = Some(kernel))),
    value("--interleave", |options, text| {
        option_values::node_list(text).map(|list| options.interleave = Some(list))
    }),
    value("--chains", |options, text| read(text).map(|chains| options.chains = Some(chains))),
    value("--case", |options, text| {
        let more = text.split(',').map(str::parse::<CaseChoice>).collect::<Result<Vec<_>, _>>()?;
        match &mut options.cases {
            Some(Cases::List(cases)) => cases.extend(more),
            cases => *cases = Some(Cases::List(more)),
        }
        Ok(())
    }),
    value("--background", |options, text| read(text).map(|level| options.background = Some(level))),
    value("--subscription", |options, text| read(text).map(|how| options.subscription = Some(how))),
    value("--initiators", |options, text| {
        option_values::node_list(text).map(|list| options.initiators = Some(list))
    }),
    value("--targets", |options, text| {
        option_values::node_list(text).map(|list| options.targets = Some(list))
    }),
    value("--load", |options, text| read(text).map(|place| options.load = Some(place))),
];

const fn alone(name: &'static str, choose: fn(&mut Options)) -> Word {
    Word { name, reads: Reads::Alone(choose) }
}

const fn value(name: &'static str, choose: fn(&mut Options, &str) -> Result<(), String>) -> Word {
    Word { name, reads: Reads::Value(choose) }
}

fn read<T: FromStr>(text: &str) -> Result<T, String>
where
    T::Err: ToString,
{
    text.parse().map_err(|error: T::Err| error.to_string())
}

/// The experiment that the words name, and its options on a model.
///
/// # Errors
/// When the words name no experiment, or an option that it has not.
pub fn experiment(words: &str) -> Result<Run, CommandError> {
    let split = shlex::split(words)
        .ok_or_else(|| no_experiment(format!("`{words}`: unclosed quotation mark"), "close it"))?;
    let mut words = split.iter().map(String::as_str);
    let experiment = named(words.next().unwrap_or_default())?;
    let mut options = Options::new(Effort::Quick);
    while let Some(word) = words.next() {
        let (name, joined) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let known = WORDS.iter().find(|known| known.name == name).ok_or_else(|| no_option(name))?;
        let refused = |why: String| no_experiment(format!("{name}: {why}"), EXPECTED);
        match (&known.reads, joined) {
            (Reads::Alone(choose), None) => choose(&mut options),
            (Reads::Alone(_), Some(_)) => return Err(refused("takes no value".to_owned())),
            (Reads::Value(choose), joined) => {
                let text =
                    joined.or_else(|| words.next()).ok_or_else(|| refused("needs a value".to_owned()))?;
                choose(&mut options, text).map_err(refused)?;
            }
        }
    }
    Ok(Run { experiment, options })
}

/// What to do about an option that is not understood.
const EXPECTED: &str = "type it as after `zerohop run`";

fn named(name: &str) -> Result<ExperimentName, CommandError> {
    let known: Vec<&str> = catalogue().all().map(|known| known.name).collect();
    if let (true, Ok(name)) = (known.contains(&name), name.parse()) {
        return Ok(name);
    }
    let are = format!("there are {}", known.join(", "));
    let hint = nearest(name, &known).map_or(are, |meant| format!("did you mean `{meant}`?"));
    Err(no_experiment(format!("no experiment `{name}`"), hint))
}

fn no_option(name: &str) -> CommandError {
    let known: Vec<&str> = WORDS.iter().map(|word| word.name).collect();
    let are = format!("there are {}", known.join(", "));
    let hint = nearest(name, &known).map_or(are, |meant| format!("did you mean `{meant}`?"));
    no_experiment(format!("no option `{name}` for simulated experiments"), hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_are_no_experiment_say_what_is() {
        let refusal = |words: &str| experiment(words).unwrap_err();
        assert_eq!(refusal("crossfires").hint.as_deref(), Some("did you mean `crossfire`?"));
        assert_eq!(refusal("hops --kernal read").hint.as_deref(), Some("did you mean `--kernel`?"));
        assert!(refusal("hops --kernel").message.contains("needs a value"));
        assert!(refusal("hops --detail=1").message.contains("takes no value"));
        assert!(refusal("hops --case '0").message.contains("unclosed"));
        assert!(refusal("").message.contains("no experiment"));
    }

    #[test]
    fn a_value_may_be_joined_to_its_option() {
        assert_eq!(experiment("hops --kernel=read"), experiment("hops --kernel read"));
    }
}
