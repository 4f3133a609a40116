//! The maker of the machine, and its firmware.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The maker of the machine, and its firmware. `None` means "not shown", or a placeholder that the maker never replaced.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Platform {
    /// Who built it (`Dell Inc.`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maker: Option<String>,
    /// Its product name (`PowerEdge R750`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// Who wrote its firmware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware_maker: Option<String>,
    /// The version of its firmware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware_version: Option<String>,
    /// The date of its firmware, as the maker spells it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware_date: Option<String>,
    /// The revision of the processor's microcode (`0xd0003b9`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microcode: Option<String>,
}

impl Platform {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Its maker and product, in words.
    pub fn name(&self) -> Option<String> {
        joined([self.maker.as_deref(), self.product.as_deref()], " ")
    }

    /// Its firmware, in words: `1.5.4 of 12/17/2021, microcode 0xd0003b9`.
    pub fn firmware(&self) -> Option<String> {
        let date = self.firmware_date.as_ref().map(|date| format!("of {date}"));
        let version = joined([self.firmware_version.as_deref(), date.as_deref()], " ");
        let microcode = self.microcode.as_ref().map(|revision| format!("microcode {revision}"));
        joined([version.as_deref(), microcode.as_deref()], ", ")
    }
}

fn joined(parts: [Option<&str>; 2], by: &str) -> Option<String> {
    let known: Vec<&str> = parts.into_iter().flatten().collect();
    (!known.is_empty()).then(|| known.join(by))
}
