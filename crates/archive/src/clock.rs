//! Effective start time of a result: the stated one, unless that cannot be right.
//!
//! A clock that was never set says 1970, and some say 2099. Such a result would be the latest of its machine for ever, or never. So a time is
//! rejected if it is before 2000, before the first version of zerohop (for zerohop's own measurements), or more than a day after the result arrived,
//! or after now. The result then counts as begun when it arrived, and before all results of its machine that arrived with it. The archive's own clock
//! may have been wrong, too: a result that arrived later than now counts with the one that arrived before it.

use zerohop_result::PlausibleTimes;

use crate::database::{Database, Field, row, rows};
use crate::error::ArchiveError;

/// Condition for results whose effective start time differs from the stated one. An index has the same condition.
pub(crate) const IS_WRONG: &str = "began_at <> COALESCE(stated_at, arrived_at)";

/// The clock of an archive: that of the host of a file, or that of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Clock {
    /// Current time, in milliseconds since 1970.
    pub(crate) now: i64,
}

/// Known times of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Times {
    /// Number of the result: results arrive in the order of their numbers.
    pub(crate) number: i64,
    /// The key of its machine.
    pub(crate) machine: String,
    /// Stated start time.
    pub(crate) stated: Option<i64>,
    /// The earliest time at which it can have begun.
    pub(crate) earliest: i64,
    /// Time of arrival, by the clock of the archive at that time.
    pub(crate) arrived: i64,
}

/// The earliest time at which a result can have begun whose values come from there and whose text that program wrote.
pub(crate) fn earliest(origin: &str, produced_by: &str) -> i64 {
    let is_own = origin == "host" && produced_by.starts_with("zerohop ");
    if is_own { PlausibleTimes::FIRST_VERSION } else { PlausibleTimes::EARLIEST }
}

impl Clock {
    const fn times(self) -> PlausibleTimes {
        PlausibleTimes::seen_at(self.now)
    }

    const fn allows(self, time: i64) -> bool {
        self.times().hold(time)
    }

    /// Effective start time of a result.
    pub(crate) fn beginning(self, database: &mut dyn Database, of: &Times) -> Result<i64, ArchiveError> {
        let Times { number, machine, stated, earliest, arrived } = of;
        let is_right =
            |time: &i64| earliest <= time && self.allows(*time) && Self { now: *arrived }.allows(*time);
        let began = match stated.filter(is_right) {
            Some(stated) => return Ok(stated),
            None if self.allows(*arrived) => *arrived,
            None => self.arrived_before(database, *number)?,
        };
        if stated.is_none() {
            return Ok(began);
        }
        // A folder of results arrives at one time, which says nothing of their order.
        let with_it = row(
            database,
            "SELECT MIN(began_at) FROM result WHERE machine = $1 AND arrived_at = $2 AND began_at = stated_at",
            &[machine.as_str().into(), Field::Integer(*arrived)],
        )?;
        let with_it = with_it.and_then(|mut fields| fields.maybe_integer());
        Ok(with_it.map_or(began, |first| began.min(first - 1)))
    }

    /// The last arrival before that of the result of this number that can be right.
    fn arrived_before(self, database: &mut dyn Database, number: i64) -> Result<i64, ArchiveError> {
        let before = row(
            database,
            "SELECT arrived_at FROM result WHERE number < $1 AND arrived_at >= $2 AND arrived_at <= $3 ORDER BY number DESC LIMIT 1",
            &[
                Field::Integer(number),
                Field::Integer(PlausibleTimes::EARLIEST),
                Field::Integer(self.times().latest()),
            ],
        )?;
        Ok(before.map_or(PlausibleTimes::EARLIEST, |mut fields| fields.integer()))
    }

    /// Finds again when results began, as far as others or the time that it is now say something new about them. Whether it changed any.
    pub(crate) fn settle(self, database: &mut dyn Database) -> Result<bool, ArchiveError> {
        let select =
            "SELECT began_at, number, machine, stated_at, arrived_at, origin, produced_by FROM result WHERE";
        let mut doubtful =
            rows(database, &format!("{select} began_at > $1"), &[Field::Integer(self.times().latest())])?;
        doubtful.extend(rows(database, &format!("{select} {IS_WRONG}"), &[])?);
        let mut changed = false;
        for mut fields in doubtful {
            let began = fields.integer();
            let of = Times {
                number: fields.integer(),
                machine: fields.text(),
                stated: fields.maybe_integer(),
                arrived: fields.integer(),
                earliest: earliest(&fields.text(), &fields.text()),
            };
            let found = self.beginning(database, &of)?;
            if found != began {
                let statement = "UPDATE result SET began_at = $1 WHERE number = $2";
                database.execute(statement, &[Field::Integer(found), Field::Integer(of.number)])?;
                changed = true;
            }
        }
        Ok(changed)
    }
}
