//! The check of one node on one line, in the forms that schedulers and monitors read.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use zerohop_fleet::{Checked, CheckedValue, ScopeOf, Shortfall, Unchecked};
use zerohop_units::counted;

use crate::fleet_words::{part_names, percent, value};
use crate::measure::shown_unit;
use crate::printable::plain_line;

/// A form of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckForm {
    Text,
    /// A plugin of Nagios and what descends from it: status, text, performance data.
    Nagios,
    /// Output for Node Health Check: nothing if all is well.
    Nhc,
    /// The reason of a drained node of Slurm: nothing if all is well.
    Slurm,
    /// `name: value unit` for the expressions of a `ReFrame` test.
    Reframe,
    /// A line of a `results.jsonl`.
    Superbench,
    /// Metrics for node_exporter's textfile collector.
    OpenMetrics,
}

impl CheckForm {
    /// Whether a line of this form can say in words why a node could not be judged.
    pub const fn has_words(self) -> bool {
        !matches!(self, Self::Superbench | Self::OpenMetrics)
    }
}

/// The check of a node in this form, without a line end; it may be empty.
pub fn check_text(form: CheckForm, node: &str, checked: &Result<Checked, Unchecked>) -> String {
    let text = match (form, checked) {
        (CheckForm::Nhc | CheckForm::Slurm, Ok(checked)) if !checked.is_bad() => String::new(),
        (CheckForm::Nhc, _) => format!("ERROR: zerohop: {}", sentence(checked)),
        (CheckForm::Slurm, _) => format!("zerohop: {}", sentence(checked)),
        (CheckForm::Text, _) => format!("{node}: {}", sentence(checked)),
        (CheckForm::Nagios, _) => nagios(checked),
        (CheckForm::Reframe, _) => return reframe(checked),
        (CheckForm::Superbench, _) => superbench(node, checked),
        (CheckForm::OpenMetrics, _) => return open_metrics(checked),
    };
    plain_line(&text)
}

/// What is worst, or which bounds all values are within.
fn sentence(checked: &Result<Checked, Unchecked>) -> String {
    let Checked { nodes, lost, values } = match checked {
        Ok(checked) => checked,
        Err(why) => return format!("cannot tell: {why}"),
    };
    let lost = lost.iter().map(ToString::to_string);
    let bad = values.iter().filter(|value| value.is_bad());
    let worst = bad.max_by(|one, other| one.loss.total_cmp(&other.loss)).map(worst_words);
    let bad: Vec<String> = lost.chain(worst).collect();
    if !bad.is_empty() {
        return format!("bad: {}", bad.join("; "));
    }
    let bounds = || values.iter().map(|value| value.bound);
    let (least, most) = (bounds().fold(1.0, f64::min), bounds().fold(0.0, f64::max));
    let bounds = match (percent(least), percent(most)) {
        (least, most) if least == most => format!("a bound of {least}"),
        (least, most) => format!("bounds of {least} to {most}"),
    };
    format!(
        "ok: {} within {bounds} (baseline of {})",
        counted(values.len(), "value"),
        counted(*nodes, "node")
    )
}

fn worst_words(worst: &CheckedValue) -> String {
    let CheckedValue { scope, usual, found, loss, .. } = worst;
    let measure = scope.measure;
    // A program that loses half to a latency meets twice the latency.
    let change = match measure.larger_is_better() {
        true => format!("-{}", percent(*loss)),
        false => format!("+{}", percent(found / usual - 1.0)),
    };
    let [found, usual] = [found, usual].map(|one| value(measure, *one));
    format!("{scope} {found} {}, usually {usual} ({change})", shown_unit(measure))
}

fn values(checked: &Result<Checked, Unchecked>) -> &[CheckedValue] {
    checked.as_ref().map_or(&[], |checked| &checked.values)
}

fn lost(checked: &Result<Checked, Unchecked>) -> &[Shortfall] {
    checked.as_ref().map_or(&[], |checked| &checked.lost)
}

/// `own_bandwidth`, with the experiment: letters, digits and underscores.
fn name(checked: &CheckedValue) -> String {
    let scope = &checked.scope;
    let of = match scope.of {
        ScopeOf::Own => "_own",
        ScopeOf::Far => "_far",
        _ => "",
    };
    let experiment = scope.experiment.as_str().replace('-', "_");
    let measure = scope.measure.words().replace(' ', "_");
    if experiment.starts_with(&measure) {
        format!("{experiment}{of}")
    } else {
        format!("{experiment}_{measure}{of}")
    }
}

/// The value that bounds it.
fn bound(checked: &CheckedValue) -> f64 {
    let left = 1.0 - checked.bound;
    if checked.scope.measure.larger_is_better() { checked.usual * left } else { checked.usual / left }
}

fn nagios(checked: &Result<Checked, Unchecked>) -> String {
    let status = match checked {
        Ok(checked) if checked.is_bad() => "CRITICAL",
        Ok(_) => "OK",
        Err(_) => "UNKNOWN",
    };
    let mut line = format!("ZEROHOP {status} - {}", sentence(checked).replace('|', "/"));
    let mut separator = " |";
    for one in values(checked) {
        // `25:` is critical below 25, `~:120` above 120.
        let bound = match one.scope.measure.larger_is_better() {
            true => format!("{:.2}:", bound(one)),
            false => format!("~:{:.2}", bound(one)),
        };
        let unit = shown_unit(one.scope.measure).replace('/', "");
        let _ = write!(line, "{separator} {}={:.2}{unit};;{bound}", name(one), one.found);
        separator = "";
    }
    line
}

fn reframe(checked: &Result<Checked, Unchecked>) -> String {
    let line = |one: &CheckedValue| {
        let verdict = if one.is_bad() { "bad" } else { "ok" };
        format!("{}: {:.2} {} ({verdict})", name(one), one.found, shown_unit(one.scope.measure))
    };
    let lost = lost(checked).iter().map(|one| {
        let (noun, unit) = part_names(one.part);
        format!("{}: {} {unit} (bad)", noun.replace(' ', "_"), one.found)
    });
    match checked {
        Ok(checked) => lost.chain(checked.values.iter().map(line)).collect::<Vec<_>>().join("\n"),
        Err(why) => plain_line(&format!("cannot tell: {why}")),
    }
}

fn superbench(node: &str, checked: &Result<Checked, Unchecked>) -> String {
    let mut members: Map<String, Value> = Map::new();
    members.insert("node".to_owned(), json!(node));
    for one in values(checked) {
        members.insert(format!("zerohop/{}", name(one)), json!(one.found));
    }
    members.insert("zerohop/lost_parts".to_owned(), json!(lost(checked).len()));
    members.insert("zerohop/return_code".to_owned(), json!(i32::from(checked.is_err())));
    Value::Object(members).to_string()
}

fn open_metrics(checked: &Result<Checked, Unchecked>) -> String {
    let mut text = String::new();
    let mut family = |metric: &str, help: &str, of: &dyn Fn(&CheckedValue) -> f64| {
        let _ = write!(text, "# HELP {metric} {help}\n# TYPE {metric} gauge\n");
        for one in values(checked) {
            let _ = writeln!(text, "{metric}{{value=\"{}\"}} {}", name(one), of(one));
        }
    };
    family("zerohop_check_loss_ratio", "Loss of performance relative to the baseline.", &|one| one.loss);
    family("zerohop_check_bound_ratio", "Loss at which the node counts as bad.", &|one| one.bound);
    let mut gauge = |metric: &str, help: &str, value: i32| {
        let _ = write!(text, "# HELP {metric} {help}\n# TYPE {metric} gauge\n{metric} {value}\n");
    };
    // What is not known is neither bad nor good.
    if let Ok(checked) = checked {
        gauge("zerohop_check_bad", "Whether the node is bad.", i32::from(checked.is_bad()));
        let lost = i32::try_from(checked.lost.len()).unwrap_or(i32::MAX);
        gauge("zerohop_check_lost_parts", "Kinds of parts of which the node has less than usual.", lost);
    }
    gauge("zerohop_check_known", "Whether the node could be checked.", i32::from(checked.is_ok()));
    text + "# EOF"
}

#[cfg(test)]
mod tests {
    use zerohop_fleet::{Part, Scope};
    use zerohop_result::{ExperimentName, Measure};

    use super::*;

    fn values(found: f64) -> Result<Checked, Unchecked> {
        let scope = Scope {
            experiment: ExperimentName::known("bandwidth-matrix"),
            measure: Measure::Bandwidth,
            of: ScopeOf::Own,
        };
        let value = CheckedValue { scope, usual: 100.0, found, loss: 1.0 - found / 100.0, bound: 0.1 };
        Ok(Checked { nodes: 12, lost: Vec::new(), values: vec![value] })
    }

    #[test]
    fn each_form_is_what_its_reader_expects() {
        let text = |form, found| check_text(form, "n1", &values(found));
        assert_eq!(
            text(CheckForm::Text, 99.0),
            "n1: ok: 1 value within a bound of 10 % (baseline of 12 nodes)"
        );
        assert_eq!(
            text(CheckForm::Text, 50.0),
            "n1: bad: bandwidth of local memory (bandwidth-matrix) 50.0 GB/s, usually 100.0 (-50 %)"
        );
        assert_eq!(
            text(CheckForm::Nagios, 50.0),
            "ZEROHOP CRITICAL - bad: bandwidth of local memory (bandwidth-matrix) 50.0 GB/s, usually 100.0 (-50 %) | \
             bandwidth_matrix_own=50.00GBs;;90.00:"
        );
        assert_eq!(
            (text(CheckForm::Nhc, 99.0), text(CheckForm::Slurm, 99.0)),
            (String::new(), String::new())
        );
        assert!(text(CheckForm::Nhc, 50.0).starts_with("ERROR: zerohop: bad"));
        assert_eq!(text(CheckForm::Reframe, 50.0), "bandwidth_matrix_own: 50.00 GB/s (bad)");
        assert_eq!(
            text(CheckForm::Superbench, 50.0),
            "{\"node\":\"n1\",\"zerohop/bandwidth_matrix_own\":50.0,\"zerohop/lost_parts\":0,\"zerohop/return_code\":0}"
        );
        let metrics = text(CheckForm::OpenMetrics, 50.0);
        assert!(
            metrics.contains("zerohop_check_loss_ratio{value=\"bandwidth_matrix_own\"} 0.5\n"),
            "{metrics}"
        );
        assert!(metrics.ends_with("\n# EOF"), "{metrics}");
        let open = check_text(CheckForm::Nagios, "n1", &Err(Unchecked::NoValue));
        assert_eq!(open, "ZEROHOP UNKNOWN - cannot tell: no value of the baseline was measured");
    }

    #[test]
    fn a_node_that_lost_parts_is_bad_in_each_form_though_nothing_was_measured() {
        let lost = vec![Shortfall { part: Part::Dimms, found: 15, usual: 24 }];
        let checked = Ok(Checked { nodes: 9, lost, values: Vec::new() });
        let text = |form| check_text(form, "n1", &checked);
        assert_eq!(text(CheckForm::Text), "n1: bad: 15 of 24 DIMMs");
        assert_eq!(text(CheckForm::Nagios), "ZEROHOP CRITICAL - bad: 15 of 24 DIMMs");
        assert_eq!(text(CheckForm::Nhc), "ERROR: zerohop: bad: 15 of 24 DIMMs");
        assert_eq!(text(CheckForm::Slurm), "zerohop: bad: 15 of 24 DIMMs");
        assert_eq!(text(CheckForm::Reframe), "DIMMs: 15 DIMMs (bad)");
        assert!(text(CheckForm::Superbench).contains("\"zerohop/lost_parts\":1"));
        assert!(text(CheckForm::OpenMetrics).contains("\nzerohop_check_bad 1\n"));
    }

    #[test]
    fn what_is_not_known_looks_neither_bad_nor_ok_in_any_form() {
        let open = Err(Unchecked::Failed { why: "`b.json` cannot be read".to_owned() });
        for form in [CheckForm::Text, CheckForm::Nagios, CheckForm::Nhc, CheckForm::Slurm, CheckForm::Reframe]
        {
            let text = check_text(form, "n1", &open);
            assert!(text.contains("cannot tell: `b.json` cannot be read"), "{text}");
            assert!(!text.contains("ok") && !text.contains("bad"), "{text}");
        }
        let metrics = check_text(CheckForm::OpenMetrics, "n1", &open);
        assert!(metrics.contains("\nzerohop_check_known 0\n") && !metrics.contains("check_bad"), "{metrics}");
        assert!(check_text(CheckForm::Superbench, "n1", &open).contains("\"zerohop/return_code\":1"));
    }
}
