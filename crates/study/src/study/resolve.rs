//! Resolves names, parses amounts and applies defaults to every claim, and collects all problems.

use std::collections::BTreeSet;

use zerohop_document::FigureId;
use zerohop_document::{ByText, Problems, Span, Text, TextProblem, suggest};
use zerohop_machine::{NodeId, Setting, Settings};
use zerohop_result::{Measure, Over, Query, Wanted};

use super::claim::{Assertion, Claim, Passage, Peak, Run, Study};
use super::file::{
    EqualTable, MeanWord, OrderTable, PassageTable, PeakTable, PlaceTable, RatioTable, RunFile,
    ShrinkingTable, StudyTable, ValueTable,
};
use crate::{Amount, Difference, FigureGrade, ParseAmountError, Place};

/// The default measure: times relative to the fastest case, as most figures show them.
const DEFAULT_MEASURE: Measure = Measure::RelativeTime;

/// The study that a file describes.
///
/// # Errors
/// When the file has problems: all of them.
pub(super) fn resolve(file: StudyTable, problems: Problems) -> Result<Study, Vec<TextProblem>> {
    let mut resolver = Resolver::new(&file, problems);
    let runs = resolver.runs();
    let passages = resolver.passages();
    resolver.refuse_idle_names();
    let Resolver { problems, variants, .. } = resolver;
    if problems.any() {
        return Err(problems.into_list());
    }
    let StudyTable { name, title, machine, assumed, document, .. } = file;
    let (name, title, machine, document) = (name.text, title.text, machine.text, document.value);
    let assumed = assumed.into_iter().flat_map(|assumed| assumed.names).map(|fact| fact.text).collect();
    Ok(Study { name, title, machine, assumed, document, variants, runs, passages })
}

struct Resolver<'a> {
    file: &'a StudyTable,
    problems: Problems,
    used_runs: BTreeSet<usize>,
    used_places: BTreeSet<&'a str>,
    variants: Vec<Settings>,
}

/// The defaults of a passage's claims.
struct Defaults<'a> {
    label: &'a str,
    grade: FigureGrade,
    run: Option<&'a Text>,
    measure: Measure,
    tolerance: Option<&'a Text>,
}

impl<'a> Resolver<'a> {
    fn new(file: &'a StudyTable, problems: Problems) -> Self {
        Self {
            file,
            problems,
            used_runs: BTreeSet::new(),
            used_places: BTreeSet::new(),
            variants: vec![Settings::none()],
        }
    }

    fn runs(&mut self) -> Vec<Run> {
        let file = self.file;
        let runs = file.run.iter().map(|run| {
            let (command, variant) = match &run.value {
                RunFile::Plain(command) => (command, 0),
                RunFile::Set(table) => (&table.command, self.variant(&table.set)),
            };
            Run { name: run.name.clone(), command: command.text.clone(), variant }
        });
        runs.collect()
    }

    /// The rank of a variant of the machine.
    fn variant(&mut self, set: &ByText<Text>) -> usize {
        let mut settings: Vec<Setting> =
            set.iter().map(|part| Setting::new(&part.name, &part.value.text)).collect();
        // The order of settings does not matter.
        settings.sort_by(|one, other| one.name.cmp(&other.name));
        let settings: Settings = settings.into_iter().collect();
        let known = self.variants.iter().position(|known| *known == settings);
        known.unwrap_or_else(|| {
            self.variants.push(settings);
            self.variants.len() - 1
        })
    }

    fn passages(&mut self) -> Vec<Passage> {
        let mut labels = BTreeSet::new();
        let mut ids = BTreeSet::new();
        let mut passages = Vec::new();
        if self.file.passage.0.is_empty() {
            let hint = "write, for example, `[[passage]]` with a `label`, an `about` and a `value`";
            self.say(self.file.table_place, "it has no passage".to_owned(), Some(hint));
        }
        for passage in self.file.passage.iter() {
            if !labels.insert(&passage.label.text) {
                self.say(passage.label.place, format!("`{}` appears twice", passage.label.text), None);
            }
            if !ids.insert(&passage.id.text) {
                self.say(passage.id.place, format!("the id `{}` appears twice", passage.id.text), None);
            }
            if !FigureId::is_part(&passage.id.text) {
                let message = format!("invalid id `{}`", passage.id.text);
                let hint = "an id has lower-case letters, digits, dots and hyphens, such as `fig-7`";
                self.say(passage.id.place, message, Some(hint));
            }
            passages.push(self.passage(passage));
        }
        passages
    }

    fn passage(&mut self, passage: &'a PassageTable) -> Passage {
        let defaults = Defaults {
            label: &passage.label.text,
            grade: passage.grade.value,
            run: passage.run.as_ref(),
            measure: passage.measure.as_ref().map_or(DEFAULT_MEASURE, |measure| measure.0),
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
            passage.value.0.len(),
            passage.ratio.0.len(),
            passage.peak.0.len(),
            passage.order.0.len(),
            passage.equal.0.len(),
            passage.shrinking.0.len(),
        ];
        if written.iter().sum::<usize>() == 0 {
            let hint = "give it a `value`, a `ratio`, a `peak`, an `order`, an `equal` or a `shrinking`";
            self.say(passage.table_place, format!("`{}` claims nothing", defaults.label), Some(hint));
        }
        self.refuse_wrong_grade(passage, &claims);
        Passage {
            id: passage.id.text.clone(),
            label: defaults.label.to_owned(),
            pages: passage.pages.as_ref().map_or(String::new(), |pages| pages.text.clone()),
            about: passage.about.text.clone(),
            grade: passage.grade.value,
            reason: passage.reason.text.clone(),
            claims,
        }
    }

    /// A predicted figure is a value, an ordering is not: neither may be counted as the other.
    fn refuse_wrong_grade(&mut self, passage: &PassageTable, claims: &[Claim]) {
        let (allowed, message, hint) = match passage.grade.value {
            FigureGrade::Predicted => (
                true,
                "only a `value`, a `ratio` or a `peak` can be predicted",
                "the grade of an `order`, an `equal` or a `shrinking` is \"ordering\", \"identity\" or \"fitted\"",
            ),
            FigureGrade::Ordering => (
                false,
                "only an `order`, an `equal` or a `shrinking` is an ordering",
                "the grade of a `value`, a `ratio` or a `peak` is \"predicted\", \"identity\" or \"fitted\"",
            ),
            FigureGrade::Identity | FigureGrade::Fitted => return,
        };
        if claims.iter().any(|claim| claim.assertion.is_value() != allowed) {
            self.say(passage.grade.place, message.to_owned(), Some(hint));
        }
    }

    fn value(&mut self, value: &'a ValueTable, defaults: &Defaults<'a>) -> Option<Claim> {
        let measure = value.measure.as_ref().map_or(defaults.measure, |measure| measure.0);
        let place = self.place(&value.at, value.run.as_ref().or(defaults.run), measure);
        let (published, tolerance) =
            self.published(&value.published, value.tolerance.as_ref(), measure, defaults)?;
        let what = value.what.as_ref().unwrap_or(&value.at).text.clone();
        Some(Claim { what, assertion: Assertion::Value { place: place?, published, tolerance } })
    }

    fn ratio(&mut self, ratio: &'a RatioTable, defaults: &Defaults<'a>) -> Option<Claim> {
        let of = self.place(&ratio.of, defaults.run, defaults.measure);
        let to = self.place(&ratio.to, defaults.run, defaults.measure);
        let (published, tolerance) =
            self.published(&ratio.published, ratio.tolerance.as_ref(), Measure::RelativeBandwidth, defaults)?;
        let assertion = Assertion::Ratio { of: of?, to: to?, published, tolerance };
        Some(Claim { what: ratio.what.text.clone(), assertion })
    }

    fn peak(&mut self, peak: &'a PeakTable, defaults: &Defaults<'a>) -> Option<Claim> {
        let variant = self.variant(&peak.set);
        let of =
            match (&peak.link, peak.directions.as_ref().map_or(1, |directions| directions.value), &peak.node)
            {
                (Some(name), directions @ 1..=2, None) => {
                    Some(Peak::Link { name: name.text.clone(), directions })
                }
                (None, 1, Some(node)) => Some(Peak::Memory(NodeId(node.value))),
                _ => {
                    let hint = "write `link = \"…\"`, with `directions = 2` for both, or `node = 0`";
                    self.say(
                        peak.table_place,
                        "a peak is of one link or of one node's memory".to_owned(),
                        Some(hint),
                    );
                    None
                }
            };
        let (published, tolerance) =
            self.published(&peak.published, peak.tolerance.as_ref(), Measure::Bandwidth, defaults)?;
        let assertion = Assertion::Peak { of: of?, variant, published, tolerance };
        Some(Claim { what: peak.what.text.clone(), assertion })
    }

    /// A published value and its tolerance.
    fn published(
        &mut self,
        published: &Text,
        own: Option<&'a Text>,
        measure: Measure,
        defaults: &Defaults<'a>,
    ) -> Option<(Amount, Option<Difference>)> {
        let at = published.place;
        let published = self.amount(published, |text| Amount::parse(text, measure));
        let tolerance = match (own.or(defaults.tolerance), published) {
            (Some(tolerance), Some(published)) => {
                Some(self.amount(tolerance, |text| Difference::parse(text, published))?)
            }
            (Some(_), None) => None,
            (None, _) if defaults.grade == FigureGrade::Fitted => None,
            (None, _) => {
                self.missing_tolerance(at);
                None
            }
        };
        if let (FigureGrade::Fitted, Some(tolerance)) = (defaults.grade, own) {
            let hint = "omit the tolerance: a fitted passage does not count";
            self.say(tolerance.place, format!("`{}` is fitted", defaults.label), Some(hint));
        }
        Some((published?, tolerance))
    }

    fn order(&mut self, order: &'a OrderTable, defaults: &Defaults<'a>) -> Option<Claim> {
        if order.ascending.0.len() < 2 || order.ascending.iter().any(|rank| rank.names.is_empty()) {
            let hint = "write `ascending = [[\"one\"], [\"another\", \"a third\"]]`";
            self.say(
                order.table_place,
                "an order needs at least two ranks, none of them empty".to_owned(),
                Some(hint),
            );
        }
        let mut ascending = Vec::new();
        for rank in order.ascending.iter() {
            let places = rank.names.iter().map(|name| self.place(name, defaults.run, defaults.measure));
            ascending.push(places.collect::<Vec<_>>());
        }
        let ascending =
            ascending.into_iter().map(|rank| rank.into_iter().collect()).collect::<Option<_>>()?;
        Some(Claim { what: order.what.text.clone(), assertion: Assertion::Order { ascending } })
    }

    fn equal(&mut self, equal: &'a EqualTable, defaults: &Defaults<'a>) -> Option<Claim> {
        if equal.places.names.len() < 2 {
            self.say(equal.table_place, "an `equal` needs at least two places".to_owned(), None);
        }
        let places: Vec<_> =
            equal.places.names.iter().map(|name| self.place(name, defaults.run, defaults.measure)).collect();
        let Some(written) = equal.tolerance.as_ref().or(defaults.tolerance) else {
            self.missing_tolerance(equal.table_place);
            return None;
        };
        let unit = Amount::of(defaults.measure, 0.0);
        let tolerance = self.amount(written, |text| Difference::parse(text, unit))?;
        let places = places.into_iter().collect::<Option<_>>()?;
        Some(Claim { what: equal.what.text.clone(), assertion: Assertion::Equal { places, tolerance } })
    }

    fn shrinking(&mut self, shrinking: &'a ShrinkingTable, defaults: &Defaults<'a>) -> Option<Claim> {
        if shrinking.below.names.is_empty() || shrinking.runs.names.len() < 2 {
            let message = "shrinking gaps need at least two runs, and at least one place".to_owned();
            self.say(shrinking.table_place, message, None);
        }
        let mut gaps = Vec::new();
        for below in &shrinking.below.names {
            let ends = shrinking.runs.names.iter().map(|run| {
                let above = self.place(&shrinking.above, Some(run), defaults.measure);
                let below = self.place(below, Some(run), defaults.measure);
                Some([above?, below?])
            });
            gaps.push(ends.collect::<Vec<_>>());
        }
        let gaps = gaps.into_iter().map(|gap| gap.into_iter().collect()).collect::<Option<_>>()?;
        Some(Claim { what: shrinking.what.text.clone(), assertion: Assertion::Shrinking { gaps } })
    }

    /// The rank of a run. `at` is the location of a claim without one.
    fn run(&mut self, name: Option<&Text>, at: Span) -> Option<usize> {
        let Some(name) = name else {
            let hint = "give it, or its passage, a `run = \"…\"`";
            self.say(at, "no run is given".to_owned(), Some(hint));
            return None;
        };
        let found = self.file.run.iter().position(|run| run.name == name.text);
        match found {
            Some(rank) => {
                self.used_runs.insert(rank);
            }
            None => self.unknown(name, "run", self.file.run.iter().map(|run| run.name.as_str())),
        }
        found
    }

    /// A place in the result of `run`, or of the run that is named with the place: `PLACE in RUN`.
    fn place(&mut self, name: &'a Text, run: Option<&Text>, measure: Measure) -> Option<Place> {
        let file = self.file;
        let text = name.text.as_str();
        let named = |name: &str| file.place.iter().find(|place| place.name == name);
        let own = text.rsplit_once(" in ").and_then(|(place, run)| {
            let rank = file.run.iter().position(|known| known.name == run)?;
            Some((named(place)?, rank))
        });
        let (place, run) = match (named(text), own) {
            (Some(place), _) => (place, self.run(run, name.place)?),
            (None, Some((place, rank))) => {
                self.used_runs.insert(rank);
                (place, rank)
            }
            (None, None) => {
                // An unknown run is also reported.
                if run.is_some() {
                    self.run(run, name.place);
                }
                self.unknown(name, "place", file.place.iter().map(|place| place.name.as_str()));
                return None;
            }
        };
        self.used_places.insert(&place.name);
        let PlaceTable { table_place, at, pairs, sum, mean, of_peak, left, right } = &place.value;
        let over = match (sum, mean) {
            (_, Some(MeanWord::Geometric)) => Over::Mean,
            (Some(_), None) => Over::Sum,
            (None, None) => Over::One,
        };
        let relation = pairs.as_ref().map(|pairs| pairs.value);
        let mut query = Query { measure, at: at.0.clone(), relation, over };
        if let Some(axis) = sum {
            query.at.entry(axis.0).or_insert(Wanted::Any);
        }
        let [of_peak, left, right] =
            [of_peak, left, right].map(|share| share.as_ref().map(|share| share.value.0));
        let chord = match (of_peak, left, right) {
            (_, None, None) => None,
            (Some(share), Some(left), Some(right)) if left <= share && share <= right => Some([left, right]),
            _ => {
                let message = "`left` and `right` are the shares of the peak on both sides of `of_peak`";
                self.say(
                    *table_place,
                    message.to_owned(),
                    Some("give all three, in ascending order, or `of_peak` alone"),
                );
                None
            }
        };
        Some(Place { name: text.to_owned(), run, query, of_peak, chord })
    }

    fn amount<T>(
        &mut self,
        text: &Text,
        parse: impl FnOnce(&str) -> Result<T, ParseAmountError>,
    ) -> Option<T> {
        let parsed = parse(&text.text);
        parsed.map_err(|error| self.say(text.place, error.to_string(), None)).ok()
    }

    fn missing_tolerance(&mut self, at: Span) {
        let hint = "give it, or its passage, a `tolerance` such as \"6 pp\" or \"8 %\"";
        self.say(at, "no tolerance for the prediction".to_owned(), Some(hint));
    }

    fn unknown<'n>(&mut self, name: &Text, kind: &str, names: impl Iterator<Item = &'n str> + Clone) {
        let message = format!("no {kind} `{}`", name.text);
        self.problems.add_with_hint(name.place, message, suggest(&name.text, names));
    }

    /// A place or run that no claim refers to is a mistake: a claim is missing, or a name is misspelled.
    fn refuse_idle_names(&mut self) {
        for (rank, run) in self.file.run.iter().enumerate() {
            if !self.used_runs.contains(&rank) {
                self.problems.add(run.place, format!("no passage uses the run `{}`", run.name));
            }
        }
        for place in self.file.place.iter() {
            if !self.used_places.contains(place.name.as_str()) {
                self.problems.add(place.place, format!("no passage uses the place `{}`", place.name));
            }
        }
    }

    fn say(&mut self, at: Span, message: String, hint: Option<&str>) {
        match hint {
            Some(hint) => self.problems.add_with_hint(at, message, hint),
            None => self.problems.add(at, message),
        }
    }
}
