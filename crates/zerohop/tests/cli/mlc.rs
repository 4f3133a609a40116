//! `zerohop mlc`: options and output of Intel's Memory Latency Checker.

use crate::binary::zerohop;

fn printed(arguments: &[&str]) -> String {
    let output = zerohop().arg("mlc").args(arguments).args(["--on", "quartet"]).assert().success();
    String::from_utf8(output.get_output().stdout.clone()).unwrap()
}

fn refused(arguments: &[&str]) -> String {
    let output = zerohop().arg("mlc").args(arguments).assert().code(2);
    String::from_utf8(output.get_output().stderr.clone()).unwrap()
}

#[test]
fn scripts_change_one_word() {
    let matrix = printed(&["--latency_matrix", "-e", "-r", "-b200m"]);
    let alone = zerohop()
        .args(["run", "latency-matrix", "--on", "quartet", "--buffer", "200MiB"])
        .args(["--format", "mlc"])
        .assert()
        .success();
    assert_eq!(matrix, String::from_utf8(alone.get_output().stdout.clone()).unwrap());
}

#[test]
fn one_cpu_reads_one_node() {
    let local = printed(&["--idle_latency", "-c2"]);
    let far = printed(&["--idle_latency", "-c2", "-j2"]);
    let latency = |text: &str| -> f64 {
        text.split("(\t").nth(1).and_then(|rest| rest.split('\t').next()).unwrap().parse().unwrap()
    };
    assert!(latency(&far) > latency(&local), "{local}{far}");
}

#[test]
fn a_buffer_is_a_thread_s_and_its_number_is_in_kib() {
    let small = printed(&["--idle_latency", "-b65536"]);
    assert!(small.contains("Using buffer size of 64.000MiB"), "{small}");
}

#[test]
fn the_load_is_a_mix_by_mlc_s_number() {
    let mixed = printed(&["--loaded_latency", "-W3", "-d0"]);
    assert!(mixed.contains("*** Traffic of the mix_3_1 kernel"), "{mixed}");
    let rows = mixed.lines().skip_while(|line| !line.starts_with("====")).skip(1);
    assert_eq!(rows.filter(|line| !line.is_empty()).count(), 1, "{mixed}");
}

#[test]
fn an_instruction_set_on_a_model_is_refused_by_the_option_that_was_typed() {
    for option in ["-Y", "-Z"] {
        let error = refused(&["--bandwidth_matrix", option, "--on", "quartet"]);
        assert!(error.contains(&format!("hint: omit {option}")), "{error}");
        assert!(!error.contains("--isa"), "{error}");
    }
}

#[test]
fn a_buffer_that_does_not_fit_is_refused_by_the_option_that_was_typed() {
    let error = refused(&["--latency_matrix", "-b99999g", "--on", "quartet"]);
    assert!(error.contains("hint: use a smaller -b"), "{error}");
    let error = refused(&["--bandwidth_matrix", "-b9999g", "--on", "quartet"]);
    assert!(error.contains("hint: use a smaller -b"), "{error}");
    assert!(!error.contains("--buffer") && !error.contains("--nodes"), "{error}");
}

#[test]
fn what_has_no_counterpart_is_refused() {
    let error = refused(&["--loaded_latency", "-d500"]);
    assert!(error.contains("invalid value '500' for '-d <DELAY>'"), "{error}");
    assert!(refused(&["--loaded_latency", "-W7"]).contains("MLC's mix `7` is not supported"));
    assert!(refused(&["--latency_matrix", "--c2c_latency"]).contains("cannot be used with"));
    assert!(refused(&["--latency_matrix", "-j1"]).contains("-j applies only to --idle_latency"));
    assert!(refused(&["-d0"]).contains("-d applies only to --loaded_latency"));
    assert!(
        refused(&["--latency_matrix", "-W3"])
            .contains("-W applies only to --bandwidth_matrix, --loaded_latency")
    );
    assert!(refused(&["--peak_injection_bandwidth", "-R"]).contains("-R applies only to --bandwidth_matrix"));
    assert!(refused(&["--idle_latency", "-k0"]).contains("-k applies only to --bandwidth_matrix"));
    assert!(refused(&["--c2c_latency", "-X"]).contains("-X applies only to --bandwidth_matrix"));
    assert!(refused(&["--c2c_latency", "-b200m"]).contains("-b applies only to --latency_matrix"));
    assert!(refused(&["-b12q"]).contains("invalid size `12q`"));
    assert!(refused(&["-t0"]).contains("expected whole seconds"));
}

/// They were ignored without a word by the measurements that have no use for them.
#[test]
fn an_option_that_acts_on_a_part_of_everything_is_named() {
    let output = zerohop().args(["mlc", "-W3", "-k0-3", "--on", "quartet"]).assert().success();
    let said = String::from_utf8(output.get_output().stderr.clone()).unwrap();
    assert!(said.contains("-W applies only to --bandwidth_matrix, --loaded_latency"), "{said}");
    assert!(said.contains("-k applies only to --bandwidth_matrix"), "{said}");
    let quiet = zerohop().args(["mlc", "-q", "-W3", "--on", "quartet"]).assert().success();
    assert!(quiet.get_output().stderr.is_empty());
}
