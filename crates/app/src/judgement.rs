//! Expectations for the values of a result, and the diagnosis of its machine. All commands, pages, fleets and servers use this.

use zerohop_diagnosis::{AskedNodes, Diagnosis, Given, ReferenceResult, diagnose};
use zerohop_expectation::Expectations;
use zerohop_result::ResultFile;

use crate::campaign_runner::CampaignRunner;
use crate::expectations::{ExpectedError, expectations, stated_machine, unknown_expectations};
use crate::files::Files;
use crate::rules::rules;

/// Knowledge about a machine besides its result.
#[derive(Debug, Clone, Default)]
pub struct JudgeOptions<'a> {
    /// The machine that the user names, with its settings.
    pub stated: Option<&'a str>,
    /// Number of NUMA nodes requested from the firmware.
    pub nodes: Option<AskedNodes>,
    /// Results of machines of its kind.
    pub fleet: Vec<ReferenceResult<'a>>,
    /// Reason not to simulate a model, if so: after an interruption, the user wants the available results.
    pub without_model: Option<&'a str>,
}

/// Expectations and diagnosis of a result.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// Expectations for its values.
    pub expectations: Expectations,
    /// Diagnosis of its machine.
    pub diagnosis: Diagnosis,
}

/// Judges the result of this name.
///
/// # Errors
/// If there is no machine of the stated name or it cannot be simulated, or the work was stopped: the error includes the knowledge up to then.
pub fn judge(
    name: &str,
    result: &ResultFile,
    beside: JudgeOptions<'_>,
    files: &dyn Files,
    crew: &CampaignRunner<'_>,
) -> Result<Judgement, ExpectedError> {
    let JudgeOptions { stated, nodes, fleet, without_model } = beside;
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
