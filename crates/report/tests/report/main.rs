//! Pages, files and pictures of made-up results.

mod anything;
mod examples;
mod files;
mod mlc;
mod pictures;
mod reproduction;
mod terminal;
