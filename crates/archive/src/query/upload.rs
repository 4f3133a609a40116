//! An uploaded text, as a file for readers of files.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use zerohop_app::{Entry, FileError, Files, Notice, Packed};
use zerohop_result::{LONGEST_WORDS, is_obeyed, plain_text};

/// A text that was sent, under the name that its sender gives it.
#[derive(Debug)]
pub struct Upload {
    name: PathBuf,
    bytes: Vec<u8>,
    /// Irregularities in the text.
    remarks: Mutex<Vec<String>>,
}

/// Characters of a name that are kept.
const LONGEST_NAME: usize = 120;

impl Upload {
    /// Only the last part of a name is kept, at most 120 characters.
    pub fn new(name: &str, bytes: Vec<u8>) -> Self {
        let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
        let plain: String = last.chars().filter(|c| !is_obeyed(*c)).take(LONGEST_NAME).collect();
        // `-` would be standard input.
        let is_name = !["", "-", ".", ".."].contains(&plain.as_str());
        let name = if is_name { plain.into() } else { "upload".into() };
        Self { name, bytes, remarks: Mutex::default() }
    }

    /// Irregularities found so far.
    pub fn remarks(&self) -> Vec<String> {
        self.remarks.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Name of the text.
    pub fn path(&self) -> &Path {
        &self.name
    }

    fn is(&self, path: &Path) -> bool {
        path == self.name
    }

    fn absent(&self, path: &Path, instead: &str) -> FileError {
        let reason = format!("only `{}` was sent", self.name.display());
        FileError::Unreadable { path: path.to_owned(), reason, instead: instead.to_owned() }
    }
}

impl Files for Upload {
    fn read_text(&self, path: &Path, instead: &str) -> Result<String, FileError> {
        if !self.is(path) {
            return Err(self.absent(path, instead));
        }
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text).to_owned()),
            Err(_) => Err(match Packed::of(&path.display().to_string(), &self.bytes) {
                Some(packed) => packed.into(),
                None => FileError::NotText { path: path.to_owned(), instead: instead.to_owned() },
            }),
        }
    }

    fn read_bytes(&self, path: &Path, instead: &str) -> Result<Vec<u8>, FileError> {
        if self.is(path) { Ok(self.bytes.clone()) } else { Err(self.absent(path, instead)) }
    }

    fn peek(&self, path: &Path) -> Option<String> {
        self.is(path).then(|| String::from_utf8(self.bytes.clone()).ok())?
    }

    fn entry(&self, path: &Path) -> Option<Entry> {
        self.is(path).then_some(Entry::File)
    }

    fn list(&self, _: &Path) -> Vec<PathBuf> {
        Vec::new()
    }

    fn notice(&self, notice: &Notice<'_>) {
        let mut remarks = self.remarks.lock().unwrap_or_else(PoisonError::into_inner);
        let remark = plain_text(&notice.to_string(), LONGEST_WORDS).into_owned();
        if !remarks.contains(&remark) {
            remarks.push(remark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_to_no_file_of_the_host() {
        for (sent, kept) in [
            ("mlc.txt", "mlc.txt"),
            ("/etc/passwd", "passwd"),
            ("..\\..\\a.json", "a.json"),
            ("../", "upload"),
            ("-", "upload"),
            ("..", "upload"),
            ("a\nb\0.txt", "ab.txt"),
        ] {
            let upload = Upload::new(sent, b"text".to_vec());
            assert_eq!(upload.path(), Path::new(kept), "{sent:?}");
            assert!(upload.read_text(Path::new("/etc/passwd"), "").is_err());
            assert_eq!(upload.read_text(upload.path(), "").unwrap(), "text");
        }
        assert_eq!(Upload::new(&"a".repeat(500), Vec::new()).path().as_os_str().len(), LONGEST_NAME);
    }
}
