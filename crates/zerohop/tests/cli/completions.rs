//! `zerohop completions`.

use crate::binary::zerohop;

#[test]
fn every_shell_gets_a_script() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = zerohop().args(["completions", shell]).assert().success().get_output().clone();
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("zerohop"), "{shell}");
        // Not every shell's generator lists the values of what is no option.
        if ["bash", "zsh"].contains(&shell) {
            assert!(script.contains("loaded-latency"), "{shell}");
        }
    }
}
