//! Settings as people write them behind the name of a machine: `cores=28,links=3`.

use zerohop_machine::{ParseSettingError, Setting};

use crate::hint::Hinted;

/// Reason why words are not settings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingsError {
    /// One of them is no setting.
    #[error(transparent)]
    NoSetting(#[from] ParseSettingError),
    /// A name is set twice: the last one would silently count.
    #[error("`{name}` is set twice")]
    Twice { name: String },
}

impl Hinted for SettingsError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::NoSetting(_) => None,
            Self::Twice { .. } => Some("omit one of them".to_owned()),
        }
    }
}

/// Checks that no name is set twice.
///
/// # Errors
/// When a name is.
pub fn each_once(settings: &[Setting]) -> Result<(), SettingsError> {
    for (rank, setting) in settings.iter().enumerate() {
        if settings[..rank].iter().any(|earlier| earlier.name == setting.name) {
            return Err(SettingsError::Twice { name: setting.name.clone() });
        }
    }
    Ok(())
}

/// Settings of a machine, as written after a name.
///
/// # Errors
/// If a part is not a setting, or a name is set twice.
pub fn in_words(stated: &str) -> Result<Vec<Setting>, SettingsError> {
    let words = stated.split(',').map(str::trim).filter(|word| !word.is_empty());
    let settings: Vec<Setting> = words.map(str::parse).collect::<Result<_, _>>()?;
    each_once(&settings)?;
    Ok(settings)
}
