//! Identifiers of parts. All are the operating system's own numbers: they may have gaps, and are never used as indices.

use std::fmt;
use std::num::ParseIntError;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

macro_rules! identity {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = ParseIntError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.trim().parse().map(Self)
            }
        }
    };
}

identity!(
    /// A NUMA node, by the kernel's number.
    NodeId
);
identity!(
    /// A processing unit (hardware thread, "CPU" in Linux), by the kernel's number.
    PuId
);
identity!(
    /// A package (socket), by the kernel's `physical_package_id`.
    PackageId
);
identity!(
    /// A core, by its rank over the whole machine in the order of its first PU. The kernel's own `core_id` repeats
    /// from package to package.
    CoreId
);
