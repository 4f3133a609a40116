//! Published values and a model's predictions, in words.

use zerohop_study::{
    Amount, Difference, FigureGrade, Finding, Gap, GradeTotals, Interval, OutcomeOfPassage, Reproduction,
    Row, Standing, Totals, Verdict, VerdictsOverSeeds, is_below,
};

/// A model's value, with the precision that documents print.
pub(crate) fn amount(amount: Amount) -> String {
    match amount {
        Amount::Percent(_) | Amount::Nanoseconds(_) | Amount::Count(_) => format!("{amount:.1}"),
        Amount::GigabytesPerSecond(_) => format!("{amount:.2}"),
    }
}

/// A model's value, with its interval where it does not decide.
pub(crate) fn amount_of(row: &Row, model: Amount, interval: Option<Interval>) -> String {
    match interval.filter(|_| row.verdict == Verdict::CannotTell) {
        Some(Interval { low, high }) => {
            let low = amount(low);
            let low = low.strip_suffix(high.unit()).unwrap_or(&low).trim_end();
            format!("{} ({low} to {})", amount(model), amount(high))
        }
        None => amount(model),
    }
}

/// The verdict on a claim; over several seeds, with how often it holds, unless the verdict is always the same.
pub(crate) fn verdict(row: &Row) -> String {
    match over_seeds_of(row) {
        Some(over_seeds) => format!("{} ({over_seeds})", row.verdict),
        None => row.verdict.to_string(),
    }
}

/// Number of seeds for which a claim holds; `None` if its verdict is always the same.
pub(crate) fn over_seeds_of(row: &Row) -> Option<String> {
    let VerdictsOverSeeds { ok, off, cannot_tell } = row.over_seeds?;
    let all = ok + off + cannot_tell;
    (![ok, off, cannot_tell].contains(&all)).then(|| format!("{ok} of {all} seeds ok, {off} off"))
}

/// Number of claims that hold with every seed; `None` if there was one seed.
pub(crate) fn over_seeds(reproduction: &Reproduction) -> Option<String> {
    let seeds = reproduction.seeds?;
    let (hold, all) = reproduction.with_every_seed();
    Some(format!("{hold} of {all} with all {seeds} seeds"))
}

/// Deviation of a model's value from the published one.
pub(crate) fn error(difference: Difference) -> String {
    format!("{difference:+.1}")
}

/// A model's prediction for a claim that is not about a single value.
pub(crate) fn statement(row: &Row) -> String {
    match &row.finding {
        Finding::Value { published, model, interval, .. } => {
            format!("{published}, model {}", amount_of(row, *model, *interval))
        }
        Finding::Order { ranks } => order(row, ranks),
        Finding::Equal { standings, spread, tolerance } => {
            format!("{}; {spread:.1} apart, at most {tolerance}", all(row, standings))
        }
        Finding::Shrinking { gaps } => gaps.iter().map(|one| gap(row, one)).collect::<Vec<_>>().join("; "),
    }
}

/// `near 100.0 % < far 113.0 %, farther 120.0 %`; `≮` where the order does not hold.
fn order(row: &Row, ranks: &[Vec<Standing>]) -> String {
    let mut text = String::new();
    for (rank, standings) in ranks.iter().enumerate() {
        if rank > 0 {
            text.push_str(if is_below(&ranks[rank - 1], standings) { " < " } else { " ≮ " });
        }
        text.push_str(&all(row, standings));
    }
    text
}

fn all(row: &Row, standings: &[Standing]) -> String {
    let one = |standing: &Standing| {
        format!("{} {}", standing.place, amount_of(row, standing.model, standing.interval))
    };
    standings.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// `far above near by 50.0 %, then 25.0 %`, in percentage points for percentages.
fn gap(row: &Row, gap: &Gap) -> String {
    let one = |(rank, difference): (usize, &Amount)| {
        amount_of(row, *difference, gap.intervals.get(rank).copied()).replace('%', "pp")
    };
    let steps: Vec<String> = gap.model.iter().enumerate().map(one).collect();
    format!("{} above {} by {}", gap.above, gap.below, steps.join(", then "))
}

/// `Fig. 7, p. 27, predicted`.
pub(crate) fn head(passage: &OutcomeOfPassage) -> String {
    let many = passage.pages.contains([',', '-']);
    let (label, pages, grade) = (&passage.label, &passage.pages, passage.grade);
    match pages.is_empty() {
        true => format!("{label}, {grade}"),
        false => format!("{label}, {} {pages}, {grade}", if many { "pp." } else { "p." }),
    }
}

/// Meaning of each grade of figures, for the counts by grade.
pub(crate) const fn meaning(grade: FigureGrade) -> &'static str {
    match grade {
        FigureGrade::Predicted => "values that were not used to choose parameters",
        FigureGrade::Ordering => "orders, equalities and trends that the model could have contradicted",
        FigureGrade::Identity => "values that follow from the spec sheet or from the structure of the model",
        FigureGrade::Fitted => {
            "values that parameters were fitted to, or that follow only from fitted values; they do not count"
        }
    }
}

/// Number of claims of a grade that hold: `8 of 8`; for fitted ones, their number.
pub(crate) fn count(totals: Totals, grade: FigureGrade) -> String {
    let hold = |of: GradeTotals| match of.claims {
        0 => "none".to_owned(),
        claims => format!("{} of {claims}", of.hold()),
    };
    match grade {
        FigureGrade::Predicted => hold(totals.predicted),
        FigureGrade::Ordering => hold(totals.ordering),
        FigureGrade::Identity => hold(totals.identity),
        FigureGrade::Fitted if totals.fitted == 0 => "none".to_owned(),
        FigureGrade::Fitted => totals.fitted.to_string(),
    }
}
