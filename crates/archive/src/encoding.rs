//! How times and roles are stored.

use zerohop_result::{Role, Timestamp};

/// A time as a number: milliseconds since 1970.
pub(crate) fn milliseconds(time: Timestamp) -> i64 {
    time.get().as_millisecond()
}

/// A time of an archive; `None` beyond what a calendar has.
pub(crate) fn time(milliseconds: i64) -> Option<Timestamp> {
    jiff::Timestamp::from_millisecond(milliseconds).ok().map(Timestamp::exactly)
}

/// The name of what a series is to its experiment.
pub(crate) const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Headline => "headline",
        Role::Cell => "cell",
    }
}
