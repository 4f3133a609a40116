//! Pages, files and pictures of made-up results.

mod examples;
mod files;
mod terminal;
