//! Campaigns for the user of this program: shows their progress, contains the bugs that they meet, and lets signals end them.

use std::sync::{Mutex, PoisonError};

use zerohop_app::{Attendant, CampaignRunner, ExpectedError, JudgeOptions, Judgement, judge};
use zerohop_expectation::Expectations;
use zerohop_result::ResultFile;
use zerohop_workload::StopFlag;

use crate::campaign_progress::CampaignProgress;
use crate::display::Display;
use crate::executor::{Team, Threads};
use crate::panic_report::{self, caught};
use crate::signals::Begun;
use crate::text_file::Disk;

/// The user, who waits for campaigns.
#[derive(Debug)]
pub(crate) struct User {
    quiet: bool,
    /// The noun for requests.
    noun: &'static str,
    /// The mark that there may be answers to save.
    begun: Begun,
    progress: Mutex<Option<CampaignProgress>>,
}

impl User {
    /// A user who waits for what `noun` names.
    pub(crate) const fn new(quiet: bool, noun: &'static str, begun: Begun) -> Self {
        Self { quiet, noun, begun, progress: Mutex::new(None) }
    }

    fn with_progress(&self, then: impl FnOnce(&mut Option<CampaignProgress>)) {
        then(&mut self.progress.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Attendant for User {
    fn announce(&self, line: &str) {
        let display = Display::new(self.quiet, 0);
        if display.is_log() {
            display.say(line);
        }
    }

    fn start(&self, requests: usize, answered: usize) {
        self.with_progress(|progress| {
            *progress = Some(CampaignProgress::new(self.quiet, self.noun, requests, answered));
        });
        panic_report::keep();
    }

    fn begin(&self) {
        self.begun.begin();
    }

    fn advance(&self) {
        self.with_progress(|progress| {
            if let Some(progress) = progress {
                progress.advance();
            }
        });
    }

    fn end(&self) {
        panic_report::install(None);
        self.with_progress(|progress| {
            if let Some(progress) = progress.take() {
                progress.clear();
            }
        });
    }

    fn guard(&self, work: &mut dyn FnMut()) -> Result<(), String> {
        caught(work).map_err(|met| met.message().to_owned())
    }
}

/// The threads of a campaign, the flag that stops it, and the user.
pub(crate) struct Attended {
    team: Team,
    stop: StopFlag,
    user: User,
}

impl Attended {
    pub(crate) fn new(threads: Threads, stop: StopFlag, user: User) -> Self {
        Self { team: threads.team(), stop, user }
    }

    /// Those who carry it out.
    pub(crate) fn crew(&self) -> CampaignRunner<'_> {
        CampaignRunner { executor: &self.team, stop: &self.stop, attendant: &self.user }
    }

    /// Whether a signal stopped it.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stop.is_raised()
    }
}

/// What a result says of its machine, for the user, who sees how far the models are. No signal ends it: it is short.
///
/// # Errors
/// When there is no machine of the stated name, or it cannot be simulated.
pub(crate) fn judged(
    name: &str,
    result: &ResultFile,
    beside: JudgeOptions<'_>,
    quiet: bool,
) -> Result<Judgement, ExpectedError> {
    judge(name, result, beside, &Disk, &for_models(quiet).crew())
}

/// What each value of a result should be, for the user, who sees how far the models are. No signal ends it: it is short.
///
/// # Errors
/// When there is no machine of the stated name, or it cannot be simulated.
pub(crate) fn expectations(
    result: &ResultFile,
    stated: Option<&str>,
    quiet: bool,
) -> Result<Expectations, ExpectedError> {
    zerohop_app::expectations(result, stated, &Disk, &for_models(quiet).crew())
}

fn for_models(quiet: bool) -> Attended {
    Attended::new(Threads::of_host(), StopFlag::new(), User::new(quiet, "models", Begun::already()))
}
