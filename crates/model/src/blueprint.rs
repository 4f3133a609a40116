//! What all simulations of a machine have in common, made once for all of them.
//!
//! A workload is simulated several times, with a seed each, and of a large machine the event loop takes little longer than reading the
//! machine's description.

use std::sync::{Arc, Mutex, PoisonError};

use zerohop_machine_file::Hardware;
use zerohop_workload::{EngineError, StopFlag};

use crate::channel::Channel;
use crate::links::Links;
use crate::observe::Parts;
use crate::probes::ProbeTrees;
use crate::tables::Tables;

/// A machine before anything happens on it: what simulations copy or share.
#[derive(Debug)]
pub(crate) struct Blueprint {
    tables: Tables,
    pub(crate) links: Links,
    pub(crate) channels: Vec<Channel>,
    pub(crate) parts: Arc<Parts>,
    /// The trees of probes that any simulation has needed so far.
    probes: Mutex<Arc<ProbeTrees>>,
}

impl Blueprint {
    pub(crate) fn new(hardware: &Hardware) -> Self {
        let tables = Tables::new(hardware);
        let channels = hardware.channels.iter().enumerate();
        Self {
            links: Links::new(hardware, &tables),
            channels: channels.map(|(rank, channel)| Channel::new(channel, rank)).collect(),
            parts: Arc::new(Parts::new(hardware)),
            probes: Mutex::new(Arc::clone(&tables.probes)),
            tables,
        }
    }

    /// The machine's tables, with the trees of probes from the home agents of these memories.
    ///
    /// # Errors
    /// When `stop` is raised before all trees are laid.
    pub(crate) fn tables(
        &self,
        hardware: &Hardware,
        memories: impl Iterator<Item = usize>,
        stop: &StopFlag,
    ) -> Result<Tables, EngineError> {
        // A panic ends the whole request, and nobody uses what it left half laid.
        let mut probes = self.probes.lock().unwrap_or_else(PoisonError::into_inner);
        for &home in memories.flat_map(|memory| &hardware.memories[memory].homes) {
            stop.check()?;
            let root = self.tables.homes[home].router;
            if !probes.is_laid(root) {
                Arc::make_mut(&mut probes).lay(hardware, root);
            }
        }
        let mut tables = self.tables.clone();
        tables.probes = Arc::clone(&probes);
        Ok(tables)
    }
}
