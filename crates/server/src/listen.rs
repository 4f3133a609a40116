//! Connections: how many, for how long, and how they end.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use socket2::SockRef;
use tokio::runtime::Builder;
use tokio::time::{sleep, timeout};
use tower::ServiceExt;
use zerohop_workload::StopFlag;

use crate::background_diagnosis::{Judge, STACK, judged};
use crate::blocking_turns;
use crate::connection_seats::{Offered, Seats};
use crate::error::ServeError;
use crate::limits::Limits;
use crate::malformed_requests::Uniform;
use crate::metered_stream::Metered;
use crate::routes::{Peer, router};
use crate::service::{Offer, Service};

/// How long requests in progress may take once the server is to end.
const FAREWELL: Duration = Duration::from_secs(8);

/// How long is waited then for a judgement in progress: nothing of it would be kept.
const JUDGED: Duration = Duration::from_millis(500);

/// How often it is looked whether the server is to end.
const LOOK: Duration = Duration::from_millis(50);

/// Threads that carry messages; answers are made on others.
const THREADS: usize = 2;

/// Connections that wait for a seat, at most.
const QUEUE: i32 = 4096;

/// The longest head of a request, in bytes.
const LONGEST_HEAD: usize = 64 << 10;

/// A server that listens.
pub struct Served {
    listener: TcpListener,
    address: SocketAddr,
    service: Arc<Service>,
    stop: StopFlag,
}

/// Listens there. Connections wait until [`Served::run`].
///
/// # Errors
/// When others could reach it and no token protects it, or the address or the archive cannot be used.
pub fn bind(address: SocketAddr, offer: Offer, stop: &StopFlag) -> Result<Served, ServeError> {
    bind_with(address, offer, stop, Arc::new(judged))
}

/// Binds with another function to diagnose results.
pub(crate) fn bind_with(
    address: SocketAddr,
    offer: Offer,
    stop: &StopFlag,
    judge: Arc<Judge>,
) -> Result<Served, ServeError> {
    if !address.ip().is_loopback() && offer.token.is_none() {
        return Err(ServeError::Unprotected { address });
    }
    let unusable = |reason| ServeError::Address { address, reason };
    let listener = TcpListener::bind(address).map_err(unusable)?;
    listener.set_nonblocking(true).map_err(unusable)?;
    // The system drops what does not fit, and clients try again only after a second.
    SockRef::from(&listener).listen(QUEUE).map_err(unusable)?;
    // Port 0 stands for any that is free.
    let address = listener.local_addr().map_err(unusable)?;
    let service = Arc::new(Service::new(offer, judge)?);
    Ok(Served { listener, address, service, stop: stop.clone() })
}

impl Served {
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// Warning for the operator.
    pub fn warning(&self) -> Option<&str> {
        self.service.archives.warning()
    }

    /// Answers until the flag is raised; requests in progress are then answered within ten seconds. Threads that take longer are left
    /// behind: whatever was acknowledged is in the archive, and nothing else is there to be lost.
    ///
    /// # Errors
    /// When the system has no room for threads.
    pub fn run(self) -> Result<(), ServeError> {
        let Self { listener, service, stop, .. } = self;
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(blocking_turns::THREADS)
            .thread_stack_size(STACK)
            .enable_all()
            .build()
            .map_err(ServeError::Threads)?;
        let judge = Arc::clone(&service);
        let judged = stop.clone();
        let judging = thread::Builder::new()
            .name("judging".to_owned())
            .spawn(move || judge.judging.go_on(&judge.archives, &judged))
            .map_err(ServeError::Threads)?;
        let done = runtime.block_on(accept(listener, Arc::clone(&service), &stop));
        service.turns.stop.raise();
        runtime.shutdown_background();
        service.judging.wake();
        let begun = Instant::now();
        while !judging.is_finished() && begun.elapsed() < JUDGED {
            thread::sleep(Duration::from_millis(5));
        }
        done
    }
}

async fn accept(listener: TcpListener, service: Arc<Service>, stop: &StopFlag) -> Result<(), ServeError> {
    let listener = tokio::net::TcpListener::from_std(listener).map_err(ServeError::Threads)?;
    let Limits { connections, of_an_address, head, connection: longest, .. } = service.limits;
    let router = router(service);
    let seats = Seats::new(connections, of_an_address);
    let ending = GracefulShutdown::new();
    while !stop.is_raised() {
        // To look at the flag now and then, whatever there is to wait for.
        let (stream, address) = match timeout(LOOK, listener.accept()).await {
            Ok(Ok(accepted)) => accepted,
            Ok(Err(_)) => {
                // Too many files are open, or the client is gone.
                sleep(LOOK).await;
                continue;
            }
            Err(_) => continue,
        };
        let address = address.ip();
        let seat = loop {
            match seats.offer(address, Instant::now()) {
                Offered::Seat(seat) => break Some(seat),
                Offered::Wait if !stop.is_raised() => sleep(LOOK).await,
                Offered::Wait | Offered::Refused => break None,
            }
        };
        let Some(seat) = seat else { continue };
        let (router, own) = (router.clone(), Arc::clone(&seat));
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(address));
            request.extensions_mut().insert(Arc::clone(&own));
            own.begin_answer();
            let (answer, own) = (router.clone().oneshot(request), Arc::clone(&own));
            async move {
                let answer = answer.await;
                own.wait();
                answer
            }
        });
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(LONGEST_HEAD);
        let stream = Uniform::new(Metered::new(stream, Arc::clone(&seat)));
        let connection = ending.watch(builder.serve_connection(TokioIo::new(stream), service));
        let held = Arc::clone(&seat);
        let task = tokio::spawn(async move {
            let _seat = held;
            // Clients that go away are no fault of ours.
            let _ = timeout(longest, connection).await;
        });
        seat.is_of(task.abort_handle());
    }
    drop(listener);
    let _ = timeout(FAREWELL, ending.shutdown()).await;
    Ok(())
}
