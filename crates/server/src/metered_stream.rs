//! A connection that counts its bytes, so that its seat knows the speed of its client.
//!
//! The first bytes written only fill the system's buffer. Bytes count once that was full: later writes then represent bytes that the client has
//! taken.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::connection_seats::Seat;

/// A connection that counts what moves over it.
pub(crate) struct Metered {
    stream: TcpStream,
    seat: Arc<Seat>,
    /// Whether the buffer was full.
    was_full: bool,
}

/// What the system's buffer holds of what is sent: little, so that it shows soon if a client does not read.
const BUFFER: usize = 128 << 10;

impl Metered {
    pub(crate) fn new(stream: TcpStream, seat: Arc<Seat>) -> Self {
        // Answers are whole: nothing is waited for that could be sent with them. Without these options it works as well.
        let _ = stream.set_nodelay(true);
        let _ = SockRef::from(&stream).set_send_buffer_size(BUFFER);
        Self { stream, seat, was_full: false }
    }

    fn count(&mut self, done: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        match done {
            Poll::Pending => self.was_full = true,
            Poll::Ready(Ok(bytes)) if self.was_full => self.seat.moved(bytes),
            Poll::Ready(_) => {}
        }
        done
    }
}

impl AsyncRead for Metered {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = into.filled().len();
        let done = Pin::new(&mut self.stream).poll_read(context, into);
        self.seat.moved(into.filled().len() - before);
        done
    }
}

impl AsyncWrite for Metered {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.count(done)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let done = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.count(done)
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
