//! Storage form of times and roles.

use zerohop_result::{Role, Timestamp};

/// A time as a number: milliseconds since 1970.
pub(crate) fn milliseconds(time: Timestamp) -> i64 {
    time.get().as_millisecond()
}

/// A time of an archive; `None` outside the range of the calendar.
pub(crate) fn time(milliseconds: i64) -> Option<Timestamp> {
    jiff::Timestamp::from_millisecond(milliseconds).ok().map(Timestamp::exactly)
}

/// Name of the role of a series.
pub(crate) const fn role_name(role: Role) -> &'static str {
    match role {
        Role::Headline => "headline",
        Role::Cell => "cell",
    }
}
