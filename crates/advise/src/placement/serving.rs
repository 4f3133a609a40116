//! What to type for programs that stream through the same data: llama.cpp, vLLM, OpenMP.

use zerohop_machine::Machine;

use super::candidate::Candidate;
use super::data_place::DataPlace;
use super::lines::{Line, Spot, Tool, cpu_list, openmp_lines};
use super::program::Program;

const LLAMA: &str = "https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md";

const VLLM: &str = "https://docs.vllm.ai/en/latest/getting_started/installation/cpu.html";

/// What each program needs for its data to be there.
pub(crate) fn serving(
    kind: DataPlace,
    program: &Program,
    machine: &Machine,
    candidate: &Candidate,
) -> Vec<Line> {
    let spot = Spot::new(program, machine, candidate);
    let mut lines = llama(kind, &spot);
    lines.extend(vllm(kind, &spot));
    // A program that loops over an array that one of its threads may have filled.
    if kind != DataPlace::CopyOnEach && kind != DataPlace::FirstReader {
        lines.extend(openmp_lines(&spot));
    }
    lines
}

fn llama(kind: DataPlace, spot: &Spot<'_>) -> Vec<Line> {
    let threads = spot.program.threads;
    let line = |text: String| Line::shell(Tool::LlamaCpp, text, LLAMA);
    match (kind, spot.only_node()) {
        (DataPlace::OneNode, Some(node)) => vec![
            line(format!(
                "zerohop place model.gguf --nodes {node}\n\
                 numactl --cpunodebind={node} --membind={node} llama-server -m model.gguf --numa numactl -t {threads}"
            ))
            .note("without `place`, pages of the file that are cached on other nodes stay there"),
        ],
        (DataPlace::Interleaved, _) => vec![
            line(format!(
                "zerohop place model.gguf --interleave\n\
                 llama-server -m model.gguf --numa distribute -t {threads}"
            ))
            .note("without `place`, the file's pages are on the node where its first reader ran"),
        ],
        (DataPlace::CopyOnEach, _) => {
            let servers: Vec<String> = spot
                .cpus
                .iter()
                .zip(8080..)
                .map(|((node, cpus), port)| {
                    let threads = cpus.len();
                    format!(
                        "numactl --cpunodebind={node} --membind={node} llama-server -m model.gguf --no-mmap --numa numactl \
                         -t {threads} --port {port}"
                    )
                })
                .collect();
            vec![line(servers.join(" &\n")).note(
                "one server per node: the rate is the sum of all; with --no-mmap each has its own copy of the file",
            )]
        }
        _ => Vec::new(),
    }
}

fn vllm(kind: DataPlace, spot: &Spot<'_>) -> Vec<Line> {
    let line = |text: String| Line::shell(Tool::Vllm, text, VLLM);
    match (kind, spot.only_node()) {
        (DataPlace::OneNode, Some(node)) => vec![line(format!(
            "VLLM_CPU_OMP_THREADS_BIND={} numactl --membind={node} vllm serve MODEL",
            spot.cpu_list()
        ))],
        (DataPlace::CopyOnEach, _) => {
            let cpus: Vec<String> = spot.cpus.values().map(cpu_list).collect();
            vec![line(format!(
                "VLLM_CPU_OMP_THREADS_BIND='{}' vllm serve MODEL --tensor-parallel-size {}",
                cpus.join("|"),
                cpus.len()
            ))
            .note("each node holds and reads its own part of the weights, which is as fast as a copy on each node but needs no more memory")]
        }
        _ => Vec::new(),
    }
}
