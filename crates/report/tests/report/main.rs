//! Pages, files and pictures of made-up results.

mod anything;
mod comparison;
mod dictionary;
mod documents;
mod examples;
mod files;
mod first_screen;
mod hardware;
mod hostile;
mod imported;
mod large;
mod mess;
mod mlc;
mod odd_nodes;
#[cfg(feature = "parquet")]
mod parquet;
mod pictures;
mod reproduction;
mod sharing;
mod shown;
mod standing;
mod sweep;
mod terminal;
mod web_page;
