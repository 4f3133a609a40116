//! Published values and a model's predictions, in words.

use zerohop_insight::{
    Amount, Basis, Difference, Finding, Gap, OutcomeOfPassage, Standing, Totals, is_below,
};

use crate::number::counted;

/// A model's value, with the precision that documents print.
pub(crate) fn amount(amount: Amount) -> String {
    match amount {
        Amount::Percent(_) | Amount::Nanoseconds(_) | Amount::Count(_) => format!("{amount:.1}"),
        Amount::GigabytesPerSecond(_) => format!("{amount:.2}"),
    }
}

/// How far a model's value is above the published one.
pub(crate) fn error(difference: Difference) -> String {
    format!("{difference:+.1}")
}

/// A model's prediction for a claim that is not about a single value.
pub(crate) fn statement(finding: &Finding) -> String {
    match finding {
        Finding::Value { published, model, .. } => format!("{published}, model {}", amount(*model)),
        Finding::Order { ranks } => order(ranks),
        Finding::Equal { standings, spread, tolerance } => {
            format!("{}; {spread:.1} apart, at most {tolerance}", all(standings))
        }
        Finding::Shrinking { gaps } => gaps.iter().map(gap).collect::<Vec<_>>().join("; "),
    }
}

/// `near 100.0 % < far 113.0 %, farther 120.0 %`; `≮` where the order does not hold.
fn order(ranks: &[Vec<Standing>]) -> String {
    let mut text = String::new();
    for (rank, standings) in ranks.iter().enumerate() {
        if rank > 0 {
            text.push_str(if is_below(&ranks[rank - 1], standings) { " < " } else { " ≮ " });
        }
        text.push_str(&all(standings));
    }
    text
}

fn all(standings: &[Standing]) -> String {
    let one = |standing: &Standing| format!("{} {}", standing.place, amount(standing.model));
    standings.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// `far above near by 50.0 %, then 25.0 %`, in percentage points for percentages.
fn gap(gap: &Gap) -> String {
    let one = |difference: &Amount| match difference {
        Amount::Percent(points) => format!("{points:.1} pp"),
        other => amount(*other),
    };
    let steps: Vec<String> = gap.model.iter().map(one).collect();
    format!("{} above {} by {}", gap.above, gap.below, steps.join(", then "))
}

/// `Fig. 7, p. 27, predicted`.
pub(crate) fn head(passage: &OutcomeOfPassage) -> String {
    let many = passage.pages.contains([',', '-']);
    let (label, pages, basis) = (&passage.label, &passage.pages, basis(passage.basis));
    match pages.is_empty() {
        true => format!("{label}, {basis}"),
        false => format!("{label}, {} {pages}, {basis}", if many { "pp." } else { "p." }),
    }
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Fitted => "fitted: counts for nothing",
        Basis::Predicted => "predicted",
    }
}

/// How many predictions hold, and how much was fitted.
pub(crate) fn totals(totals: Totals) -> String {
    format!(
        "{} of {} predictions within tolerance; {} and {} fitted",
        totals.reproduced(),
        totals.predicted,
        counted(totals.fitted as usize, "published number"),
        counted(totals.fitted_parameters as usize, "parameter")
    )
}
