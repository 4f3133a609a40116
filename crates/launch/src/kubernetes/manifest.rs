//! The job of a node, as a file.

use super::options::{FLEET, KubernetesOptions};
use super::quantity::Room;
use crate::launcher::{Launcher, Task};

/// How long an ended job stays for whoever wants to look at it, in seconds.
const KEPT: u64 = 3600;

/// The job of a node.
pub(super) fn job(options: &KubernetesOptions, task: &Task, room: &Room) -> String {
    let KubernetesOptions { image, fleet, seconds, .. } = options;
    let (image, node, fleet_value) = (quoted(image), quoted(task.place()), quoted(fleet));
    let words: Vec<String> = options.program(task).iter().map(|word| quoted(word)).collect();
    let command = words.join(", ");
    let rank = task.rank;
    let amounts: Vec<String> =
        room.amounts.iter().map(|(name, amount)| format!("{}: {}", quoted(name), quoted(amount))).collect();
    let amounts = amounts.join(", ");
    format!(
        r#"# The survey of the node {node} by zerohop, which started it by `kubectl create -f`.
apiVersion: batch/v1
kind: Job
metadata:
  generateName: zerohop-{fleet}-{rank}-
  labels:
    app.kubernetes.io/name: zerohop
    {FLEET}: {fleet_value}
spec:
  # A failed survey is reported; only `zerohop fleet resume` retries it.
  backoffLimit: 0
  activeDeadlineSeconds: {seconds}
  ttlSecondsAfterFinished: {KEPT}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: zerohop
        {FLEET}: {fleet_value}
    spec:
      restartPolicy: Never
      # The survey does not use the cluster's API.
      automountServiceAccountToken: false
      affinity:
        # On this node and on no other.
        nodeAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            nodeSelectorTerms:
              - matchFields:
                  - key: metadata.name
                    operator: In
                    values: [{node}]
        # Not beside another survey of any fleet and namespace: simultaneous measurements disturb each other.
        podAntiAffinity:
          requiredDuringSchedulingIgnoredDuringExecution:
            - topologyKey: kubernetes.io/hostname
              namespaceSelector: {{}}
              labelSelector:
                matchLabels:
                  app.kubernetes.io/name: zerohop
      containers:
        - name: survey
          image: {image}
          command: [{command}]
          env:
            - name: NODE_NAME
              valueFrom:
                fieldRef:
                  fieldPath: spec.nodeName
          # All resources that other pods leave, as limit and as request: quality of service Guaranteed. Under the kubelet's static policies, such a pod
                    # has exclusive CPUs and memory; without them, the limit is a quota, which the survey reports.
          resources:
            limits: {{{amounts}}}
            requests: {{{amounts}}}
          securityContext:
            # No capabilities, and no privilege escalation.
            allowPrivilegeEscalation: false
            capabilities:
              drop: ["ALL"]
            # zerohop binds its own memory with mbind and verifies it with move_pages. The RuntimeDefault profile forbids both: mbind without
                        # SYS_NICE, move_pages always.
            seccompProfile:
              type: Unconfined
"#
    )
}

/// A text as YAML has it: a string of JSON is one of YAML.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
