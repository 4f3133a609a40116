//! Applies rules to a result.

use std::collections::BTreeSet;

use zerohop_result::{Measure, ResultFile};
use zerohop_units::counted;

use crate::condition::Condition;
use crate::context::Given;
use crate::facts::Facts;
use crate::finding::{
    Confidence, Diagnosis, Finding, NamedCause, Severity, Size, Untold, Verdict, undecided,
};
use crate::predicate::expected;
use crate::remaining_bandwidth::RemainingBandwidth;
use crate::rule::{Cause, Remedy, Rule};
use crate::test_outcome::{Match, TestOutcome};
use crate::words::filled;

/// A finding this many times beyond its threshold is beyond chance.
const CLEAR: f64 = 1.5;

/// What is left of a cause's likelihood if its sign is known to be missing.
const WITHOUT_SIGN: f64 = 0.3;

/// Applies rules to a result; `name` is the name of its file.
pub fn diagnose(rules: &[Rule], name: &str, file: &ResultFile, given: Given<'_>) -> Diagnosis {
    let facts = Facts::new(file, given);
    let mut found: Vec<Found<'_>> = Vec::new();
    let (mut passed, mut untold) = (Vec::new(), Vec::new());
    for rule in rules {
        match rule.when.evaluate(&facts) {
            TestOutcome::No => passed.push(rule.name.clone()),
            TestOutcome::Unknown(missing) => {
                let holds = |when: &Condition| matches!(when.evaluate(&facts), TestOutcome::Holds(_));
                let said = rule.not_tested.as_ref().filter(|_| rule.not_tested_if.as_ref().is_none_or(holds));
                untold.push(Untold { rule: rule.name.clone(), missing, not_tested: said.cloned() });
            }
            TestOutcome::Holds(places) => {
                let causes = KnownCauses::of(rule, &facts);
                found.extend(worst(places).into_iter().map(|place| {
                    let finding = finding(rule, place.clone(), &causes, &facts);
                    Found { rule, place, finding }
                }));
            }
        }
    }
    doubt(&mut found);
    let mut findings = unexplained(found);
    let loss = |finding: &Finding| finding.size.map_or(0.0, |size| size.loss);
    findings.sort_by(|one, other| {
        let rank = |finding: &Finding| (finding.severity, finding.confidence);
        rank(other).cmp(&rank(one)).then_with(|| loss(other).total_cmp(&loss(one)))
    });
    let is_silent = findings.iter().all(|finding| finding.severity == Severity::Note);
    Diagnosis {
        result: name.to_owned(),
        machine: file.machine.name.clone(),
        origin: file.origin.clone(),
        findings,
        passed,
        untold,
        verdict: file.quality(&file.experiments).map(|quality| Verdict {
            grade: quality.grade,
            reason: quality.reason,
            advice: quality.advice,
        }),
        unfit: facts.unfit.clone(),
        unexplained: is_silent.then(|| expected::unexplained(&facts)).flatten(),
    }
}

/// A rule finds no more than this: the rest is a count.
const MOST_PLACES: usize = 100;

/// The places where a rule holds or, of many, those that lose most, with the number of the others.
fn worst(mut places: Vec<Match>) -> Vec<Match> {
    if places.len() > MOST_PLACES {
        let loss = |place: &Match| place.size.map_or(0.0, |size| size.loss);
        places.sort_by(|one, other| loss(other).total_cmp(&loss(one)));
        let others = counted(places.len() - MOST_PLACES, "more place");
        places.truncate(MOST_PLACES);
        if let Some(last) = places.pop() {
            places.push(last.shown_by(format!("the same applies to {others}")));
        }
    }
    places
}

/// What decides on the causes of a rule's findings, known once for all of them.
struct KnownCauses<'r> {
    causes: Vec<KnownCause<'r>>,
}

struct KnownCause<'r> {
    cause: &'r Cause,
    /// Matches where the cause is ruled out.
    unless: Vec<Match>,
    /// Matches of its sign, unless unknown, and its likelihood there.
    sign: Option<(Option<Vec<Match>>, f64)>,
}

impl<'r> KnownCauses<'r> {
    fn of(rule: &'r Rule, facts: &Facts<'_>) -> Self {
        let places = |when: &Condition| match when.evaluate(facts) {
            TestOutcome::Holds(places) => Some(places),
            TestOutcome::No => Some(Vec::new()),
            TestOutcome::Unknown(_) => None,
        };
        let known = |cause: &'r Cause| KnownCause {
            cause,
            unless: cause.unless.as_ref().and_then(places).unwrap_or_default(),
            sign: cause.sign.as_ref().map(|(when, then)| (places(when), *then)),
        };
        Self { causes: rule.causes.iter().map(known).collect() }
    }
}

/// How many times as much as its cause a consequence may lose: comparable values differ.
const ALLOWED: f64 = 2.0;

/// A finding, with what it needs to be held against others.
struct Found<'r> {
    rule: &'r Rule,
    place: Match,
    finding: Finding,
}

impl Found<'_> {
    /// Whether another finding is a consequence of this one.
    fn explains(&self, other: &Self) -> bool {
        let lists = |names: &[String]| names.contains(&other.rule.name);
        lists(&self.rule.explains_anywhere)
            || (lists(&self.rule.explains) && other.place.concerns(&self.place) && self.costs_as_much(other))
    }

    /// Whether this one loses about as much as another one, if both are about values of a kind: a consequence loses no more than its
    /// cause.
    fn costs_as_much(&self, other: &Self) -> bool {
        match (self.place.size, other.place.size) {
            (Some(own), Some(others)) if own.measure == others.measure => others.loss <= ALLOWED * own.loss,
            _ => true,
        }
    }
}

/// Lowers the findings on which another one casts doubt.
fn doubt(found: &mut [Found<'_>]) {
    let doubters: Vec<(&Rule, String)> =
        found.iter().map(|one| (one.rule, one.finding.title.clone())).collect();
    for Found { rule, finding, .. } in found {
        let doubter = doubters.iter().find(|(other, _)| other.doubts.contains(&rule.name));
        if let Some((_, title)) = doubter {
            finding.severity = finding.severity.min(Severity::Warning);
            finding.confidence = Confidence::Low;
            finding.why = format!("{}; but {title}", finding.why);
        }
    }
}

/// The findings that are not consequences of others. Each names the rules whose findings it explains.
fn unexplained(found: Vec<Found<'_>>) -> Vec<Finding> {
    let explained: Vec<BTreeSet<String>> = found
        .iter()
        .map(|one| {
            found.iter().filter(|other| one.explains(other)).map(|other| other.rule.name.clone()).collect()
        })
        .collect();
    let is_explained: Vec<bool> =
        found.iter().map(|other| found.iter().any(|one| one.explains(other))).collect();
    let all = found.into_iter().zip(explained).zip(is_explained);
    all.filter(|(_, is_explained)| !is_explained)
        .map(|((one, explains), _)| Finding { explains: explains.into_iter().collect(), ..one.finding })
        .collect()
}

/// What to do about a cause is told if it is this likely.
const WORTH_A_REMEDY: f64 = 0.1;

fn finding(rule: &Rule, mut place: Match, known: &KnownCauses<'_>, facts: &Facts<'_>) -> Finding {
    let causes = causes(known, &mut place, facts);
    let (confidence, why) = confidence(&place, facts);
    let fill = |text: &String| filled(text, &place.names);
    // Where a cause of the rule is among those that are left, the likeliest first.
    let place_of = |rank: usize| {
        let words = filled(&rule.causes[rank].words, &place.names);
        causes.iter().position(|cause| cause.words == words)
    };
    let likely = |rank: usize| place_of(rank).is_some_and(|place| causes[place].likelihood >= WORTH_A_REMEDY);
    let mut suited: Vec<&Remedy> =
        rule.remedies.iter().filter(|remedy| remedy.suits(facts.machine(), likely)).collect();
    // What helps against the likeliest cause comes first, and what helps against any last.
    suited.sort_by_key(|remedy| {
        remedy.causes.iter().filter_map(|rank| place_of(*rank)).min().unwrap_or(usize::MAX)
    });
    let is_virtual = facts.machine().system.hypervisor.is_some();
    let told = |remedy: &Remedy| match fill(&remedy.words) {
        words if is_virtual && remedy.physical => format!("on the host of this virtual machine: {words}"),
        words => words,
    };
    let remedies: Vec<String> = suited.into_iter().map(told).collect();
    // What a measurement shows that is not good enough may be its own fault.
    let severity = match &facts.unfit {
        Some(_) => rule.severity.min(Severity::Warning),
        None => rule.severity,
    };
    let next_step = next(rule.next.as_ref().map(fill), &causes);
    Finding {
        rule: rule.name.clone(),
        severity,
        title: fill(&rule.title),
        size: place.size,
        confidence,
        why,
        causes,
        remedies,
        next: next_step,
        source: rule.source.clone(),
        explains: Vec::new(),
        evidence: place.evidence,
    }
}

/// What would settle a finding: first of all which of two causes it is, if they are about as likely.
fn next(next: Option<String>, causes: &[NamedCause]) -> Option<String> {
    let Some([one, other]) = undecided(causes) else { return next };
    let either = format!("either {}, or {}", one.words, other.words);
    Some(next.map_or_else(|| either.clone(), |next| format!("{either}: {next}")))
}

/// The causes, the most likely first; what speaks for one joins the evidence.
fn causes(known: &KnownCauses<'_>, place: &mut Match, facts: &Facts<'_>) -> Vec<NamedCause> {
    let mut causes = Vec::new();
    let mut has_sign = false;
    let possible = |known: &&KnownCause<'_>| !known.unless.iter().any(|one| one.concerns(place));
    let possible: Vec<&KnownCause<'_>> = known.causes.iter().filter(possible).collect();
    for KnownCause { cause, sign, .. } in possible {
        let mut likelihood = cause.likelihood;
        if let Some((signs, then)) = sign {
            match signs.iter().flatten().find(|sign| sign.concerns(place)) {
                Some(sign) => {
                    has_sign = true;
                    likelihood = *then;
                    place.evidence.extend(sign.evidence.iter().cloned());
                    for (name, value) in &sign.names {
                        place.names.entry(name).or_insert_with(|| value.clone());
                    }
                }
                // A sign that is known to be missing speaks against its cause.
                None if signs.is_some() && *then > likelihood => likelihood *= WITHOUT_SIGN,
                None => {}
            }
        }
        causes.push(Weighed { likelihood, cause, fit: None });
    }
    // A fact decides more than a share does.
    if !has_sign {
        weigh(&mut causes, place, facts);
    }
    let sum: f64 = causes.iter().map(|weighed| weighed.likelihood).sum();
    causes.retain(|weighed| weighed.likelihood > 0.0);
    // Of equals, the first in the file.
    causes.sort_by(|one, other| other.likelihood.total_cmp(&one.likelihood));
    let named = causes.into_iter().map(|Weighed { likelihood, cause, fit }| NamedCause {
        words: filled(&cause.words, &place.names),
        likelihood: likelihood / sum,
        fit,
        tells: cause.tells.as_ref().map(|tells| filled(tells, &place.names)),
    });
    named.collect()
}

/// A cause with how likely it is, and how well what was found fits it if the rule says what it leaves.
struct Weighed<'r> {
    likelihood: f64,
    cause: &'r Cause,
    fit: Option<f64>,
}

/// Weighs causes by what each leaves of a bandwidth, if the rule says it of any.
fn weigh(causes: &mut [Weighed<'_>], place: &Match, facts: &Facts<'_>) {
    let bandwidth = |size: &Size| size.measure == Measure::Bandwidth && size.found > 0.0;
    let (Some(size), Some(error)) = (place.size.filter(bandwidth), place.error) else { return };
    if causes.iter().all(|weighed| weighed.cause.leaves.is_empty()) {
        return;
    }
    let share = (size.found / size.expected).min(1.0);
    for weighed in causes {
        let leaves = &weighed.cause.leaves;
        let leaves = if leaves.is_empty() { &[RemainingBandwidth::Any][..] } else { leaves };
        let densities = leaves.iter().map(|leaves| leaves.density(share, error, facts));
        weighed.likelihood *= densities.sum::<f64>() / leaves.len() as f64;
        let fits = leaves.iter().map(|leaves| leaves.fit(share, error, facts));
        weighed.fit = fits.reduce(f64::max);
    }
}

/// How sure a finding is, and why.
fn confidence(place: &Match, facts: &Facts<'_>) -> (Confidence, String) {
    if let Some(reason) = &facts.unfit {
        return (Confidence::Low, format!("the measurement is not good enough: {reason}"));
    }
    let mut reasons = Vec::new();
    if place.margin.is_infinite() {
        reasons.push("it is a fact, not a measurement".to_owned());
    } else {
        reasons.push(format!("{:.1} times the rule's threshold", place.margin));
    }
    if place.apart == Some(true) {
        reasons.push("the intervals do not overlap".to_owned());
    }
    if let Some(sisters) = place.sisters {
        reasons.push(format!("compared with {}", counted(sisters, "other value")));
    }
    let lonely = place.sisters == Some(1);
    let confidence = match () {
        () if place.margin >= CLEAR && !lonely => Confidence::High,
        () if place.margin >= CLEAR || place.apart == Some(true) => Confidence::Medium,
        () => Confidence::Low,
    };
    (confidence, reasons.join("; "))
}
