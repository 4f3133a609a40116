//! Experiments on scripted engines: what they plan, how they sample, and what they warn about.

mod bench;
#[path = "../../../statistics/src/chance.rs"]
mod chance;
mod choices;
mod cores;
mod coverage;
mod crossfire;
mod distributions;
mod evidence;
mod hops;
mod identity;
mod injection;
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
