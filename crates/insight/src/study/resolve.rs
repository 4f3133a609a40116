//! Resolves names, parses amounts and applies defaults to every claim; collects all mistakes.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::Spanned;
use zerohop_machine::{NodeId, Setting, Settings};
use zerohop_result::{Measure, Over, Query, Wanted};

use super::claim::{Assertion, Claim, Passage, Peak, Run, Study};
use super::error::Problem;
use super::file::{
    EqualFile, MeanWord, OrderFile, PassageFile, PeakFile, PlaceFile, RatioFile, RunFile, SetRunFile,
    ShrinkingFile, StudyFile, ValueFile,
};

use crate::{Amount, Difference, ParseAmountError, Place};

/// The default measure: times relative to the fastest case, as in the figures.
const DEFAULT_MEASURE: Measure = Measure::RelativeTime;

/// The study that a file describes.
///
/// # Errors
/// When there are mistakes in it: all of them.
pub(super) fn resolve(file: StudyFile) -> Result<Study, Vec<Problem>> {
    let mut resolver = Resolver::new(&file);
    let runs = resolver.runs();
    let passages = resolver.passages();
    resolver.refuse_idle_names();
    let Resolver { problems, variants, .. } = resolver;
    if !problems.is_empty() {
        return Err(problems);
    }
    let StudyFile { name, title, machine, document, .. } = file;
    Ok(Study { name, title, machine, document, variants, runs, passages })
}

struct Resolver<'a> {
    file: &'a StudyFile,
    problems: Vec<Problem>,
    used_runs: BTreeSet<usize>,
    used_places: BTreeSet<&'a str>,
    variants: Vec<Settings>,
}

/// Defaults for all claims of a passage.
struct Defaults<'a> {
    label: &'a str,
    fitted: bool,
    run: Option<&'a Spanned<String>>,
    measure: Measure,
    tolerance: Option<&'a Spanned<String>>,
}

impl<'a> Resolver<'a> {
    fn new(file: &'a StudyFile) -> Self {
        Self {
            file,
            problems: Vec::new(),
            used_runs: BTreeSet::new(),
            used_places: BTreeSet::new(),
            variants: vec![Settings::none()],
        }
    }

    fn runs(&mut self) -> Vec<Run> {
        let file = self.file;
        let runs = file.run.iter().map(|(name, run)| {
            let (command, variant) = match run {
                RunFile::Plain(command) => (command, 0),
                RunFile::Set(SetRunFile { command, set }) => (command, self.variant(set)),
            };
            Run { name: name.get_ref().clone(), command: command.clone(), variant }
        });
        runs.collect()
    }

    /// The rank of a variant of the machine.
    fn variant(&mut self, set: &BTreeMap<String, String>) -> usize {
        let settings: Settings = set.iter().map(|(name, value)| Setting::new(name, value)).collect();
        let known = self.variants.iter().position(|known| *known == settings);
        known.unwrap_or_else(|| {
            self.variants.push(settings);
            self.variants.len() - 1
        })
    }

    fn passages(&mut self) -> Vec<Passage> {
        let mut labels = BTreeSet::new();
        let mut passages = Vec::new();
        for spanned in &self.file.passage {
            let passage = spanned.get_ref();
            if !labels.insert(passage.label.get_ref()) {
                self.say(passage.label.span(), format!("`{}` appears twice", passage.label.get_ref()), None);
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
        claims.extend(passage.ratio.iter().filter_map(|ratio| self.ratio(ratio, &defaults)));
        claims.extend(passage.peak.iter().filter_map(|peak| self.peak(peak, &defaults)));
        claims.extend(passage.order.iter().filter_map(|order| self.order(order, &defaults)));
        claims.extend(passage.equal.iter().filter_map(|equal| self.equal(equal, &defaults)));
        claims.extend(passage.shrinking.iter().filter_map(|gaps| self.shrinking(gaps, &defaults)));
        let written = [
            passage.value.len(),
            passage.ratio.len(),
            passage.peak.len(),
            passage.order.len(),
            passage.equal.len(),
            passage.shrinking.len(),
        ];
        if written.iter().sum::<usize>() == 0 {
            let hint = "give it a `value`, a `ratio`, a `peak`, an `order`, an `equal` or a `shrinking`";
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
        let place = self.place(&value.at, value.run.as_ref().or(defaults.run), measure);
        let (published, tolerance) =
            self.published(&value.published, value.tolerance.as_ref(), measure, defaults)?;
        let what = value.what.clone().unwrap_or_else(|| value.at.get_ref().clone());
        Some(Claim { what, assertion: Assertion::Value { place: place?, published, tolerance } })
    }

    fn ratio(&mut self, ratio: &'a RatioFile, defaults: &Defaults<'a>) -> Option<Claim> {
        let of = self.place(&ratio.of, defaults.run, defaults.measure);
        let to = self.place(&ratio.to, defaults.run, defaults.measure);
        let (published, tolerance) =
            self.published(&ratio.published, ratio.tolerance.as_ref(), Measure::RelativeBandwidth, defaults)?;
        let assertion = Assertion::Ratio { of: of?, to: to?, published, tolerance };
        Some(Claim { what: ratio.what.clone(), assertion })
    }

    fn peak(&mut self, spanned: &'a Spanned<PeakFile>, defaults: &Defaults<'a>) -> Option<Claim> {
        let peak = spanned.get_ref();
        let variant = self.variant(&peak.set);
        let of = match (&peak.link, peak.directions.unwrap_or(1), peak.node) {
            (Some(name), directions @ 1..=2, None) => Some(Peak::Link { name: name.clone(), directions }),
            (None, 1, Some(node)) => Some(Peak::Memory(NodeId(node))),
            _ => {
                let hint = "write `link = \"…\"`, with `directions = 2` for both, or `node = 0`";
                self.say(
                    spanned.span(),
                    "a peak is of one link or of one node's memory".to_owned(),
                    Some(hint),
                );
                None
            }
        };
        let (published, tolerance) =
            self.published(&peak.published, peak.tolerance.as_ref(), Measure::Bandwidth, defaults)?;
        let assertion = Assertion::Peak { of: of?, variant, published, tolerance };
        Some(Claim { what: peak.what.clone(), assertion })
    }

    /// A published value, with its tolerance.
    fn published(
        &mut self,
        published: &Spanned<String>,
        own: Option<&'a Spanned<String>>,
        measure: Measure,
        defaults: &Defaults<'a>,
    ) -> Option<(Amount, Option<Difference>)> {
        let span = published.span();
        let published = self.amount(published, |text| Amount::parse(text, measure));
        let tolerance = match (own.or(defaults.tolerance), published) {
            (Some(tolerance), Some(published)) => {
                Some(self.amount(tolerance, |text| Difference::parse(text, published))?)
            }
            (Some(_), None) => None,
            (None, _) if defaults.fitted => None,
            (None, _) => {
                self.missing_tolerance(span);
                None
            }
        };
        if let (true, Some(tolerance)) = (defaults.fitted, own) {
            let hint = "leave the tolerance out: a fitted passage does not count";
            self.say(tolerance.span(), format!("`{}` is fitted", defaults.label), Some(hint));
        }
        Some((published?, tolerance))
    }

    fn order(&mut self, spanned: &'a Spanned<OrderFile>, defaults: &Defaults<'a>) -> Option<Claim> {
        let order = spanned.get_ref();
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
            let places = rank.iter().map(|name| self.place(name, defaults.run, defaults.measure));
            ascending.push(places.collect::<Vec<_>>());
        }
        let ascending =
            ascending.into_iter().map(|rank| rank.into_iter().collect()).collect::<Option<_>>()?;
        Some(Claim { what: order.what.clone(), assertion: Assertion::Order { ascending } })
    }

    fn equal(&mut self, spanned: &'a Spanned<EqualFile>, defaults: &Defaults<'a>) -> Option<Claim> {
        let equal = spanned.get_ref();
        if equal.places.len() < 2 {
            self.say(spanned.span(), "an `equal` needs two places or more".to_owned(), None);
        }
        let places: Vec<_> =
            equal.places.iter().map(|name| self.place(name, defaults.run, defaults.measure)).collect();
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
        let mut gaps = Vec::new();
        for below in &shrinking.below {
            let ends = shrinking.runs.iter().map(|run| {
                let above = self.place(&shrinking.above, Some(run), defaults.measure);
                let below = self.place(below, Some(run), defaults.measure);
                Some([above?, below?])
            });
            gaps.push(ends.collect::<Vec<_>>());
        }
        let gaps = gaps.into_iter().map(|gap| gap.into_iter().collect()).collect::<Option<_>>()?;
        Some(Claim { what: shrinking.what.clone(), assertion: Assertion::Shrinking { gaps } })
    }

    /// The rank of a run. `span` locates the claim if its run is missing.
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

    /// A place of the run `run`, or of the run that is named with the place: `PLACE in RUN`.
    fn place(
        &mut self,
        name: &'a Spanned<String>,
        run: Option<&Spanned<String>>,
        measure: Measure,
    ) -> Option<Place> {
        let file = self.file;
        let text = name.get_ref().as_str();
        let own = text.rsplit_once(" in ").and_then(|(place, run)| {
            let rank = file.run.keys().position(|known| known.get_ref() == run)?;
            Some((file.place.get_key_value(place)?, rank))
        });
        let ((key, place), run) = match (file.place.get_key_value(text), own) {
            (Some(place), _) => (place, self.run(run, name.span())?),
            (None, Some((place, rank))) => {
                self.used_runs.insert(rank);
                (place, rank)
            }
            (None, None) => {
                // An unknown run is reported as well.
                if run.is_some() {
                    self.run(run, name.span());
                }
                self.unknown(name, "place", file.place.keys());
                return None;
            }
        };
        self.used_places.insert(key.get_ref());
        let PlaceFile { at, pairs, sum, mean } = place;
        let over = match (sum, mean) {
            (_, Some(MeanWord::Geometric)) => Over::Mean,
            (Some(_), None) => Over::Sum,
            (None, None) => Over::One,
        };
        let mut query = Query { measure, at: at.clone(), relation: *pairs, over };
        if let Some(axis) = sum {
            query.at.entry(*axis).or_insert(Wanted::Any);
        }
        Some(Place { name: text.to_owned(), run, query })
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
        self.say(span, "it has no tolerance".to_owned(), Some(hint));
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
        // The same name may come up once per run.
        let problem = Problem { span: name.span(), message, hint };
        if !self.problems.contains(&problem) {
            self.problems.push(problem);
        }
    }

    /// An unused item is a mistake: a forgotten claim, or a misspelled name.
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
