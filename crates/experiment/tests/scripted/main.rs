//! Experiments on engines that answer by a script: what is planned, how samples are taken, what is warned of.

mod bench;
mod choices;
mod cores;
mod interruption;
mod kernels;
mod machines;
mod matrices;
mod sampling;
mod survey;
