//! Malformed HTTP requests: hyper refuses them by itself, with a head alone. Here such a refusal gets the form of all others.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::answer::{Answer, JSON};
use crate::refusal::Refusal;

/// Each refusal of ours has this header.
const OURS: &[u8] = b"content-security-policy";

/// A connection over which no answer goes that has another form than ours.
pub(crate) struct Uniform<S> {
    stream: S,
    /// Replacement for hyper's response, and the number of bytes written.
    instead: Option<(Vec<u8>, usize)>,
}

impl<S> Uniform<S> {
    pub(crate) const fn new(stream: S) -> Self {
        Self { stream, instead: None }
    }
}

/// What is written instead of these bytes, if they are a refusal of hyper's own.
fn instead(bytes: &[u8]) -> Option<Vec<u8>> {
    let code = bytes.strip_prefix(b"HTTP/1.")?.get(2..5)?;
    let status = StatusCode::from_bytes(code).ok().filter(StatusCode::is_client_error)?;
    let end = bytes.windows(4).position(|four| four == b"\r\n\r\n")?;
    // It ends the connection, and has nothing behind its head.
    if end + 4 != bytes.len() || bytes.windows(OURS.len()).any(|part| part == OURS) {
        return None;
    }
    let head = std::str::from_utf8(&bytes[..end]).ok()?;
    let (words, hint) = match status {
        StatusCode::URI_TOO_LONG | StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => {
            ("the request header is larger than 64 KiB", "request less data at once")
        }
        _ => ("invalid HTTP request", "the server does not support TLS (https)"),
    };
    let problem = Refusal::new(status, words, Some(hint.to_owned())).problem;
    let body = serde_json::to_string(&problem).unwrap_or_default();
    let answer = Answer { status, ..Answer::new(JSON, body.clone()) }.response();
    let mut text = String::new();
    let length = format!("{CONTENT_LENGTH}:");
    for line in head.lines().filter(|line| !line.to_ascii_lowercase().starts_with(&length)) {
        text.push_str(&format!("{line}\r\n"));
    }
    for (name, value) in answer.headers() {
        text.push_str(&format!("{name}: {}\r\n", value.to_str().unwrap_or_default()));
    }
    text.push_str(&format!("{CONTENT_LENGTH}: {}\r\n\r\n{body}", body.len()));
    Some(text.into_bytes())
}

impl<S: AsyncWrite + Unpin> Uniform<S> {
    /// Writes what stands instead of these bytes, if anything does.
    fn replace(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Option<Poll<io::Result<usize>>> {
        if self.instead.is_none() {
            self.instead = instead(bytes).map(|text| (text, 0));
        }
        let (text, written) = self.instead.as_mut()?;
        while *written < text.len() {
            match Pin::new(&mut self.stream).poll_write(context, &text[*written..]) {
                Poll::Ready(Ok(0)) => return Some(Poll::Ready(Err(io::ErrorKind::WriteZero.into()))),
                Poll::Ready(Ok(more)) => *written += more,
                Poll::Ready(Err(error)) => return Some(Poll::Ready(Err(error))),
                Poll::Pending => return Some(Poll::Pending),
            }
        }
        self.instead = None;
        Some(Poll::Ready(Ok(bytes.len())))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Uniform<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, into)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Uniform<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.replace(context, bytes) {
            Some(done) => done,
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match pieces.iter().find(|piece| !piece.is_empty()).and_then(|first| self.replace(context, first)) {
            Some(done) => done,
            None => Pin::new(&mut self.stream).poll_write_vectored(context, pieces),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_of_the_library_gets_our_form_and_no_other_answer_changes() {
        let bare = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\ndate: Sun\r\n\r\n";
        let text = String::from_utf8(instead(bare).unwrap()).unwrap();
        assert!(text.starts_with(
            "HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ndate: Sun\r\n"
        ));
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.contains("content-security-policy: default-src 'none'"), "{head}");
        assert!(head.ends_with(&format!("\r\ncontent-length: {}", body.len())), "{head}");
        assert!(body.contains("larger than 64 KiB") && body.contains("hint"), "{body}");
        for other in [
            b"HTTP/1.1 100 Continue\r\n\r\n".as_slice(),
            b"HTTP/1.1 200 OK\r\n\r\n",
            b"HTTP/1.1 404 Not Found\r\ncontent-security-policy: x\r\n\r\n",
            b"HTTP/1.1 400 Bad Request\r\n\r\nwith a body",
            b"anything else",
            b"",
        ] {
            assert_eq!(instead(other), None);
        }
    }
}
