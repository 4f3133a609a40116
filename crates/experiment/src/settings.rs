//! The options, as a result file records them.

use zerohop_result::MeasuringSettings;

use crate::protocol::Protocol;
use crate::{Effort, Options};
use zerohop_statistics::CONFIDENCE;

impl Options {
    /// The options, as a result file records them.
    pub fn settings(&self) -> MeasuringSettings {
        let usual = self.window.is_none() && self.interval.is_none() && self.budget.is_none();
        let effort = match self.effort {
            _ if !usual => "custom",
            Effort::Quick => "quick",
            Effort::Full => "full",
        };
        MeasuringSettings {
            effort: effort.to_owned(),
            pages: self.pages,
            buffer: self.buffer,
            instruction_set: self.instruction_set,
            prefetchers_off: Vec::new(),
            seed: Some(self.seed),
            interval: Protocol::new(self).interval,
            confidence: CONFIDENCE,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn an_effort_with_changed_times_is_recorded_as_custom() {
        let full = Options::new(Effort::Full);
        assert_eq!(full.settings().effort, "full");
        assert!((full.settings().interval - 0.005).abs() < 1e-12);
        let hurried = Options { budget: Some(Duration::from_secs(1)), ..full };
        assert_eq!(hurried.settings().effort, "custom");
    }
}
