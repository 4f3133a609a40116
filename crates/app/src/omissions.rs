//! Omissions of a measurement. One cause often affects many cells, and is reported once.

/// Omissions so far.
#[derive(Debug, Default)]
pub struct Omissions {
    reasons: Vec<Reason>,
}

/// Everything left out for one reason.
#[derive(Debug)]
struct Reason {
    why: String,
    /// The first of them.
    first: String,
    count: usize,
    /// Number of omissions reported to the user.
    shown: usize,
}

impl Omissions {
    /// `what` is left out because of `why`.
    pub fn add(&mut self, what: &str, why: &str) {
        match self.reasons.iter_mut().find(|reason| reason.why == why) {
            Some(reason) => reason.count += 1,
            None => {
                self.reasons.push(Reason { why: why.to_owned(), first: what.to_owned(), count: 1, shown: 0 });
            }
        }
    }

    /// A line for each reason that has not been reported yet.
    pub fn new_reasons(&mut self) -> Vec<String> {
        let new = self.reasons.iter_mut().filter(|reason| reason.shown == 0);
        let lines = new.map(|reason| {
            reason.shown = reason.count;
            match reason.count {
                1 => format!("{} skipped: {}", reason.first, reason.why),
                count => format!("{} and {} more skipped: {}", reason.first, count - 1, reason.why),
            }
        });
        lines.collect()
    }

    /// A line for each reason that left out more after it was reported.
    pub fn again(&mut self) -> Vec<String> {
        let more = self.reasons.iter_mut().filter(|reason| reason.shown < reason.count);
        let lines = more.map(|reason| {
            let later = reason.count - std::mem::replace(&mut reason.shown, reason.count);
            format!("{later} more skipped: {}", reason.why)
        });
        lines.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_said_once_however_much_it_leaves_out() {
        let mut omissions = Omissions::default();
        for kernel in ["stream, copy", "stream, scale", "stream, add"] {
            omissions.add(kernel, "no room");
        }
        omissions.add("stream, triad", "no clock");
        let lines = ["stream, copy and 2 more skipped: no room", "stream, triad skipped: no clock"];
        assert_eq!(omissions.new_reasons(), lines);
        omissions.add("mixes, 1:1", "no room");
        assert!(omissions.new_reasons().is_empty());
        assert_eq!(omissions.again(), ["1 more skipped: no room"]);
        assert!(omissions.again().is_empty());
    }
}
