//! Experiments on engines that answer by a script: what is planned, how samples are taken, what is warned of.

mod bench;
mod choices;
mod cores;
mod crossfire;
mod hops;
mod identity;
mod interruption;
mod kernels;
mod loads;
mod machines;
mod matrices;
mod memory_suite;
mod ramp;
mod replicas;
mod sampling;
mod simulated;
mod survey;
