//! Current values of each machine in an archive.

use crate::Archive;
use zerohop_report::{ArchiveMetrics, MachineMetrics};

use crate::query::error::QueryError;
use crate::query::findings::FindingsByResult;

/// The machines at the moment, with what their latest results say of them as far as it was judged.
///
/// # Errors
/// When the archive cannot be read.
pub fn metrics(archive: &mut Archive, judgements: &FindingsByResult) -> Result<ArchiveMetrics, QueryError> {
    let mut values = archive.latest_values()?;
    let machines = archive.machines()?.into_iter().map(|listed| {
        let judgement = listed.latest.as_ref().and_then(|id| judgements.get(id));
        MachineMetrics {
            values: values.remove(&listed.name).unwrap_or_default(),
            diagnosis: judgement.and_then(|one| one.as_ref().ok()).map(|one| one.diagnosis.clone()),
            not_judged: judgement.is_some_and(Result::is_err),
            listed,
        }
    });
    Ok(ArchiveMetrics { machines: machines.collect(), server: None })
}
