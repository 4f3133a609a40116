//! What zerohop says of a text: what `import` saves, and the findings of `diagnose`, worst first.

use std::fmt;
use std::fs;

use serde_json::Value;

use crate::ticket::{Reading, Ticket};
use crate::zerohop;

pub(crate) struct Answer {
    pub(crate) reading: Reading,
    /// Everything that was printed and saved, where facts are looked for.
    pub(crate) said: String,
    pub(crate) findings: Vec<Finding>,
}

pub(crate) struct Finding {
    pub(crate) rule: String,
    pub(crate) severity: Severity,
    pub(crate) title: String,
    /// The words of its first cause.
    pub(crate) cause: String,
}

/// Later is worse.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Severity {
    Note,
    Warning,
    Fault,
}

/// A dump of firmware settings is no result: another verb reads it.
const DUMP: &str = "redfish dump";

impl Answer {
    pub(crate) fn of(ticket: &Ticket) -> Self {
        if ticket.kind == DUMP {
            let output = zerohop(&["advise", "settings", "--bios", &ticket.text]);
            let reading = if output.status.success() { Reading::Wholly } else { Reading::Refused };
            return Self { reading, said: String::from_utf8(output.stdout).unwrap(), findings: Vec::new() };
        }
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("result.json");
        let imported = zerohop(&["import", "-o", file.to_str().unwrap(), &ticket.text]);
        if !imported.status.success() {
            return Self { reading: Reading::Refused, said: String::new(), findings: Vec::new() };
        }
        let mut said = String::from_utf8(imported.stdout).unwrap();
        let results: Vec<String> = fs::read_dir(&folder)
            .unwrap()
            .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
            .collect();
        let partly = results.iter().any(|result| result.contains("\"not_imported\""));
        said.extend(results);

        let mut arguments = vec!["diagnose", "--format", "json", &ticket.text];
        arguments.extend(ticket.arguments.iter().map(String::as_str));
        let diagnosis = String::from_utf8(zerohop(&arguments).stdout).unwrap();
        let findings = findings(&serde_json::from_str(&diagnosis).unwrap());
        said.push_str(&diagnosis);
        Self { reading: if partly { Reading::Partly } else { Reading::Wholly }, said, findings }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.rule, self.cause)
    }
}

/// Those of all results of the text, worst first.
fn findings(diagnosis: &Value) -> Vec<Finding> {
    let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let mut found: Vec<Finding> = diagnosis["diagnoses"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|one| one["findings"].as_array().into_iter().flatten())
        .map(|finding| Finding {
            rule: word(&finding["rule"]),
            severity: match finding["severity"].as_str() {
                Some("fault") => Severity::Fault,
                Some("warning") => Severity::Warning,
                _ => Severity::Note,
            },
            title: word(&finding["title"]),
            cause: word(&finding["causes"][0]["words"]),
        })
        .collect();
    found.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    found
}
