//! Standard output for data, standard error for talk.

use std::io::{self, ErrorKind, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use rustix::termios::tcgetwinsize;
use zerohop_report::terminal::{Style as PageStyle, printable};

use crate::arguments::ColourArgument;
use crate::failure::Failure;

/// Columns of a page that goes to no terminal.
pub(crate) const PAGE_WIDTH: u16 = 100;

/// Pages are not spread wider than this: the eye loses the line.
const WIDEST: u16 = 160;

const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const HINT: Style = AnsiColor::Cyan.on_default().bold();

/// Decides on colour for both streams, once.
pub(crate) fn choose_colour(choice: ColourArgument) {
    match choice {
        ColourArgument::Auto => ColorChoice::Auto,
        ColourArgument::Always => ColorChoice::AlwaysAnsi,
        ColourArgument::Never => ColorChoice::Never,
    }
    .write_global();
}

/// How pages on standard output look.
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
/// Data of every form stays as it is in a file or a pipe. On a terminal, what that would obey is shown.
///
/// A reader that has gone away (`zerohop machine show | head`) has seen what it wanted: that is no failure.
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

/// Says what went wrong, and what can be done about it.
pub(crate) fn say_failure(failure: &Failure) {
    say(&format!("{ERROR}error:{ERROR:#} {}", failure.message()));
    if let Some(advice) = failure.advice() {
        say(&format!("{HINT}hint:{HINT:#} {advice}"));
    }
}

/// A line that warns.
pub(crate) fn warning_line(warning: &str) -> String {
    format!("{WARNING}warning:{WARNING:#} {warning}")
}

/// Writes a line to standard error, with nothing from elsewhere in it that a terminal would obey. Where standard error cannot
/// be written to, nobody is there to read it.
pub(crate) fn say(line: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{}", printable(line, &MESSAGES));
}

/// How messages look before the stream takes colours away that are not wanted: in looks of pages.
const MESSAGES: PageStyle = PageStyle { colour: true, width: PAGE_WIDTH };

/// A text in the middle of a line that is redrawn.
pub(crate) fn plain(text: &str) -> String {
    printable(text, &PageStyle { colour: false, ..MESSAGES }).into_owned()
}

/// Ends with what `clap` has to say of what was typed, which it repeats. Help goes out as it is.
pub(crate) fn exit_as_typed(error: &clap::Error) -> ! {
    let text = error.render().to_string();
    let shown = plain(&text);
    if shown == text || !error.use_stderr() {
        error.exit();
    }
    say(shown.trim_end());
    std::process::exit(error.exit_code())
}
