//! Advice on placement: AMD's rules on AMD's machines, the search against all placements, surveys against models, lines.

mod agreement;
mod ceilings;
mod exhaustive;
mod grounds;
mod lines;
mod refusals;
mod rules;
mod searches;
mod surveys;
