//! What results mean.

#![forbid(unsafe_code)]
