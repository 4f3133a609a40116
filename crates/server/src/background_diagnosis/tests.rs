use std::collections::BTreeMap;

use zerohop_archive::query::{Upload, entries, write};
use zerohop_archive::{Access, Location};

use super::*;
use crate::drawn::Drawn;

/// An archive with a result of each of the machines 1 to 4.
fn archives(folder: &tempfile::TempDir) -> Arc<Archives> {
    let location = Location::File(folder.path().join("a.sqlite"));
    let archives = Archives::open(location, Access::Write).unwrap();
    for machine in 1..=4 {
        let upload = Upload::new("a.json", Drawn::new(machine, 0).value().to_string().into_bytes());
        let batch = entries(upload.path(), None, &upload).unwrap();
        archives.with(|archive| Ok(write(archive, batch)?)).unwrap();
    }
    Arc::new(archives)
}

/// A judgement that goes on until it is let go, whatever its flag says, for the second machine; the fourth has a bug.
struct Script {
    asked: Mutex<BTreeMap<String, usize>>,
    is_held: Mutex<bool>,
    let_go: Condvar,
}

impl Script {
    fn new() -> Arc<Self> {
        Arc::new(Self { asked: Mutex::default(), is_held: Mutex::new(true), let_go: Condvar::new() })
    }

    fn judge(self: &Arc<Self>) -> Arc<Judge> {
        let own = Arc::clone(self);
        Arc::new(move |archives, machine, id, stop| {
            *own.asked.lock().unwrap().entry(machine.to_owned()).or_default() += 1;
            if machine == "node-02" {
                drop(own.let_go.wait_while(own.is_held.lock().unwrap(), |held| *held).unwrap());
            }
            assert_ne!(machine, "node-04", "a scripted bug");
            judged(archives, machine, id, stop)
        })
    }

    fn let_go(&self) {
        *self.is_held.lock().unwrap() = false;
        self.let_go.notify_all();
    }
}

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn one_judgement_that_does_not_end_holds_up_no_other_and_is_not_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let (archives, script, stop) = (archives(&folder), Script::new(), StopFlag::new());
    // The others take some milliseconds; a loaded host may take long for them.
    let judging = Arc::new(Judging::new(script.judge(), Duration::from_secs(4)));
    let (own, of, until) = (Arc::clone(&judging), Arc::clone(&archives), stop.clone());
    let running = thread::spawn(move || own.go_on(&of, &until));
    let machines = archives.with(|archive| Ok(archive.machines()?)).unwrap();
    let id = |rank: usize| machines[rank].latest.clone().unwrap();
    wait_until("all are known", || judging.with(|known| known.len() == 4));
    judging.with(|known| {
        assert!(known[&id(0)].is_ok() && known[&id(2)].is_ok(), "{known:?}");
        assert_eq!(known[&id(1)], Err("it took longer than 4 s".to_owned()));
        assert_eq!(known[&id(3)], Err("diagnosing it failed because of a bug".to_owned()));
    });
    assert_eq!(judging.failures(), (1, 1));
    // They are held against each other without it.
    wait_until("the fleet is known", || judging.fleet(&machines).is_ok());
    // Another result is judged, and the one that took too long is left alone.
    let upload = Upload::new("b.json", Drawn::new(5, 1).value().to_string().into_bytes());
    let batch = entries(upload.path(), None, &upload).unwrap();
    archives.with(|archive| Ok(write(archive, batch)?)).unwrap();
    judging.wake();
    wait_until("the fifth is known", || judging.with(|known| known.len() == 5));
    assert_eq!(script.asked.lock().unwrap()["node-02"], 1);
    script.let_go();
    wait_until("the thread ends", || judging.failures().0 == 0);
    stop.raise();
    judging.wake();
    running.join().unwrap();
}

#[test]
fn a_server_ends_although_a_judgement_does_not() {
    let folder = tempfile::tempdir().unwrap();
    drop(archives(&folder));
    let (script, stop) = (Script::new(), StopFlag::new());
    let offer = crate::Offer {
        archive: Location::File(folder.path().join("a.sqlite")),
        token: None,
        read_only: false,
        limits: crate::Limits { judgement: Duration::from_secs(3600), ..crate::Limits::default() },
    };
    let served =
        crate::listen::bind_with("127.0.0.1:0".parse().unwrap(), offer, &stop, script.judge()).unwrap();
    let running = thread::spawn(move || served.run().unwrap());
    wait_until("it judges", || script.asked.lock().unwrap().contains_key("node-02"));
    stop.raise();
    running.join().unwrap();
    // It still goes on: nobody waited for it.
    assert!(*script.is_held.lock().unwrap());
    script.let_go();
}
