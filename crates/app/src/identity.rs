//! Identity of a run and its host.

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use uuid::{Builder, Uuid};
use zerohop_machine::FileTree;
use zerohop_result::{HashedMachineId, HostIdentity, ResultFile, RunId};

/// What zerohop hashes machine ids with: `systemd-id128 machine-id --app-specific=bd880a9994e442669e700146fe600e25` prints the same.
const APPLICATION: Uuid = Uuid::from_u128(0xbd88_0a99_94e4_4266_9e70_0146_fe60_0e25);

/// The host whose files and environment variables these are.
pub fn host_identity(tree: &dyn FileTree, variable: impl Fn(&str) -> Option<String>) -> HostIdentity {
    let text = |path| Some(String::from_utf8_lossy(&tree.read(path).ok()?).trim().to_owned());
    let named = |text: Option<String>| text.filter(|text| !text.is_empty());
    // Other programs than Kubernetes set NODE_NAME, too.
    let in_pod = variable("KUBERNETES_SERVICE_HOST").is_some();
    let of_kubernetes = || named(variable("NODE_NAME")).filter(|_| in_pod);
    HostIdentity {
        name: named(text("/proc/sys/kernel/hostname")),
        scheduler_node: named(variable("SLURMD_NODENAME")).or_else(of_kubernetes),
        machine_id: text("/etc/machine-id").and_then(|id| hashed(&id)),
    }
}

/// A machine id as `sd_id128_get_machine_app_specific` hashes it: HMAC-SHA256 of the application's id, with the machine's as the key, cut to
/// the length of an id. `None` for what is no machine id, such as `uninitialized`.
fn hashed(machine_id: &str) -> Option<HashedMachineId> {
    let key = Uuid::try_parse(machine_id).ok().filter(|id| !id.is_nil())?;
    let mut hmac = Hmac::<Sha256>::new_from_slice(key.as_bytes()).ok()?;
    hmac.update(APPLICATION.as_bytes());
    let bytes = first_half(hmac.finalize().into_bytes().as_slice())?;
    Some(HashedMachineId(Builder::from_random_bytes(bytes).into_uuid()))
}

/// Id of a model's run: it is derived from the whole result.
pub(crate) fn simulated_run(result: &ResultFile) -> Option<RunId> {
    let digest = Sha256::digest(result.text());
    Some(RunId(Uuid::new_v8(first_half(digest.as_slice())?)))
}

fn first_half(digest: &[u8]) -> Option<[u8; 16]> {
    digest.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use zerohop_machine::ReadError;

    use super::*;

    struct Tree(BTreeMap<&'static str, &'static str>);

    impl FileTree for Tree {
        fn read(&self, path: &str) -> Result<Vec<u8>, ReadError> {
            self.0.get(path).map(|text| text.as_bytes().to_vec()).ok_or(ReadError::Absent)
        }

        fn list(&self, _: &str) -> Result<Vec<String>, ReadError> {
            Err(ReadError::Absent)
        }
    }

    const MACHINE_ID: &str = "0123456789abcdef0123456789abcdef";

    fn of(variables: &[(&str, &str)], machine_id: &'static str) -> HostIdentity {
        let tree = Tree([("/proc/sys/kernel/hostname", "node-07\n"), ("/etc/machine-id", machine_id)].into());
        host_identity(&tree, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    /// The value is what systemd 257 prints for this machine id.
    #[test]
    fn a_machine_id_is_hashed_as_systemd_does() {
        let identity = of(&[], MACHINE_ID);
        let hashed = identity.machine_id.unwrap().to_string();
        assert_eq!(hashed, "0c8f87e3-0b6d-4027-92fa-3e5ca4a229d1");
        let text = serde_json::to_string(&identity).unwrap();
        assert!(!text.contains(MACHINE_ID) && !text.contains("01234567-89ab"), "{text}");
    }

    #[test]
    fn what_is_no_machine_id_is_left_out() {
        for text in ["", "uninitialized\n", "00000000000000000000000000000000\n"] {
            assert_eq!(of(&[], text).machine_id, None, "{text}");
        }
    }

    #[test]
    fn each_name_of_a_host_stands_apart() {
        let names = |variables: &[(&str, &str)]| {
            let HostIdentity { name, scheduler_node, .. } = of(variables, MACHINE_ID);
            (name.unwrap(), scheduler_node)
        };
        let node = |name: &str| ("node-07".to_owned(), Some(name.to_owned()));
        assert_eq!(names(&[("SLURMD_NODENAME", "cn0007"), ("NODE_NAME", "built-in")]), node("cn0007"));
        assert_eq!(
            names(&[("NODE_NAME", "worker-3"), ("KUBERNETES_SERVICE_HOST", "10.0.0.1")]),
            node("worker-3")
        );
        // Jenkins calls its agents so.
        assert_eq!(names(&[("NODE_NAME", "built-in")]).1, None);
        assert_eq!(names(&[("SLURMD_NODENAME", "")]).1, None);
    }
}
