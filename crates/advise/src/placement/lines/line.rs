//! A line to type, and the tool that it is for.

use schemars::JsonSchema;
use serde::Serialize;

/// What to type, paste or write for a placement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    /// The tool.
    pub tool: Tool,
    /// Where the text belongs: a shell, a file, a program.
    pub kind: Kind,
    /// The text, of one or more lines.
    pub text: String,
    /// What it needs or leaves out, if anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Where its options are documented.
    pub source: String,
}

/// Where a text belongs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Lines of a shell.
    Shell,
    /// Part of a configuration file.
    Configuration,
    /// Part of a C program.
    C,
}

/// Declares each tool once: its name.
macro_rules! tools {
    ($($(#[$doc:meta])* $tool:ident = $name:literal;)*) => {
        /// What a line is for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
        pub enum Tool {
            $($(#[$doc])* #[serde(rename = $name)] $tool,)*
        }

        impl Tool {
            /// All of them.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$tool),*];

            /// Its name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$tool => $name,)*
                }
            }
        }
    };
}

tools! {
    /// The command of the package of that name.
    Numactl = "numactl";
    /// The command of util-linux.
    Taskset = "taskset";
    /// OpenMP's environment variables.
    OpenMp = "OpenMP";
    /// Open MPI's launcher.
    OpenMpi = "Open MPI";
    /// Slurm's launcher.
    Slurm = "Slurm";
    /// The kubelet, and a pod.
    Kubernetes = "Kubernetes";
    /// The library of numactl.
    Libnuma = "libnuma";
    /// The system call.
    Mbind = "mbind";
    /// A process that runs already.
    Running = "a running process";
    /// The system call that moves the pages of a running process.
    MovePages = "move_pages";
    /// The Java virtual machine.
    Jvm = "JVM";
    /// The database.
    PostgreSql = "PostgreSQL";
    /// The database.
    Redis = "Redis";
    /// The inference server.
    LlamaCpp = "llama.cpp";
    /// The inference server's CPU backend.
    Vllm = "vLLM";
}

impl Line {
    pub(crate) fn shell(tool: Tool, text: impl Into<String>, source: &str) -> Self {
        Self { tool, kind: Kind::Shell, text: text.into(), note: None, source: source.to_owned() }
    }

    pub(super) fn with(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    pub(crate) fn note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }
}
