//! The engine that simulates a described machine, one cache-line request at a time.

#![forbid(unsafe_code)]
