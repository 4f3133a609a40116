//! Results compared: cell by cell, in the mean, and over time.
//!
//! ```text
//! results ── compare ──> ComparisonFile: cells with their ratios, scores, what explains a difference
//! history ── changes ──> ChangesFile: when the values of a machine stepped, and what changed with them
//! result  ── index   ──> what an archive keeps of a result beside its text
//! ```

#![forbid(unsafe_code)]

mod changes;
mod compare;
mod comparison;
mod fact;
mod history;
mod index;
mod unsettled_results;

pub use changes::{
    CHANGES_VERSION, Change, ChangedRun, ChangedTrait, ChangedValue, ChangesFile, Drift, MachineChanges,
    NamedValue, Unsettled, changes, tells,
};
pub use compare::{CompareError, Configuration, Numbering, compare, facts};
pub use comparison::{
    Alignment, AlignmentReason, COMPARISON_VERSION, CellScore, ComparedCell, ComparedNumber, ComparisonFile,
    Contrast, ExperimentScore, Explanation, NamedOrigin, NodePair, Ranked, Ratio, Score, Shift, Smallest,
    Tendency, Unmatched, Whole,
};
pub use fact::Fact;
pub use history::{TraitChange, trait_changes};
pub use index::{index, machine_of};
