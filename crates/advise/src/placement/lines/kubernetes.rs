//! Kubernetes: the kubelet's managers, and a pod.

use zerohop_units::Bytes;

use super::binding::Spot;
use super::line::{Kind, Line, Tool};

const SOURCE: &str = "https://kubernetes.io/docs/tasks/administer-cluster/memory-manager/";

pub(super) fn lines(spot: &Spot<'_>) -> Vec<Line> {
    // The kubelet's managers align a pod to as few nodes as possible; no policy spreads one over several in a given way.
    let Some(node) = spot.only_node().filter(|_| spot.is_first_touch()) else { return Vec::new() };
    let kubelet = "cpuManagerPolicy: static\n\
                   topologyManagerPolicy: single-numa-node\n\
                   memoryManagerPolicy: Static";
    // Round up: the limit ends the pod.
    let gibibytes = spot.program.bytes.get().div_ceil(Bytes::gib(1).get());
    let amounts = format!("{{ cpu: \"{}\", memory: {gibibytes}Gi }}", spot.program.threads);
    let pod = format!("resources:\n  requests: {amounts}\n  limits: {amounts}");
    vec![
        Line::shell(Tool::Kubernetes, kubelet, SOURCE).with(Kind::Configuration).note(
            "in the kubelet's configuration; memoryManagerPolicy also needs reservedMemory for each NUMA node",
        ),
        Line::shell(Tool::Kubernetes, pod, SOURCE).with(Kind::Configuration).note(format!(
            "in the container; equal requests and limits make the pod Guaranteed, so that its CPUs and memory come from one \
             NUMA node: {node}, or another free one; the memory is only the data, so add what else the program needs"
        )),
    ]
}
