//! Studies, right and wrong, held against results that are made up.

mod bench;
mod claims;
mod mistakes;
mod published;
mod variants;
