//! Lays out what stands below the options of a help text: examples and exit statuses, whose second column clap would
//! wrap to the first.

use clap::Command;
use rustix::termios::tcgetwinsize;

/// The widest help text, and the width without a terminal.
const WIDEST: usize = 100;

/// A second column that is narrower than this goes below the first.
const NARROWEST: usize = 24;

/// What continues a command on the next line is indented by this.
const HANGING: usize = 6;

/// A line that is indented by at least this continues the second column.
const SECOND_COLUMN: usize = 10;

/// The program, whose help texts fit the terminal.
pub(crate) fn fitted(program: Command) -> Command {
    let width = help_width();
    laid_out(program.term_width(width), width)
}

fn laid_out(command: Command, width: usize) -> Command {
    let text = command.get_after_help().map(|text| in_columns(&text.to_string(), width));
    let command = match text {
        Some(text) => command.after_help(text),
        None => command,
    };
    command.mut_subcommands(|below| laid_out(below, width))
}

/// The width of the terminal, or of the environment's `COLUMNS`, up to the widest.
pub(crate) fn help_width() -> usize {
    let of_terminal = tcgetwinsize(std::io::stdout()).ok().map(|size| usize::from(size.ws_col));
    let stated = || std::env::var("COLUMNS").ok()?.parse().ok();
    let known = of_terminal.filter(|width| *width > 0).or_else(stated).filter(|width| *width > 0);
    known.unwrap_or(WIDEST).min(WIDEST)
}

/// The text in lines of at most `width` characters. What continues a line stands below what it continues.
pub(crate) fn in_columns(text: &str, width: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut shown: Vec<String> = Vec::new();
    let mut rest = &lines[..];
    while let Some(first) = rest.first() {
        let column = column(first);
        let more = rest[1..].iter().take_while(|line| continues(first, line, column)).count();
        let (entry, after) = rest.split_at(more + 1);
        rest = after;
        if entry.iter().all(|line| line.chars().count() <= width) {
            shown.extend(entry.iter().map(|line| (*line).to_owned()));
        } else {
            shown.extend(wrapped(entry, column, width));
        }
    }
    shown.join("\n")
}

/// Where the text of a line begins that may be continued: behind its first column, if it has one.
fn column(line: &str) -> usize {
    let indent = indent(line);
    let gap = line.get(indent..).and_then(|text| text.find("  ").filter(|_| indent > 0));
    let behind = |gap: usize| gap + line[indent + gap..].len() - line[indent + gap..].trim_start().len();
    indent + gap.map_or(0, behind)
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Whether a line continues what `first` began.
fn continues(first: &str, line: &str, column: usize) -> bool {
    let is_prose = column == 0 && !first.ends_with(':') && !first.is_empty();
    let is_second = column > indent(first) || column >= SECOND_COLUMN;
    !line.trim().is_empty() && indent(line) == column && (is_prose || is_second)
}

/// The lines of an entry, wrapped behind its first column.
fn wrapped(entry: &[&str], column: usize, width: usize) -> Vec<String> {
    let (first, more) = (entry[0], &entry[1..]);
    let (head, text) = first.split_at(column);
    let words = std::iter::once(text).chain(more.iter().copied()).flat_map(str::split_whitespace);
    let is_command = !head.is_empty() && head.trim().is_empty() && column < SECOND_COLUMN;
    let is_narrow = width < column + NARROWEST && !head.trim().is_empty();
    let hanging = if is_command || is_narrow { HANGING } else { column };
    let mut lines = Vec::new();
    let mut line = head.to_owned();
    if is_narrow {
        lines.push(std::mem::replace(&mut line, " ".repeat(hanging)).trim_end().to_owned());
    }
    let mut is_begun = false;
    for word in words {
        let needed = line.chars().count() + usize::from(is_begun) + word.chars().count();
        if is_begun && needed > width {
            lines.push(std::mem::replace(&mut line, " ".repeat(hanging)));
            is_begun = false;
        }
        if is_begun {
            line.push(' ');
        }
        line.push_str(word);
        is_begun = true;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
Examples:
  zerohop survey                          measure this machine, in about a minute
  zerohop diagnose zerohop-results/HOST-TIME
                                          find out what is wrong with the measured machine

Exit status:
  0    success
  1    a prediction of `reproduce` is outside its tolerance, a result is below a threshold of
       `compare`, or an archive is damaged

The check compares DIMMs, memory and cores with the baseline before it measures
anything.";

    #[test]
    fn what_fits_stays() {
        assert_eq!(in_columns(TEXT, 100), TEXT);
    }

    /// At 80 columns, continued lines began in the first column.
    #[test]
    fn what_does_not_fit_is_wrapped_within_its_column() {
        let expected = "\
Examples:
  zerohop survey                          measure this machine, in
                                          about a minute
  zerohop diagnose zerohop-results/HOST-TIME
                                          find out what is wrong
                                          with the measured
                                          machine

Exit status:
  0    success
  1    a prediction of `reproduce` is outside its tolerance, a
       result is below a threshold of `compare`, or an archive is
       damaged

The check compares DIMMs, memory and cores with the baseline
before it measures anything.";
        assert_eq!(in_columns(TEXT, 66), expected);
    }

    #[test]
    fn a_column_that_would_be_too_narrow_goes_below_the_first() {
        let narrow = in_columns(
            "  zerohop survey                          measure this machine, in about a minute",
            40,
        );
        assert_eq!(narrow, "  zerohop survey\n      measure this machine, in about a\n      minute");
    }
}
