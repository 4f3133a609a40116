//! Rules on results of models with faults, on results of healthy machines, and on other tools' output.

mod bench;
mod beside;
mod cases;
mod constructed;
mod distances;
mod documented;
mod drawn;
mod edited;
mod fleet;
mod golden;
mod healthy;
mod imported;
mod injected;
mod rules;
mod texts;
