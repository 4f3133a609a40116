//! The text of one of several hosts, with the numbers that its lines have in the whole.

/// The text of a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Part {
    /// Its lines, with blank ones in place of those of others.
    pub(crate) text: String,
    /// The number that each of them has in the whole text.
    pub(crate) numbers: Vec<usize>,
}

/// Behind a line and before the next one, no more blank lines than this stand for those of other hosts: each host's text would be as long
/// as the whole. No format looks across so many.
pub(crate) const MOST_BLANK: usize = 2;

impl Part {
    /// Of lines at their places in the whole text.
    pub(crate) fn of(lines: &[(usize, String)]) -> Self {
        let (mut text, mut numbers) = (String::new(), Vec::new());
        // The rank in the whole text of the next line that is not in this one.
        let mut next = 0;
        for (place, line) in lines {
            let behind = next..(*place).min(next + MOST_BLANK);
            let before = place.saturating_sub(MOST_BLANK).max(behind.end)..*place;
            for blank in behind.chain(before) {
                text.push('\n');
                numbers.push(blank + 1);
            }
            text.push_str(line);
            text.push('\n');
            numbers.push(place + 1);
            next = place + 1;
        }
        // The end of the last line may be that of the file, which cuts it off.
        text.pop();
        Self { text, numbers }
    }
}
