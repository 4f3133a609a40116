//! Standard output for data, standard error for messages.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::io::{self, ErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use rustix::termios::tcgetwinsize;
use zerohop_report::pages::{Style as PageStyle, printable};

use crate::arguments::ColourArgument;
use crate::failure::Failure;
use crate::secrets;

/// Width of a page that does not go to a terminal.
pub(crate) const PAGE_WIDTH: u16 = 100;

/// Widest page: on longer lines the eye loses its place.
const WIDEST: u16 = 160;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// Decides on color for both streams, once.
pub(crate) fn choose_colour(choice: ColourArgument) {
    match choice {
        ColourArgument::Auto => ColorChoice::Auto,
        ColourArgument::Always => ColorChoice::AlwaysAnsi,
        ColourArgument::Never => ColorChoice::Never,
    }
    .write_global();
}

/// The style of pages on standard output.
pub(crate) fn page_style() -> PageStyle {
    let stdout = io::stdout();
    let colour = AutoStream::choice(&stdout) != ColorChoice::Never;
    let columns = tcgetwinsize(&stdout).ok().map(|size| size.ws_col).filter(|&columns| columns > 0);
    PageStyle { colour, width: columns.unwrap_or(PAGE_WIDTH).min(WIDEST) }
}

/// Whether a line on standard error can be redrawn.
pub(crate) fn can_redraw() -> bool {
    io::stderr().is_terminal() && std::env::var_os("TERM").is_some_and(|name| name != "dumb")
}

/// Writes data to standard output, with a newline at its end.
///
/// Data goes unchanged to a file or a pipe. On a terminal, control characters are made visible.
///
/// A reader that closes the pipe (`zerohop machine show | head`) has seen what it wanted: that is not a failure.
///
/// # Errors
/// When standard output cannot be written to for another reason, such as a full disk.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let stdout = io::stdout();
    let text = if stdout.is_terminal() { printable(text, &page_style()) } else { text.into() };
    let mut stdout = stdout.lock();
    let newline = if text.ends_with('\n') { "" } else { "\n" };
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.write_all(newline.as_bytes()))
        .and_then(|()| stdout.flush());
    written.or_else(|error| unless_closed(&error))
}

/// The failure to write to standard output, unless its reader closed it.
fn unless_closed(error: &io::Error) -> Result<(), Failure> {
    match error.kind() {
        ErrorKind::BrokenPipe => Ok(()),
        _ => Err(Failure::new(format_args!("cannot write to standard output: {error}"))),
    }
}

/// Prints what went wrong, and what to do about it.
pub(crate) fn say_failure(failure: &Failure) {
    say(&format!("{ERROR}error:{ERROR:#} {}", failure.message()));
    if let Some(advice) = failure.advice() {
        say(&format!("{HINT}hint:{HINT:#} {advice}"));
    }
}

pub(crate) fn warning_line(warning: &str) -> String {
    format!("{WARNING}warning:{WARNING:#} {warning}")
}

/// Writes a message to standard error, with foreign control characters made visible and lines of a sensible length. If standard
/// error cannot be written to, nobody is there to read it.
pub(crate) fn say(message: &str) {
    let message = secrets::without(message);
    let _ = writeln!(anstream::stderr().lock(), "{}", shortened(&printable(&message, &MESSAGES)));
}

/// The longest line of a message, in characters. A file that is not what it should be may have a name of a million characters,
/// which its message would quote several times.
const LONGEST_LINE: usize = 2000;

/// The same text; of lines that are too long, the beginning.
fn shortened(text: &str) -> Cow<'_, str> {
    if text.split('\n').all(|line| line.chars().count() <= LONGEST_LINE) {
        return text.into();
    }
    let mut shown = String::new();
    for (rank, line) in text.split('\n').enumerate() {
        let separator = if rank > 0 { "\n" } else { "" };
        let more = line.chars().count().saturating_sub(LONGEST_LINE);
        let end = if more > 0 { line.char_indices().nth(LONGEST_LINE) } else { None };
        let begin = &line[..end.map_or(line.len(), |(end, _)| end)];
        // Writing to a string cannot fail.
        let _ = match more {
            0 => write!(shown, "{separator}{begin}"),
            // The end of a style may be among what is left out.
            more => write!(shown, "{separator}{begin}{} … ({more} more characters)", anstyle::Reset),
        };
    }
    shown.into()
}

/// The style of messages, before the stream strips unwanted colors: the same as for pages.
const MESSAGES: PageStyle = PageStyle { colour: true, width: PAGE_WIDTH };

/// A text in the middle of a line that is redrawn.
pub(crate) fn plain(text: &str) -> String {
    printable(text, &PageStyle { colour: false, ..MESSAGES }).into_owned()
}

/// Prints the help or the version that clap has, and exits; returns why they could not be printed.
pub(crate) fn exit_as_typed(help: &clap::Error) -> Failure {
    // clap's own `exit` does not look whether help could be written.
    let written = help.print().and_then(|()| io::stdout().flush());
    match written.or_else(|error| unless_closed(&error)) {
        Ok(()) => std::process::exit(help.exit_code()),
        Err(failure) => failure,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with a name of two million characters was answered with ten.
    #[test]
    fn long_lines_of_messages_are_shortened() {
        let text = format!("error: `{}`\n  |\nhint: short", "é".repeat(2_000_000));
        let shown = shortened(&text);
        assert!(shown.chars().count() < 2 * LONGEST_LINE, "{} characters", shown.chars().count());
        assert!(
            shown.ends_with(" … (1998009 more characters)\n  |\nhint: short"),
            "{}",
            &shown[shown.len() - 80..]
        );
        assert!(matches!(shortened("error: short\nhint: short"), Cow::Borrowed(_)));
    }
}
