//! What the values of a result should be and what is wrong with its machine. Every verb, page, fleet and server has it from here.

use zerohop_diagnosis::{AskedNodes, Diagnosis, Given, ReferenceResult, diagnose};
use zerohop_expectation::Expectations;
use zerohop_result::ResultFile;

use crate::campaign_runner::CampaignRunner;
use crate::expectations::{ExpectedError, expectations, stated_machine, unknown_expectations};
use crate::files::Files;
use crate::rules::rules;

/// What is known of a machine beside its result.
#[derive(Debug, Clone, Default)]
pub struct Beside<'a> {
    /// The machine that the user names, with its settings.
    pub stated: Option<&'a str>,
    /// How many NUMA nodes the firmware was asked for.
    pub nodes: Option<AskedNodes>,
    /// Results of machines of its kind.
    pub fleet: Vec<ReferenceResult<'a>>,
    /// Why no model is to be simulated, if so: whoever interrupts a survey wants what there is.
    pub without_model: Option<&'a str>,
}

/// What a result says of its machine.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// What its values should be.
    pub expectations: Expectations,
    /// What is wrong with it.
    pub diagnosis: Diagnosis,
}

/// Judges the result of this name.
///
/// # Errors
/// When there is no machine of the stated name or it cannot be simulated, or the work was stopped: what is known by then is a part of it.
pub fn judge(
    name: &str,
    result: &ResultFile,
    beside: Beside<'_>,
    files: &dyn Files,
    crew: &CampaignRunner<'_>,
) -> Result<Judgement, ExpectedError> {
    let Beside { stated, nodes, fleet, without_model } = beside;
    let machine = stated.map(|name| stated_machine(name, files)).transpose()?;
    let expectations = match without_model {
        Some(reason) => unknown_expectations(result, reason),
        None => expectations(result, stated, files, crew)?,
    };
    go_on(crew)?;
    let given = Given { expectations: Some(&expectations), machine: machine.as_ref(), nodes, fleet };
    let diagnosis = diagnose(rules(), name, result, given);
    go_on(crew)?;
    Ok(Judgement { expectations, diagnosis })
}

/// Whether the work may go on.
fn go_on(crew: &CampaignRunner<'_>) -> Result<(), ExpectedError> {
    if crew.stop.is_raised() { Err(ExpectedError::Stopped) } else { Ok(()) }
}
