//! The maker of the machine, and its firmware.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Vendor and firmware of the machine. `None` means "not shown", or a placeholder that the vendor did not replace.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Platform {
    /// Vendor of the machine (`Dell Inc.`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maker: Option<String>,
    /// Product name (`PowerEdge R750`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// Vendor of the firmware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware_maker: Option<String>,
    /// Version of the firmware.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware_version: Option<String>,
    /// Date of the firmware, as the vendor writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub firmware_date: Option<String>,
    /// Revision of the processor's microcode (`0xd0003b9`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub microcode: Option<String>,
}

impl Platform {
    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Vendor and product, in words.
    pub fn name(&self) -> Option<String> {
        joined([self.maker.as_deref(), self.product.as_deref()], " ")
    }

    /// Version, date and microcode of the firmware, in words: `1.5.4 of 12/17/2021, microcode 0xd0003b9`.
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
