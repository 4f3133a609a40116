//! Rules on results of models with faults, on results of healthy machines, and on other tools' output.

mod bench;
mod beside;
mod cases;
mod constructed;
mod distances;
mod documented;
mod drawn;
mod drawn_texts;
mod edited;
mod fleet;
mod fleet_drawn;
mod golden;
mod healthy;
mod healthy_texts;
mod human_texts;
mod imported;
mod injected;
mod mlc_texts;
mod odd_texts;
mod open;
mod resolved;
mod rules;
mod texts;
mod twins;
