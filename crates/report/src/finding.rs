//! Published values and a model's predictions, in words.

use zerohop_insight::{
    Amount, Difference, FigureGrade, Finding, Gap, GradeTotals, OutcomeOfPassage, Standing, Totals, is_below,
};

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
    let (label, pages, grade) = (&passage.label, &passage.pages, passage.grade);
    match pages.is_empty() {
        true => format!("{label}, {grade}"),
        false => format!("{label}, {} {pages}, {grade}", if many { "pp." } else { "p." }),
    }
}

/// What each grade of figures is, for the counts by grade.
pub(crate) const fn meaning(grade: FigureGrade) -> &'static str {
    match grade {
        FigureGrade::Predicted => "values that parameters chosen without them give",
        FigureGrade::Ordering => "orders, equalities and trends that the model could have contradicted",
        FigureGrade::Identity => "what follows from the spec sheet or from how the model is built",
        FigureGrade::Fitted => {
            "parameters were chosen to give them, or fitted figures alone give them; they count for nothing"
        }
    }
}

/// How many claims of a grade hold: `8 of 8`; of fitted ones, how many there are.
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
