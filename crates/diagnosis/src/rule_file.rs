//! Rules as their files write them.

use zerohop_document::{List, Names, Plain, Share, Text, tables};

use crate::condition::Condition;
use crate::finding::Severity;
use crate::remaining_bandwidth::RemainingBandwidth;

tables! {
    /// A rule of the diagnosis: what it looks for, what that means, and what to do. Words may name what was found, in braces: `{node}`.
    RuleTable {
        /// What is wrong, in one sentence.
        title: Text,
        /// What the rule looks for, for the list of rules.
        about: Text,
        /// How bad it is: `fault`, `warning` or `note`.
        severity: Plain<Severity>,
        /// When it holds.
        when: Plain<Condition>,
        /// Its causes.
        cause: List<CauseTable>,
        /// What to do about it.
        remedy: List<RemedyTable>,
        /// The measurement or the look that would settle it.
        next: Option<Text>,
        /// What pages say was not tested where the rule cannot tell, and what tests it.
        not_tested: Option<Text>,
        /// They say so only of machines of which this holds.
        not_tested_if: Option<Plain<Condition>>,
        /// Rules whose findings about the same nodes are consequences of this one, and are left out beside it.
        explains: Option<Names>,
        /// The same of findings about any nodes.
        explains_anywhere: Option<Names>,
        /// Rules whose findings are at most warnings, and not sure, beside this one.
        doubts: Option<Names>,
        /// Where the rule and its thresholds come from.
        source: Text,
    }

    /// A possible cause.
    CauseTable {
        /// What it is.
        words: Text,
        /// How likely it is among the causes, if nothing else is known.
        likelihood: Share,
        /// What makes it more or less likely.
        when: Option<Plain<Condition>>,
        /// How likely it is if that holds.
        then: Option<Share>,
        /// What rules it out.
        unless: Option<Plain<Condition>>,
        /// What it leaves of the bandwidth that the rule is about; of several, any. Causes are weighed by it.
        leaves: Option<Plain<Vec<RemainingBandwidth>>>,
        /// What tells it from the other causes.
        tells: Option<Text>,
    }

    /// What to do.
    RemedyTable {
        /// In words, with settings as their vendor spells them.
        words: Text,
        /// The causes that it removes, by their places among the rule's, from 1 on; all if absent. It is told if one of them may be it.
        causes: Option<Plain<Vec<usize>>>,
        /// Only for processors whose vendor or name contains one of these.
        processors: Option<Names>,
        /// Only for machines whose maker's name contains one of these.
        makers: Option<Names>,
    }
}
