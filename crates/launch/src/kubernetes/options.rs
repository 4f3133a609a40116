//! How Kubernetes is asked.

use serde::{Deserialize, Serialize};

/// How Kubernetes is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KubernetesOptions {
    /// What each task starts with: a program of the image, and its arguments.
    pub words: Vec<String>,
    /// The image that has the program.
    pub image: String,
    /// What tells the jobs of this fleet from those of others.
    pub fleet: String,
    /// The namespace, if not that of the context.
    pub namespace: Option<String>,
    /// The context of `kubectl`, if not the current one.
    pub context: Option<String>,
    /// How long a job may take, with its waiting.
    pub seconds: u64,
}

/// The label of every job and pod: what tells the fleet.
pub(super) const FLEET: &str = "zerohop-fleet";
