//! The scores as a page in Markdown: totals, totals by kind, and a row for each ticket.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::Scored;
use crate::outcome::{First, Outcome};
use crate::ticket::Ticket;

/// Tickets that were collected and looked at together.
const PARTS: [(&str, usize); 3] = [
    ("Part 1: tickets 1 to 50", 50),
    ("Part 2: tickets 51 to 80", 80),
    ("Part 3: tickets 81 and after", usize::MAX),
];

#[derive(Default)]
struct Sum {
    tickets: usize,
    read: usize,
    facts: usize,
    facts_wanted: usize,
    first: BTreeMap<First, usize>,
    forbidden: usize,
}

impl Sum {
    fn add(&mut self, ticket: &Ticket, outcome: &Outcome) {
        self.tickets += 1;
        self.read += usize::from(outcome.reading >= ticket.reads);
        self.facts += outcome.facts;
        self.facts_wanted += ticket.facts.len();
        *self.first.entry(outcome.first).or_default() += 1;
        self.forbidden += outcome.forbidden;
    }

    fn row(&self, name: &str) -> String {
        let mut row = format!(
            "| {name} | {} | {} | {} of {} |",
            self.tickets, self.read, self.facts, self.facts_wanted
        );
        for (first, _) in First::ALL {
            write!(row, " {} |", self.first.get(&first).copied().unwrap_or(0)).unwrap();
        }
        writeln!(row, " {} |", self.forbidden).unwrap();
        row
    }
}

fn head(first_column: &str) -> String {
    let firsts: String = First::ALL.iter().map(|(_, word)| format!(" {word} |")).collect();
    let rules = "--:|".repeat(4 + First::ALL.len());
    format!(
        "| {first_column} | tickets | read as they should | facts found |{firsts} forbidden claims |\n|---|{rules}\n"
    )
}

pub(crate) fn table(scored: &[Scored]) -> String {
    let mut page = String::from(
        "# How the tickets fare\n\nWritten by the test `tickets`. Where the text is sound or does not decide, `right` means that nothing is claimed.\n",
    );
    let mut from = 0;
    for (title, to) in PARTS {
        let part = &scored[from.min(scored.len())..to.min(scored.len())];
        from = to;
        if !part.is_empty() {
            write!(page, "\n## {title}\n\n{}", part_of(part)).unwrap();
        }
    }
    page
}

fn part_of(part: &[Scored]) -> String {
    let mut all = Sum::default();
    let mut answers: BTreeMap<&str, Sum> = BTreeMap::new();
    let mut kinds: BTreeMap<&str, Sum> = BTreeMap::new();
    for Scored { ticket, outcome, .. } in part {
        let answer = match ticket {
            Ticket { healthy: true, .. } => "nothing is wrong",
            Ticket { cannot_tell: true, .. } => "the text does not decide",
            _ => "a cause is known",
        };
        for sum in [&mut all, answers.entry(answer).or_default(), kinds.entry(&ticket.kind).or_default()] {
            sum.add(ticket, outcome);
        }
    }
    let rows = |sums: &BTreeMap<&str, Sum>| sums.iter().map(|(name, sum)| sum.row(name)).collect::<String>();
    let mut text = head("answer") + &rows(&answers) + &all.row("all");
    write!(text, "\n{}{}", head("kind"), rows(&kinds)).unwrap();
    text += "\n| ticket | read | facts | first cause | forbidden claims | what stands first |\n|---|---|--:|---|--:|---|\n";
    for Scored { ticket, outcome, top } in part {
        let Outcome { facts, forbidden, .. } = outcome;
        let (name, wanted) = (&ticket.name, ticket.facts.len());
        let (read, first) = (outcome.reading.word(), outcome.first.word());
        let short = if outcome.reading < ticket.reads { " (too little)" } else { "" };
        writeln!(text, "| {name} | {read}{short} | {facts} of {wanted} | {first} | {forbidden} | {top} |")
            .unwrap();
    }
    text
}
