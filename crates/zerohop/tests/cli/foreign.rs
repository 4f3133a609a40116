//! Names, files and folders from elsewhere: what they hold is shown and never obeyed.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Output, Stdio};

use serde_json::{Value, json};

use crate::binary::{machine, started_by, zerohop};
use crate::folder::SQUARE;

/// Clears the screen, makes a link, writes to the clipboard; controls beyond ASCII; text in another order than it stands.
const EVIL: &str =
    "E\u{1b}[2J\u{1b}]8;;http://x\u{7}\u{1b}]52;c;eA==\u{1b}\\\u{9b}2J\u{85}\u{202e}\u{2066}\u{8}\rVIL";

fn is_clean(text: &str) -> bool {
    !text.chars().any(|c| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    })
}

/// What came out on both streams.
fn streams(output: &Output) -> [String; 2] {
    [&output.stdout, &output.stderr].map(|bytes| String::from_utf8(bytes.clone()).unwrap())
}

/// Runs it in `directory`, and checks that neither stream holds what a terminal would obey.
fn clean(directory: &Path, arguments: &[&str]) -> String {
    let output = zerohop().current_dir(directory).args(arguments).output().unwrap();
    let text = streams(&output).concat();
    assert!(is_clean(&text), "{arguments:?}: {text:?}");
    text
}

/// A capture whose texts are all `EVIL`.
fn evil_capture(directory: &Path) {
    let mut capture: Value = serde_json::from_str(&fs::read_to_string(machine("quartet")).unwrap()).unwrap();
    let files = capture["files"].as_object_mut().unwrap();
    files["/proc/cpuinfo"] = json!(format!("processor : 0\nvendor_id : {EVIL}\nmodel name : {EVIL}\n"));
    for path in [
        "/proc/sys/kernel/hostname",
        "/proc/sys/kernel/osrelease",
        "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
        "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        "/sys/devices/system/node/node1/cpulist",
    ] {
        files.insert(path.to_owned(), json!(EVIL));
    }
    files.insert("/proc/cmdline".to_owned(), json!(format!("hugepages={EVIL}")));
    fs::write(directory.join("evil.json"), capture.to_string()).unwrap();
}

#[test]
fn escapes_in_a_captured_machine_are_shown_and_not_obeyed() {
    let directory = tempfile::tempdir().unwrap();
    evil_capture(directory.path());
    let show = ["--sysfs-root", "evil.json", "machine", "show"];
    let page = clean(directory.path(), &show);
    for name in [r"\u001b[2J", r"\u001b]52;c;", r"\u009b2J", r"\u202e"] {
        assert!(page.contains(name), "{name} is not shown: {page}");
    }
    // Nothing but the looks of pages where colours are asked for.
    let coloured =
        zerohop().current_dir(directory.path()).args(show).args(["--color", "always"]).output().unwrap();
    let [page, _] = streams(&coloured);
    let without_looks = ["0", "1", "2", "31", "32", "33", "36"]
        .iter()
        .fold(page.clone(), |page, look| page.replace(&format!("\u{1b}[{look}m"), ""));
    assert!(page.contains("\u{1b}[1m") && is_clean(&without_looks), "{page:?}");
    // Data stays what it is.
    let json =
        zerohop().current_dir(directory.path()).args(show).args(["--format", "json"]).output().unwrap();
    let machine: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(machine["processor"]["model"], EVIL.split('\r').next().unwrap().to_owned() + "\rVIL");
}

#[test]
fn escapes_in_xml_machine_files_and_studies_are_shown_and_not_obeyed() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, text: String| fs::write(directory.path().join(name), text).unwrap();
    let beyond_ascii = "E\u{9b}2J\u{202e}VIL";
    let xml = |name: &str| {
        format!(
            "<topology version=\"2.0\"><object type=\"Machine\" cpuset=\"0x1\"><info name=\"HostName\" value=\"{name}\"/>\
             <object type=\"PU\" os_index=\"0\" cpuset=\"0x1\"/></object></topology>"
        )
    };
    write("evil.xml", xml(beyond_ascii));
    write("broken.xml", xml(EVIL));
    write("other.xml", format!("<{beyond_ascii}/>"));
    let toml: String = EVIL.chars().map(|c| format!("\\u{:04X}", u32::from(c))).collect();
    write("evil.toml", SQUARE.replace("Square 8", &toml).replace("Four nodes", &toml));
    write("broken.toml", format!("{EVIL} = 1\n{SQUARE}"));
    write("wrong.toml", SQUARE.replace("on_full = \"wait\"", &format!("on_full = \"{toml}\"")));
    for name in ["evil.xml", "broken.xml", "other.xml", "./evil.toml", "./broken.toml", "./wrong.toml"] {
        assert!(!clean(directory.path(), &["machine", "show", name]).is_empty());
    }
    assert!(clean(directory.path(), &["machine", "show", "evil.xml"]).contains(r"E\u009b2J\u202eVIL"));
    assert!(clean(directory.path(), &["machine", "show", "./evil.toml"]).contains(r"\u001b[2J"));
    clean(directory.path(), &["machine", "check", "./evil.toml"]);
    clean(directory.path(), &["sweep", "./broken.toml", "--set", "x=1"]);
}

#[test]
fn escapes_in_results_are_shown_and_not_obeyed() {
    let directory = tempfile::tempdir().unwrap();
    let run = ["run", "bandwidth-matrix", "--on", "quartet", "--nodes", "0,1", "-q", "-o", "good.json"];
    zerohop().current_dir(directory.path()).args(run).assert().success();
    let good = fs::read_to_string(directory.path().join("good.json")).unwrap();
    let mut result: Value = serde_json::from_str(&good).unwrap();
    result["machine"]["name"] = json!(EVIL);
    result["machine"]["processor"]["model"] = json!(EVIL);
    result["produced_by"] = json!(EVIL);
    let name = EVIL.replace('/', "_") + ".json";
    fs::write(directory.path().join(&name), result.to_string()).unwrap();
    assert!(clean(directory.path(), &["compare", "good.json", &name]).contains(r"E\u001b[2J"));
    fs::write(directory.path().join("broken.json"), format!("{{\"{EVIL}\": 1}}")).unwrap();
    clean(directory.path(), &["compare", "good.json", "broken.json"]);
    clean(directory.path(), &["machine", "draw", "--load", &name]);
}

#[test]
fn escapes_in_what_was_typed_are_shown_and_not_obeyed() {
    let directory = tempfile::tempdir().unwrap();
    let path = format!("./{}", EVIL.replace('/', "_"));
    for arguments in [
        vec!["machine", "show", &path],
        vec!["machine", "show", EVIL],
        vec!["--sysfs-root", &path, "machine", "show"],
        vec!["compare", &path, &path],
        vec!["machine", "capture", "-o", "/nowhere/\u{1b}[2J"],
        vec!["reproduce", EVIL],
        vec!["run", EVIL],
        vec![EVIL],
        vec!["machine", "show", "quartet", "--set", EVIL],
    ] {
        let talk = clean(directory.path(), &arguments);
        assert!(
            talk.starts_with("error: ") && (talk.contains(r"\u001b[2J") || talk.contains(r"\u009b2J")),
            "{talk}"
        );
    }
}

#[test]
fn pipes_devices_and_links_out_of_a_folder_with_a_machine_are_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("root");
    fs::create_dir_all(root.join("proc/sys/kernel")).unwrap();
    fs::create_dir_all(root.join("sys/devices/system/cpu")).unwrap();
    fs::write(root.join("proc/cpuinfo"), "processor : 0\nmodel name : Real\n").unwrap();
    fs::write(directory.path().join("secret"), "SECRET").unwrap();
    symlink(directory.path().join("secret"), root.join("proc/sys/kernel/hostname")).unwrap();
    symlink("/dev/zero", root.join("proc/sys/kernel/osrelease")).unwrap();
    let mode = rustix::fs::Mode::RUSR;
    let pipe = root.join("proc/meminfo");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    File::create(root.join("sys/devices/system/cpu/online")).unwrap().set_len(1 << 40).unwrap();
    let page = clean(directory.path(), &["--sysfs-root", "root", "machine", "show"]);
    assert!(page.contains("Real") && !page.contains("SECRET"), "{page}");
    for reason in ["not a regular file", "a link points outside the tree", "larger than 64 MiB"] {
        assert!(page.split_whitespace().collect::<Vec<_>>().join(" ").contains(reason), "{reason}: {page}");
    }
}

#[test]
fn a_capture_is_read_from_a_pipe() {
    let capture = machine("quartet");
    let of_pipe = "exec \"$0\" --sysfs-root <(cat \"$1\") machine show --format json";
    let mut command = started_by("bash", &["-c", of_pipe]);
    let output = command.arg(&capture).stdout(Stdio::piped()).output().unwrap();
    let from_pipe: Value = serde_json::from_slice(&output.stdout).unwrap();
    let show = zerohop().arg("--sysfs-root").arg(&capture).args(["machine", "show", "--format", "json"]);
    let from_file: Value = serde_json::from_slice(&show.output().unwrap().stdout).unwrap();
    assert_eq!(from_pipe["pus"], from_file["pus"]);
    assert_eq!(from_pipe["name"], "");
}

/// Every verb that reads a file waited for ever for a writer, and a machine file that extends another even where the pipe only
/// lay beside it.
#[test]
fn a_named_pipe_is_refused_wherever_a_file_is_read() {
    let directory = tempfile::tempdir().unwrap();
    let mode = rustix::fs::Mode::from_raw_mode(0o600);
    for name in ["pipe.toml", "pipe.json", "pipe.xml", "beside.toml"] {
        let path = directory.path().join(name);
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, mode, 0).unwrap();
    }
    fs::write(directory.path().join("extends.toml"), "extend = \"besides\"\ntitle = \"x\"\n").unwrap();
    for arguments in [
        "machine show ./pipe.toml",
        "machine check ./pipe.toml",
        "machine show pipe.xml",
        "machine show pipe.json",
        "run hops --on ./pipe.toml",
        "reproduce ./pipe.toml",
        "sweep --file pipe.toml",
        "compare pipe.json pipe.json",
        "--sysfs-root pipe.json machine show",
    ] {
        let command = zerohop().current_dir(directory.path()).args(arguments.split(' '));
        let assert = command.timeout(std::time::Duration::from_secs(60)).assert().code(2);
        let talk = String::from_utf8(assert.get_output().stderr.clone()).unwrap();
        assert!(talk.contains("it is a named pipe, not a regular file"), "{arguments}: {talk}");
    }
    let command = zerohop().current_dir(directory.path()).args(["machine", "show", "./extends.toml"]);
    command.timeout(std::time::Duration::from_secs(60)).assert().code(2);
}

#[test]
fn standard_input_is_read_whatever_it_is() {
    let output = started_by(
        "sh",
        &["-c", "\"$0\" machine export quartet --format toml | \"$0\" machine show /dev/stdin"],
    )
    .stdout(Stdio::piped())
    .output()
    .unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("Opteron"), "{:?}", output.status);
}

#[test]
fn a_file_without_end_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    for arguments in
        [["--sysfs-root", "/dev/zero", "machine", "show"], ["machine", "show", "/dev/zero", "-q"]]
    {
        let talk = clean(directory.path(), &arguments);
        assert!(talk.contains("cannot read `/dev/zero`: it is a device, not a regular file"), "{talk}");
    }
}
