//! Connections: how many, for how long, and how they end.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};
use zerohop_workload::StopFlag;

use crate::error::ServeError;
use crate::routes::router;
use crate::service::{Limits, Offer, Service};

/// How long requests in progress may take once the server is to end.
const FAREWELL: Duration = Duration::from_secs(10);

/// How often it is looked whether the server is to end.
const LOOK: Duration = Duration::from_millis(50);

/// Threads that carry messages; answers are made on others.
const THREADS: usize = 2;

/// Threads that make answers, at most: turns are fewer.
const MAKERS: usize = 16;

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
    if !address.ip().is_loopback() && offer.token.is_none() {
        return Err(ServeError::Unprotected { address });
    }
    let unusable = |reason| ServeError::Address { address, reason };
    let listener = TcpListener::bind(address).map_err(unusable)?;
    listener.set_nonblocking(true).map_err(unusable)?;
    // Port 0 stands for any that is free.
    let address = listener.local_addr().map_err(unusable)?;
    let service = Arc::new(Service::new(offer, stop)?);
    Ok(Served { listener, address, service, stop: stop.clone() })
}

impl Served {
    /// Where it listens.
    pub const fn address(&self) -> SocketAddr {
        self.address
    }

    /// What whoever serves the archive should know.
    pub fn warning(&self) -> Option<&str> {
        self.service.archives.warning()
    }

    /// Answers until the flag is raised; requests in progress are then answered to the end.
    ///
    /// # Errors
    /// When the system has no room for threads.
    pub fn run(self) -> Result<(), ServeError> {
        let Self { listener, service, stop, .. } = self;
        let runtime = Builder::new_multi_thread()
            .worker_threads(THREADS)
            .max_blocking_threads(MAKERS)
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
        // Whatever takes longer is given up.
        runtime.shutdown_timeout(Duration::ZERO);
        service.judging.wake();
        // It has met no bug that it does not contain.
        let _ = judging.join();
        done
    }
}

async fn accept(listener: TcpListener, service: Arc<Service>, stop: &StopFlag) -> Result<(), ServeError> {
    let listener = tokio::net::TcpListener::from_std(listener).map_err(ServeError::Threads)?;
    let Limits { connections, head, connection: longest, .. } = service.limits;
    let router = router(service);
    let room = Arc::new(Semaphore::new(connections));
    let ending = GracefulShutdown::new();
    while !stop.is_raised() {
        // To look at the flag now and then, whatever there is to wait for.
        let Ok(Ok(permit)) = timeout(LOOK, Arc::clone(&room).acquire_owned()).await else { continue };
        let stream = match timeout(LOOK, listener.accept()).await {
            Ok(Ok((stream, _))) => stream,
            Ok(Err(_)) => {
                // Too many files are open, or the asker is gone.
                sleep(LOOK).await;
                continue;
            }
            Err(_) => continue,
        };
        let mut builder = http1::Builder::new();
        builder.timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(LONGEST_HEAD);
        let connection =
            builder.serve_connection(TokioIo::new(prompt(stream)), TowerToHyperService::new(router.clone()));
        let connection = ending.watch(connection);
        tokio::spawn(async move {
            let _permit = permit;
            // Askers that go away are no fault of ours.
            let _ = timeout(longest, connection).await;
        });
    }
    drop(listener);
    let _ = timeout(FAREWELL, ending.shutdown()).await;
    Ok(())
}

/// Without waiting for more to send: answers are whole.
fn prompt(stream: TcpStream) -> TcpStream {
    let _ = stream.set_nodelay(true);
    stream
}
