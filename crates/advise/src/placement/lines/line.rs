//! A line to type, and the tool that it is for.

use schemars::JsonSchema;
use serde::Serialize;

/// Text to type, paste or write for a placement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Line {
    /// The tool.
    pub tool: Tool,
    /// Type of the text: shell commands, a configuration file, or a program.
    pub kind: Kind,
    /// The text, of one or more lines.
    pub text: String,
    /// Requirements and omissions of the text, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Documentation of the options used.
    pub source: String,
}

/// Type of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Shell commands.
    Shell,
    /// Part of a configuration file.
    Configuration,
    /// Part of a C program.
    C,
}

/// Declares each tool once: its name.
macro_rules! tools {
    ($($(#[$doc:meta])* $tool:ident = $name:literal;)*) => {
        /// Tool that a line is for.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
        pub enum Tool {
            $($(#[$doc])* #[serde(rename = $name)] $tool,)*
        }

        impl Tool {
            /// All tools.
            pub const ALL: [Self; [$($name),*].len()] = [$(Self::$tool),*];

            /// Name of the tool.
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
    /// A process that is already running.
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
