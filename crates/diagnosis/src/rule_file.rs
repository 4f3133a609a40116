//! Rules as their files write them.

use zerohop_document::{List, Names, Plain, Share, Text, tables};

use crate::condition::Condition;
use crate::finding::Severity;
use crate::remaining_bandwidth::RemainingBandwidth;

tables! {
    /// A rule of the diagnosis: condition, meaning and remedies. Texts may refer to values of a match in braces: `{node}`.
    RuleTable {
        /// The problem, in one sentence.
        title: Text,
        /// Purpose of the rule, for the list of rules.
        about: Text,
        /// Severity: `fault`, `warning` or `note`.
        severity: Plain<Severity>,
        /// Condition under which the rule reports a finding.
        when: Plain<Condition>,
        /// Possible causes.
        cause: List<CauseTable>,
        /// Remedies.
        remedy: List<RemedyTable>,
        /// Measurement or inspection that would confirm the cause.
        next: Option<Text>,
        /// Text for reports if the rule cannot be decided: the aspect that was not tested, and the test for it.
        not_tested: Option<Text>,
        /// Condition on the machine under which `not_tested` is shown.
        not_tested_if: Option<Plain<Condition>>,
        /// Rules whose findings about the same nodes are consequences of this one, and are omitted next to it.
        explains: Option<Names>,
        /// Rules whose findings about any nodes are consequences of this one, and are omitted next to it.
        explains_anywhere: Option<Names>,
        /// Rules whose findings are at most warnings, with low confidence, next to this one.
        doubts: Option<Names>,
        /// Source of the rule and its thresholds.
        source: Text,
    }

    /// A possible cause.
    CauseTable {
        /// Description of the cause.
        words: Text,
        /// Prior likelihood among the causes.
        likelihood: Share,
        /// Condition that changes the likelihood.
        when: Option<Plain<Condition>>,
        /// Likelihood if `when` holds.
        then: Option<Share>,
        /// Condition that rules out the cause.
        unless: Option<Plain<Condition>>,
        /// Bandwidth that remains with the cause; of several, any. Causes are weighted by it.
        leaves: Option<Plain<Vec<RemainingBandwidth>>>,
        /// Observation that distinguishes the cause from the others.
        tells: Option<Text>,
    }

    /// A remedy.
    RemedyTable {
        /// Description of the remedy, with settings spelled as their vendor spells them.
        words: Text,
        /// Numbers of the causes that the remedy removes, from 1; all if absent. The remedy is listed if one of them is likely enough.
        causes: Option<Plain<Vec<usize>>>,
        /// Applies only to processors whose vendor or name contains one of these strings.
        processors: Option<Names>,
        /// Applies only to machines whose vendor name contains one of these strings.
        makers: Option<Names>,
        /// Whether it changes hardware, firmware or cooling, which only whoever runs the physical machine can do. For a virtual machine, the remedy
        /// says that it is for its host.
        physical: Option<Plain<bool>>,
    }
}
