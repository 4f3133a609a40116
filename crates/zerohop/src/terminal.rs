//! Standard output for data, standard error for messages.

use std::io::{self, ErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use rustix::termios::tcgetwinsize;
use zerohop_report::terminal::{Style as PageStyle, printable};

use crate::arguments::ColourArgument;
use crate::failure::Failure;

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
    match written {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Failure::new(format_args!("cannot write to standard output: {error}")))
        }
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Prints what went wrong, and what to do about it.
pub(crate) fn say_failure(failure: &Failure) {
    say(&format!("{ERROR}error:{ERROR:#} {}", failure.message()));
    if let Some(advice) = failure.advice() {
        say(&format!("{HINT}hint:{HINT:#} {advice}"));
    }
}

/// A warning line.
pub(crate) fn warning_line(warning: &str) -> String {
    format!("{WARNING}warning:{WARNING:#} {warning}")
}

/// Writes a line to standard error, with foreign control characters made visible. If standard error cannot be written
/// to, nobody is there to read it.
pub(crate) fn say(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", printable(line, &MESSAGES));
}

/// The style of messages, before the stream strips unwanted colors: the same as for pages.
const MESSAGES: PageStyle = PageStyle { colour: true, width: PAGE_WIDTH };

/// A text in the middle of a line that is redrawn.
pub(crate) fn plain(text: &str) -> String {
    printable(text, &PageStyle { colour: false, ..MESSAGES }).into_owned()
}

/// Exits with clap's message about the command line, which it quotes. Help is printed unchanged.
pub(crate) fn exit_as_typed(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    let shown = plain(&text);
    if shown == text || !error.use_stderr() {
        error.exit();
    }
    say(shown.trim_end());
    std::process::exit(error.exit_code())
}
