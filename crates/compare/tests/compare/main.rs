//! Results compared with results that differ in known ways.

mod alignments;
mod changes;
mod comparisons;
mod curves;
mod shifts;
