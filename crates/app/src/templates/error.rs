//! Reasons why there is no machine of a template.

use crate::files::FileError;
use crate::hint::Hinted;
use crate::settings_in_words::SettingsError;
use crate::wrong_machine::WrongMachine;

/// Reason why a template describes no machine.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum TemplateError {
    /// A file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file is wrong, or does not allow the stated properties.
    #[error(transparent)]
    Wrong(#[from] WrongMachine),
    /// The stated properties are not settings.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// There is none of that name.
    #[error("no template `{name}`")]
    NoTemplate {
        name: String,
        /// Suggestion.
        meant: String,
    },
    /// No processor has that name.
    #[error("no processor `{name}` in the processor table")]
    NoProcessor {
        name: String,
        /// Suggestion.
        meant: String,
    },
    /// The machine shows a processor that no template describes.
    #[error("no template is known for `{model}`")]
    NotKnown {
        /// Name by which the processor identifies itself.
        model: String,
    },
    /// The machine does not show its processor.
    #[error("the machine's processor is unknown")]
    NotShown,
    /// Neither a template nor a processor is named, and no machine shows itself.
    #[error("no template was given")]
    NothingStated,
}

impl Hinted for TemplateError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::File(error) => error.hint(),
            Self::Wrong(error) => error.hint(),
            Self::Settings(error) => error.hint(),
            Self::NoTemplate { meant, .. } | Self::NoProcessor { meant, .. } => Some(meant.clone()),
            Self::NotKnown { .. } | Self::NotShown => Some(
                "choose the nearest one with --template; `zerohop machine templates` lists them".to_owned(),
            ),
            Self::NothingStated => Some("choose one with --template".to_owned()),
        }
    }
}
