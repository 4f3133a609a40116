//! Where a document goes, and in which format: `-o` and `--format` work alike for every verb.
//!
//! `-o FILE` saves the document to FILE, in the format that its extension selects. `--format` selects the format in
//! which it is printed; with `-o` it must agree with the extension.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{self, Path, PathBuf};

use zerohop_app::IN_DIRECTORY;
use zerohop_archive::Location;
use zerohop_report::pages::Style;
use zerohop_report::{Columns, Document, Form, Rendered, Surroundings, render_columns, render_surrounded};

use crate::arguments::ColumnArguments;
use crate::atomic_file::{WholeFile, make_directory, may_write_beside};
use crate::failure::Failure;
use crate::kind::Kind;
use crate::terminal::{self, PAGE_WIDTH};

/// Where a document goes, and in which format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Output {
    /// The format in which it is printed, if it is printed.
    printed: Option<Form>,
    /// The file that it is saved to, if any, and its format.
    kept: Option<(PathBuf, Form)>,
    /// The columns of CSV.
    columns: Columns,
}

impl Output {
    /// Takes the values of `--format` and `-o`. Without `--format` the document is printed in the format `default`; if
    /// that is not a page, a saved document is not printed.
    ///
    /// # Errors
    /// When the two contradict each other, select a format that such a document does not have, or the path is
    /// not that of a regular file.
    pub(crate) fn new(
        kind: &Kind,
        default: Form,
        format: Option<Form>,
        path: Option<&Path>,
    ) -> Result<Self, Failure> {
        let Some(path) = path else {
            if let Some(format) = format.filter(|format| format.is_binary()) {
                return Err(Failure::new(format_args!("`{format}` is binary and cannot be printed"))
                    .hint(format!("save it to a file: -o FILE.{}", format.ending())));
            }
            return Ok(Self {
                printed: Some(format.unwrap_or(default)),
                kept: None,
                columns: Columns::Filled,
            });
        };
        // A path that is not a file should be reported before a long measurement, not after it.
        if path.symlink_metadata().is_ok() {
            WholeFile::at(path)?;
        }
        let form = kind.form_of(path, format)?;
        let printed = match (default, format) {
            (Form::Page, Some(format)) if !format.is_binary() => Some(format),
            (Form::Page, _) => Some(Form::Page),
            // A document that is not a page is saved instead of printed.
            _ => None,
        };
        Ok(Self { printed, kept: Some((path.to_owned(), form)), columns: Columns::Filled })
    }

    /// With all columns of CSV, also those without values.
    pub(crate) fn with_columns(self, arguments: ColumnArguments) -> Self {
        Self { columns: arguments.columns(), ..self }
    }

    /// Refuses to replace a file that is read: it may hold measurements that nobody can repeat.
    ///
    /// # Errors
    /// When the document is saved to `input`, or to the result in that directory.
    pub(crate) fn spares(&self, input: &Path) -> Result<(), Failure> {
        self.path().map_or(Ok(()), |path| spares(path, input))
    }

    /// Refuses to replace the archive that is read or written.
    ///
    /// # Errors
    /// When the document is saved to its file.
    pub(crate) fn spares_archive(&self, location: &Location) -> Result<(), Failure> {
        location.file().map_or(Ok(()), |file| self.spares(file))
    }

    /// The file that it is saved to.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.kept.as_ref().map(|(path, _)| path.as_path())
    }

    /// The file, if its format is JSON: a result is written there as it grows.
    pub(crate) fn json_path(&self) -> Option<&Path> {
        self.kept.as_ref().filter(|(_, form)| *form == Form::Json).map(|(path, _)| path.as_path())
    }

    /// Whether the document is printed or saved in that format.
    pub(crate) fn uses(&self, form: Form) -> bool {
        self.printed == Some(form) || self.kept.as_ref().is_some_and(|(_, kept)| *kept == form)
    }

    /// The format of the file, or else of the printed document.
    pub(crate) fn form(&self) -> Option<Form> {
        self.kept.as_ref().map(|(_, form)| *form).or(self.printed)
    }

    /// Creates the directory of the file, if there is a file: a failure should show before a long measurement.
    ///
    /// # Errors
    /// When the directory cannot be created, or this user may not write there.
    pub(crate) fn prepare(&self) -> Result<(), Failure> {
        let Some(path) = self.path() else { return Ok(()) };
        path.parent().map_or(Ok(()), make_directory)?;
        may_write_beside(path)
    }

    /// Saves the document and prints it.
    ///
    /// # Errors
    /// When the document cannot be rendered in that format, or cannot be written.
    pub(crate) fn show<D: Document>(&self, document: &D) -> Result<(), Failure> {
        // A full disk costs the file but not the page, and vice versa.
        let kept = self.keep(document);
        self.print(document)?;
        kept
    }

    /// Writes the document to its file, if there is one.
    ///
    /// # Errors
    /// When the document cannot be rendered in that format, or cannot be written; the earlier file is then
    /// unchanged.
    pub(crate) fn keep<D: Document>(&self, document: &D) -> Result<(), Failure> {
        let Some((path, form)) = &self.kept else { return Ok(()) };
        let style = Style { colour: false, width: PAGE_WIDTH };
        let rendered = rendered(document, *form, &style, self.columns)?;
        self.prepare()?;
        WholeFile::at(path)?.replace(rendered.into_bytes())
    }

    /// Writes the document to its file, if that is a web page, with more around it.
    ///
    /// # Errors
    /// When the document has no page, or cannot be written; an earlier file is then unchanged.
    pub(crate) fn keep_surrounded<D: Document>(
        &self,
        document: &D,
        around: &Surroundings<'_>,
    ) -> Result<(), Failure> {
        let Some((path, Form::Html)) = &self.kept else { return Ok(()) };
        let page = render_surrounded(document, around)
            .map_err(|error| Failure::new(&error).maybe_hint(error.hint()))?;
        self.prepare()?;
        WholeFile::at(path)?.replace(page.file)
    }

    /// Prints the document, unless it is only saved.
    ///
    /// # Errors
    /// When the document cannot be rendered in that format, or standard output cannot be written to.
    pub(crate) fn print<D: Document>(&self, document: &D) -> Result<(), Failure> {
        let Some(form) = self.printed else { return Ok(()) };
        match rendered(document, form, &terminal::page_style(), self.columns)? {
            Rendered::Text(text) => terminal::print(&text),
            Rendered::Binary(_) => Err(Failure::new(format_args!("{form} is binary and cannot be printed"))),
        }
    }
}

/// Refuses to write `output` where it is what is read: the same file, or another name of it.
///
/// # Errors
/// When both are one file, or `input` is a directory and `output` the result in it.
pub(crate) fn spares(output: &Path, input: &Path) -> Result<(), Failure> {
    let inside = input.is_dir().then(|| input.join(IN_DIRECTORY));
    let input = inside.as_deref().unwrap_or(input);
    let file = |path: &Path| fs::metadata(path).ok().map(|about| (about.dev(), about.ino()));
    // An archive that is about to be made has no file yet.
    let name = |path: &Path| path::absolute(path).ok();
    let is_same = match (file(output), file(input)) {
        (None, None) => name(output) == name(input),
        (output, input) => output == input,
    };
    match is_same {
        true => Err(Failure::new(format_args!("-o would overwrite the input `{}`", input.display()))
            .hint("choose another file with -o")),
        false => Ok(()),
    }
}

/// Refuses to write `-o` where a file is that another word of the command line names, as that of a machine, a result or anything else that is read.
/// What comes after `--` is for other programs.
///
/// # Errors
/// When both are one file.
pub(crate) fn spares_words(words: &[String]) -> Result<(), Failure> {
    let words: Vec<&str> = words.iter().map(String::as_str).take_while(|word| *word != "--").collect();
    // MLC has its own options.
    if words.contains(&"mlc") {
        return Ok(());
    }
    let (mut outputs, mut inputs) = (Vec::new(), Vec::new());
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        let joined = word.strip_prefix("--output=").or_else(|| word.strip_prefix("-o"));
        match (*word, joined) {
            ("-o" | "--output", _) => outputs.extend(rest.next().copied()),
            (_, Some(path)) => outputs.push(path.strip_prefix('=').unwrap_or(path)),
            (word, None) => {
                let value =
                    word.split_once('=').filter(|_| word.starts_with("--")).map_or(word, |(_, value)| value);
                // Settings may follow the file of a machine.
                inputs.extend([value, value.split(',').next().unwrap_or(value)]);
            }
        }
    }
    let inputs = inputs.into_iter().map(Path::new).filter(|path| path.is_file());
    let pairs = inputs.flat_map(|input| outputs.iter().map(move |output| (Path::new(output), input)));
    pairs.into_iter().try_for_each(|(output, input)| spares(output, input))
}

fn rendered<D: Document>(
    document: &D,
    form: Form,
    style: &Style,
    columns: Columns,
) -> Result<Rendered, Failure> {
    render_columns(document, form, style, columns)
        .map_err(|error| Failure::new(&error).maybe_hint(error.hint()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Kind {
        Kind::named("a table", &[Form::Page, Form::Json, Form::Csv, Form::Mlc])
    }

    fn output(format: Option<Form>, path: &str) -> Result<Output, Failure> {
        Output::new(&table(), Form::Page, format, Some(Path::new(path)))
    }

    #[test]
    fn the_ending_decides_the_form_and_the_page_is_printed_all_the_same() {
        let kept = |format, path| output(format, path).unwrap().kept.unwrap().1;
        assert_eq!(kept(None, "a.json"), Form::Json);
        assert_eq!(kept(None, "a.CSV"), Form::Csv);
        assert_eq!(kept(None, "a.txt"), Form::Page);
        assert_eq!(kept(Some(Form::Mlc), "a.txt"), Form::Mlc);
        assert_eq!(output(None, "a.csv").unwrap().printed, Some(Form::Page));
        assert_eq!(output(Some(Form::Csv), "a.csv").unwrap().printed, Some(Form::Csv));
    }

    #[test]
    fn a_form_that_is_not_the_endings_is_refused() {
        let failure = output(Some(Form::Json), "a.csv").unwrap_err();
        assert_eq!(failure.message(), "`--format json` contradicts the file name `a.csv`");
        assert_eq!(failure.advice(), Some("omit --format, or use the extension .json"));
    }

    #[test]
    fn an_ending_that_says_nothing_here_is_refused_with_those_that_do() {
        let failure = output(None, "a.svg").unwrap_err();
        assert_eq!(failure.message(), "cannot write a table to `a.svg`: format .svg is not supported");
        assert_eq!(failure.advice(), Some("use the extension .txt, .json or .csv"));
        let failure = output(None, "a").unwrap_err();
        assert_eq!(failure.message(), "cannot tell the format of a table from the file name `a`");
    }

    /// `archive list --archive a.json -o a.json` replaced the archive.
    #[test]
    fn what_is_read_is_not_replaced_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("a.json"), "").unwrap();
        fs::write(at("other.json"), "").unwrap();
        fs::hard_link(at("a.json"), at("hard.json")).unwrap();
        std::os::unix::fs::symlink("a.json", at("link.json")).unwrap();
        let refuses = |output: &str, input: &str| {
            let output = Output::new(&table(), Form::Page, None, Some(&at(output))).unwrap();
            output.spares_archive(&Location::File(at(input))).is_err()
        };
        for (output, input) in [
            ("a.json", "a.json"),
            ("hard.json", "a.json"),
            ("a.json", "link.json"),
            ("link.json", "hard.json"),
            ("new.json", "new.json"),
        ] {
            assert!(refuses(output, input), "{output} {input}");
        }
        for (output, input) in [("other.json", "a.json"), ("new.json", "a.json"), ("a.json", "new.sqlite")] {
            assert!(!refuses(output, input), "{output} {input}");
        }
    }

    /// `machine draw --load a.json -o a.json` replaced the result, and `run --on mine.json -o mine.json` the machine.
    #[test]
    fn no_file_that_any_word_names_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
        fs::write(at("a.json"), "").unwrap();
        fs::write(at("b.json"), "").unwrap();
        let spared = |line: &str| {
            let words = line
                .split(' ')
                .map(|word| word.replace("a.json", &at("a.json")).replace("b.json", &at("b.json")));
            spares_words(&words.collect::<Vec<_>>())
        };
        for line in [
            "machine draw quartet --load a.json -o a.json",
            "run hops --on a.json -o a.json",
            "run hops --on=a.json --output=a.json",
            "survey --on a.json,links=3 -oa.json",
            "sweep --output a.json a.json",
        ] {
            assert!(spared(line).unwrap_err().message().contains("overwrite the input"), "{line}");
        }
        for line in [
            "run hops --on a.json -o b.json",
            "where -o b.json -- cat b.json",
            "mlc -o a.json a.json",
            "show a.json -o",
        ] {
            assert_eq!(spared(line), Ok(()), "{line}");
        }
    }

    #[test]
    fn a_picture_is_not_printed_beside_its_file() {
        let picture = Kind::named("a picture", &[Form::Svg]);
        let output = Output::new(&picture, Form::Svg, None, Some(Path::new("a.svg"))).unwrap();
        assert_eq!(output.printed, None);
    }
}
