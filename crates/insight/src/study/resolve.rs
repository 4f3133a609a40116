//! Names to what they name, texts to amounts, defaults to every claim; and all that is wrong on the way.

use std::collections::BTreeSet;
use std::ops::Range;

use toml::Spanned;
use zerohop_experiment::Measure;

use super::error::Problem;
use super::file::{EqualFile, OrderFile, PassageFile, PlaceFile, ShrinkingFile, StudyFile, ValueFile};
use super::{Assertion, Claim, Passage, Run, Study};
use crate::{Amount, Difference, ParseAmountError, Place};

/// What a number is if nothing is said: times against the fastest case, as figures are drawn.
const DEFAULT_MEASURE: Measure = Measure::RelativeTime;

/// The study that a file describes.
///
/// # Errors
/// When something in it is wrong: all of it.
pub(super) fn resolve(file: StudyFile) -> Result<Study, Vec<Problem>> {
    let mut resolver = Resolver::new(&file);
    let passages = resolver.passages();
    resolver.refuse_idle_names();
    if !resolver.problems.is_empty() {
        return Err(resolver.problems);
    }
    let runs = file
        .run
        .iter()
        .map(|(name, command)| Run { name: name.get_ref().clone(), command: command.get_ref().clone() });
    let runs = runs.collect();
    let StudyFile { name, title, machine, document, .. } = file;
    Ok(Study { name, title, machine, document, runs, passages })
}

struct Resolver<'a> {
    file: &'a StudyFile,
    problems: Vec<Problem>,
    used_runs: BTreeSet<usize>,
    used_places: BTreeSet<&'a str>,
}

/// What holds for all claims of a passage that say nothing else.
struct Defaults<'a> {
    label: &'a str,
    fitted: bool,
    run: Option<&'a Spanned<String>>,
    measure: Measure,
    tolerance: Option<&'a Spanned<String>>,
}

impl<'a> Resolver<'a> {
    fn new(file: &'a StudyFile) -> Self {
        Self { file, problems: Vec::new(), used_runs: BTreeSet::new(), used_places: BTreeSet::new() }
    }

    fn passages(&mut self) -> Vec<Passage> {
        let mut labels = BTreeSet::new();
        let mut passages = Vec::new();
        for spanned in &self.file.passage {
            let passage = spanned.get_ref();
            if !labels.insert(passage.label.get_ref()) {
                self.say(passage.label.span(), format!("`{}` is there twice", passage.label.get_ref()), None);
            }
            passages.push(self.passage(spanned.span(), passage));
        }
        passages
    }

    fn passage(&mut self, span: Range<usize>, passage: &'a PassageFile) -> Passage {
        let defaults = Defaults {
            label: passage.label.get_ref(),
            fitted: passage.fitted,
            run: passage.run.as_ref(),
            measure: passage.measure.unwrap_or(DEFAULT_MEASURE),
            tolerance: passage.tolerance.as_ref(),
        };
        let mut claims = Vec::new();
        claims.extend(passage.value.iter().filter_map(|value| self.value(value, &defaults)));
        claims.extend(passage.order.iter().filter_map(|order| self.order(order, &defaults)));
        claims.extend(passage.equal.iter().filter_map(|equal| self.equal(equal, &defaults)));
        claims.extend(passage.shrinking.iter().filter_map(|gaps| self.shrinking(gaps, &defaults)));
        let written =
            [passage.value.len(), passage.order.len(), passage.equal.len(), passage.shrinking.len()];
        if written.iter().sum::<usize>() == 0 {
            let hint = "give it a `value`, an `order`, an `equal` or a `shrinking`";
            self.say(span, format!("`{}` claims nothing", defaults.label), Some(hint));
        }
        Passage {
            label: defaults.label.to_owned(),
            also: passage.also.clone(),
            pages: passage.pages.clone(),
            about: passage.about.clone(),
            fitted: passage.fitted,
            claims,
        }
    }

    fn value(&mut self, value: &'a ValueFile, defaults: &Defaults<'a>) -> Option<Claim> {
        let measure = value.measure.unwrap_or(defaults.measure);
        let run = self.run(value.run.as_ref().or(defaults.run), value.at.span());
        let place = self.place(&value.at, run, measure);
        let published = self.amount(&value.published, |text| Amount::parse(text, measure));
        let tolerance = match (value.tolerance.as_ref().or(defaults.tolerance), published) {
            (Some(tolerance), Some(published)) => {
                Some(self.amount(tolerance, |text| Difference::parse(text, published))?)
            }
            (Some(_), None) => None,
            (None, _) if defaults.fitted => None,
            (None, _) => {
                self.missing_tolerance(value.published.span());
                None
            }
        };
        if let (true, Some(tolerance)) = (defaults.fitted, &value.tolerance) {
            let hint = "leave the tolerance out: what is fitted counts for nothing";
            self.say(tolerance.span(), format!("`{}` is fitted", defaults.label), Some(hint));
        }
        let what = value.what.clone().unwrap_or_else(|| value.at.get_ref().clone());
        Some(Claim { what, assertion: Assertion::Value { place: place?, published: published?, tolerance } })
    }

    fn order(&mut self, spanned: &'a Spanned<OrderFile>, defaults: &Defaults<'a>) -> Option<Claim> {
        let order = spanned.get_ref();
        let run = self.run(defaults.run, spanned.span());
        if order.ascending.len() < 2 || order.ascending.iter().any(Vec::is_empty) {
            let hint = "write `ascending = [[\"one\"], [\"another\", \"a third\"]]`";
            self.say(
                spanned.span(),
                "an order has two ranks or more, none of them empty".to_owned(),
                Some(hint),
            );
        }
        let mut ascending = Vec::new();
        for rank in &order.ascending {
            let places = rank.iter().map(|name| self.place(name, run, defaults.measure));
            ascending.push(places.collect::<Vec<_>>());
        }
        let ascending =
            ascending.into_iter().map(|rank| rank.into_iter().collect()).collect::<Option<_>>()?;
        Some(Claim { what: order.what.clone(), assertion: Assertion::Order { ascending } })
    }

    fn equal(&mut self, spanned: &'a Spanned<EqualFile>, defaults: &Defaults<'a>) -> Option<Claim> {
        let equal = spanned.get_ref();
        let run = self.run(defaults.run, spanned.span());
        if equal.places.len() < 2 {
            self.say(spanned.span(), "one place alone is equal to nothing".to_owned(), None);
        }
        let places: Vec<_> =
            equal.places.iter().map(|name| self.place(name, run, defaults.measure)).collect();
        let Some(written) = equal.tolerance.as_ref().or(defaults.tolerance) else {
            self.missing_tolerance(spanned.span());
            return None;
        };
        let unit = Amount::of(defaults.measure, 0.0);
        let tolerance = self.amount(written, |text| Difference::parse(text, unit))?;
        let places = places.into_iter().collect::<Option<_>>()?;
        Some(Claim { what: equal.what.clone(), assertion: Assertion::Equal { places, tolerance } })
    }

    fn shrinking(&mut self, spanned: &'a Spanned<ShrinkingFile>, defaults: &Defaults<'a>) -> Option<Claim> {
        let shrinking = spanned.get_ref();
        if shrinking.below.is_empty() || shrinking.runs.len() < 2 {
            let message = "gaps shrink over two runs or more, below one place or more".to_owned();
            self.say(spanned.span(), message, None);
        }
        let runs: Vec<_> = shrinking.runs.iter().map(|run| self.run(Some(run), run.span())).collect();
        let mut gaps = Vec::new();
        for below in &shrinking.below {
            let ends = runs.iter().map(|&run| {
                let above = self.place(&shrinking.above, run, defaults.measure);
                let below = self.place(below, run, defaults.measure);
                Some([above?, below?])
            });
            gaps.push(ends.collect::<Vec<_>>());
        }
        let gaps = gaps.into_iter().map(|gap| gap.into_iter().collect()).collect::<Option<_>>()?;
        Some(Claim { what: shrinking.what.clone(), assertion: Assertion::Shrinking { gaps } })
    }

    /// The rank of a run. `span` is where one is missing.
    fn run(&mut self, name: Option<&Spanned<String>>, span: Range<usize>) -> Option<usize> {
        let Some(name) = name else {
            let hint = "give it, or its passage, a `run = \"…\"`";
            self.say(span, "no run is named".to_owned(), Some(hint));
            return None;
        };
        let found = self.file.run.keys().position(|run| run.get_ref() == name.get_ref());
        match found {
            Some(rank) => {
                self.used_runs.insert(rank);
            }
            None => self.unknown(name, "run", self.file.run.keys()),
        }
        found
    }

    fn place(&mut self, name: &'a Spanned<String>, run: Option<usize>, measure: Measure) -> Option<Place> {
        let Some(place) = self.file.place.get(name.get_ref().as_str()) else {
            self.unknown(name, "place", self.file.place.keys());
            return None;
        };
        self.used_places.insert(name.get_ref());
        let PlaceFile { at, sum } = place;
        Some(Place { name: name.get_ref().clone(), run: run?, measure, at: at.clone(), sum: *sum })
    }

    fn amount<T>(
        &mut self,
        text: &Spanned<String>,
        parse: impl FnOnce(&str) -> Result<T, ParseAmountError>,
    ) -> Option<T> {
        let parsed = parse(text.get_ref());
        parsed.map_err(|error| self.say(text.span(), error.to_string(), None)).ok()
    }

    fn missing_tolerance(&mut self, span: Range<usize>) {
        let hint = "give it, or its passage, a `tolerance` such as \"6 pp\" or \"8 %\"";
        self.say(span, "how far a prediction may be from it is not said".to_owned(), Some(hint));
    }

    fn unknown<'n>(
        &mut self,
        name: &Spanned<String>,
        kind: &str,
        names: impl Iterator<Item = &'n Spanned<String>>,
    ) {
        let names: Vec<String> = names.map(|name| format!("`{}`", name.get_ref())).collect();
        let hint = format!("there are {}", names.join(", "));
        let hint = if names.is_empty() { None } else { Some(hint) };
        let message = format!("no {kind} `{}`", name.get_ref());
        // The same name may be asked for once a run.
        let problem = Problem { span: name.span(), message, hint };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// What nothing refers to is a mistake: a claim was forgotten, or a name misspelt.
    fn refuse_idle_names(&mut self) {
        for (rank, name) in self.file.run.keys().enumerate() {
            if !self.used_runs.contains(&rank) {
                self.say(name.span(), format!("no claim is about the run `{}`", name.get_ref()), None);
            }
        }
        for name in self.file.place.keys() {
            if !self.used_places.contains(name.get_ref().as_str()) {
                self.say(name.span(), format!("no claim is about the place `{}`", name.get_ref()), None);
            }
        }
    }

    fn say(&mut self, span: Range<usize>, message: String, hint: Option<&str>) {
        self.problems.push(Problem { span, message, hint: hint.map(str::to_owned) });
    }
}
