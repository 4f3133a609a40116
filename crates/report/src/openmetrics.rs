//! Metrics as text, for Prometheus (OpenMetrics 1.0).
//!
//! All of them are gauges. So the text is also one of Prometheus' own older format, which node_exporter's textfile collector reads: to it, the
//! lines with units and the last line are comments.

use std::fmt;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, text::encode};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};

/// A metric: measured quantity, and its value for each set of labels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Metric {
    /// Name of the metric, without the unit.
    pub(crate) name: &'static str,
    /// Description of the metric, in one sentence.
    pub(crate) help: &'static str,
    /// Unit of the metric, as Prometheus spells it; empty if it has none.
    pub(crate) unit: &'static str,
    pub(crate) samples: Vec<Sample>,
}

/// A value of a metric.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sample {
    /// Names and values of its labels; one without a value is left out.
    pub(crate) labels: Vec<(&'static str, String)>,
    pub(crate) value: f64,
}

/// All metrics, in their order; those without a value are left out.
pub(crate) fn openmetrics(metrics: Vec<Metric>) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(All(metrics)));
    let mut text = String::new();
    // Writing to memory does not fail.
    let _ = encode(&mut text, &registry);
    text
}

#[derive(Debug)]
struct All(Vec<Metric>);

impl Collector for All {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
        for Metric { name, help, unit, samples } in self.0.iter().filter(|metric| !metric.samples.is_empty())
        {
            let unit = (!unit.is_empty()).then(|| Unit::Other((*unit).to_owned()));
            let mut metric = encoder.encode_descriptor(name, help, unit.as_ref(), MetricType::Gauge)?;
            for Sample { labels, value } in samples {
                let labels: Vec<(&str, &str)> = labels
                    .iter()
                    .filter(|(_, value)| !value.is_empty())
                    .map(|(name, value)| (*name, value.as_str()))
                    .collect();
                ConstGauge::new(*value).encode(metric.encode_family(&labels.as_slice())?)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped_and_empty_ones_left_out() {
        let sample = |machine: &str, node: &str, value: f64| Sample {
            labels: vec![("machine", machine.to_owned()), ("node", node.to_owned())],
            value,
        };
        let metric = Metric {
            name: "zerohop_time",
            help: "A time.",
            unit: "seconds",
            samples: vec![sample("a\\b\"c\nd", "", 9.5e-8), sample("ä", "1", 2.0)],
        };
        let without = Metric { samples: Vec::new(), ..metric.clone() };
        insta::assert_snapshot!(openmetrics(vec![metric, without]), @r#"
        # HELP zerohop_time_seconds A time.
        # TYPE zerohop_time_seconds gauge
        # UNIT zerohop_time_seconds seconds
        zerohop_time_seconds{machine="a\\b\"c\nd"} 9.5e-8
        zerohop_time_seconds{machine="ä",node="1"} 2.0
        # EOF
        "#);
    }
}
