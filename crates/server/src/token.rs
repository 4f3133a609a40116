//! The secret that those share who may ask.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;
use zerohop_app::Hinted;

/// The fewest characters of a token: fewer could be guessed.
const FEWEST: usize = 16;

/// The secret of those who may ask. Only its digest is kept.
#[derive(Clone)]
pub struct Token {
    digest: [u8; 32],
}

/// Reason why a text is not a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It could be guessed.
    #[error("the token is too short: {0} characters (expected {FEWEST} or more)")]
    Short(usize),
    /// A header cannot carry it.
    #[error("the token must be one line of ASCII letters, digits and punctuation, without spaces")]
    NotPlain,
}

impl Hinted for TokenError {
    fn hint(&self) -> Option<String> {
        Some("create one with `head -c 24 /dev/urandom | base64 > FILE; chmod 600 FILE`".to_owned())
    }
}

impl Token {
    /// The token in a file's text, without blanks around it.
    ///
    /// # Errors
    /// When it is too short, or a header could not carry it.
    pub fn new(text: &str) -> Result<Self, TokenError> {
        let token = text.trim();
        if token.chars().any(|c| !c.is_ascii_graphic()) {
            return Err(TokenError::NotPlain);
        }
        if token.len() < FEWEST {
            return Err(TokenError::Short(token.len()));
        }
        Ok(Self { digest: Sha256::digest(token).into() })
    }

    /// Whether a text is this token. How long that takes says nothing of where they differ.
    pub(crate) fn is(&self, text: &str) -> bool {
        let digest: [u8; 32] = Sha256::digest(text).into();
        self.digest.ct_eq(&digest).into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_known_by_its_text() {
        let token = Token::new(" 0123456789abcdef\n").unwrap();
        assert!(token.is("0123456789abcdef"));
        assert!(!token.is("0123456789abcdeF") && !token.is("") && !token.is("0123456789abcdef "));
        assert_eq!(format!("{token:?}"), "Token");
    }

    #[test]
    fn what_could_be_guessed_or_sent_wrongly_is_no_token() {
        assert_eq!(Token::new("short").unwrap_err(), TokenError::Short(5));
        assert_eq!(Token::new("").unwrap_err(), TokenError::Short(0));
        for text in ["0123456789 abcdef", "0123456789abcdef\n0123456789abcdef", "0123456789abcdefé"] {
            assert_eq!(Token::new(text).unwrap_err(), TokenError::NotPlain, "{text}");
        }
    }
}
