//! Studies, right and wrong, held against results that are made up.

mod alignments;
mod bench;
mod changes;
mod claims;
mod comparisons;
mod curves;
mod expectation;
mod mistakes;
mod published;
mod variants;
mod whereabouts;
