//! A server with an archive of its own, and requests to it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::Value;
use zerohop_archive::Location;
use zerohop_server::{Limits, Offer, Token, bind};
use zerohop_workload::StopFlag;

use crate::drawn::Drawn;

/// A server that runs, with an archive in a folder of its own.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) folder: tempfile::TempDir,
    stop: StopFlag,
    running: Option<JoinHandle<()>>,
}

#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    heads: String,
    pub(crate) body: String,
}

/// The output of another tool, which does not name its machine.
pub(crate) const MLC: &str = "Intel(R) Memory Latency Checker - v3.9\nMeasuring idle latencies (in ns)...\n\
    \t\tNuma node\nNuma node\t     0\t     1\n       0\t  80.0\t 140.0\n       1\t 140.0\t  80.0\n";

impl Server {
    pub(crate) fn with(results: impl IntoIterator<Item = Drawn>) -> Self {
        let server = Self::start(None, false, Limits::default());
        for drawn in results {
            let reply = server.post("/api/v1/results", &drawn.value().to_string());
            assert_eq!(reply.status, 200, "{}", reply.body);
        }
        server
    }

    pub(crate) fn start(token: Option<&str>, read_only: bool, limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::over(folder, token, read_only, limits)
    }

    /// Over the archive in this folder.
    pub(crate) fn over(
        folder: tempfile::TempDir,
        token: Option<&str>,
        read_only: bool,
        limits: Limits,
    ) -> Self {
        let stop = StopFlag::new();
        let offer = Offer {
            archive: Location::File(folder.path().join("a.sqlite")),
            token: token.map(|token| Token::new(token).unwrap()),
            read_only,
            limits,
        };
        let served =
            bind("127.0.0.1:0".parse().unwrap(), offer, &stop).unwrap_or_else(|error| panic!("{error}"));
        let address = served.address();
        let running = Some(thread::spawn(move || served.run().unwrap()));
        Self { address, folder, stop, running }
    }

    /// Ends it, and returns the folder of its archive.
    pub(crate) fn end(mut self) -> tempfile::TempDir {
        self.stop.raise();
        self.running.take().unwrap().join().unwrap();
        std::mem::replace(&mut self.folder, tempfile::tempdir().unwrap())
    }

    /// Ends it without waiting.
    pub(crate) fn stop(&self) {
        self.stop.raise();
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// The answer to a request of these bytes.
    pub(crate) fn raw(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        // It may answer, and close, before it has read everything.
        let _ = stream.write_all(request);
        read(&mut stream)
    }

    pub(crate) fn ask(&self, method: &str, target: &str, heads: &[(&str, &str)], body: &[u8]) -> Reply {
        let own = if heads.iter().any(|(name, _)| *name == "host") {
            String::new()
        } else {
            format!("host: {}\r\n", self.address)
        };
        let heads: String = heads.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let length = body.len();
        let head = format!(
            "{method} {target} HTTP/1.1\r\n{own}{heads}content-length: {length}\r\nconnection: close\r\n\r\n"
        );
        self.raw(&[head.as_bytes(), body].concat())
    }

    pub(crate) fn get(&self, target: &str) -> Reply {
        self.ask("GET", target, &[], b"")
    }

    pub(crate) fn post(&self, target: &str, body: &str) -> Reply {
        self.ask("POST", target, &[], body.as_bytes())
    }

    /// The JSON of an answer that is fine.
    pub(crate) fn json(&self, target: &str) -> Value {
        let reply = self.get(target);
        assert_eq!(reply.status, 200, "{target}: {}", reply.body);
        reply.json()
    }

    /// The mark of an answer, and the answer to whoever has it: both again if more was judged in between.
    pub(crate) fn unchanged(&self, target: &str) -> (String, Reply) {
        let begin = Instant::now();
        loop {
            let mark = self.get(target).head("etag").unwrap().to_owned();
            let again = self.ask("GET", target, &[("if-none-match", &mark)], b"");
            if again.status == 304 || begin.elapsed() > Duration::from_secs(20) {
                return (mark, again);
            }
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// A page, once it holds this.
    pub(crate) fn page_with(&self, target: &str, words: &str) -> String {
        let begin = Instant::now();
        loop {
            let body = self.get(target).body;
            if body.contains(words) {
                return body;
            }
            assert!(begin.elapsed() < Duration::from_secs(60), "{target} lacks {words}: {body}");
            thread::sleep(Duration::from_millis(50));
        }
    }

    /// The ids of all results, the latest first.
    pub(crate) fn ids(&self) -> Vec<String> {
        ids(&self.json("/api/v1/results?limit=1000"))
    }

    /// Waits until the latest results of so many machines are judged.
    pub(crate) fn wait_for_judgements(&self, machines: usize) {
        let begin = Instant::now();
        while self.json("/api/v1/findings")["diagnoses"].as_array().unwrap().len() < machines {
            assert!(begin.elapsed() < Duration::from_secs(60), "nothing is judged");
            thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop.raise();
        if let Some(running) = self.running.take() {
            let ended = running.join();
            assert!(thread::panicking() || ended.is_ok());
        }
    }
}

/// The ids in a list.
pub(crate) fn ids(list: &Value) -> Vec<String> {
    list["results"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

/// What comes until the connection ends.
pub(crate) fn read(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    // A connection that is cut off has sent what it has sent.
    let _ = stream.read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (heads, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
    let status = heads.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
    Reply { status, heads: heads.to_owned(), body: body.to_owned() }
}

impl Reply {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// A head, by its name in small letters.
    pub(crate) fn head(&self, name: &str) -> Option<&str> {
        self.heads.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}
