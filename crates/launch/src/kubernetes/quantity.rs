//! Amounts as Kubernetes writes them, and what is left of a node.

use std::collections::BTreeMap;

/// What a survey asks for: all that is left of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Room {
    /// Resources and amounts, as Kubernetes writes them.
    pub(super) amounts: BTreeMap<String, String>,
}

impl Room {
    /// What pods leave of a node, from lines such as `100m 50m|70Mi 20Mi`. Whole CPUs: only those can be given to a pod for itself.
    pub(super) fn left(allocatable: &BTreeMap<String, String>, requests: &str) -> Result<Self, String> {
        let (mut cpu, mut memory) = (0, 0);
        for line in requests.lines() {
            let (cpus, bytes) = line.split_once('|').unwrap_or((line, ""));
            cpu += sum(cpus)?;
            memory += sum(bytes)?;
        }
        let of = |name: &str| milli(allocatable.get(name).map_or("0", String::as_str));
        let cpus = of("cpu")?.saturating_sub(cpu) / 1000;
        let mebibytes = of("memory")?.saturating_sub(memory) / 1000 / (1 << 20);
        if cpus == 0 || mebibytes == 0 {
            return Err(format!("its pods leave only {cpus} whole CPUs and {mebibytes} MiB of memory"));
        }
        let own = [("cpu".to_owned(), cpus.to_string()), ("memory".to_owned(), format!("{mebibytes}Mi"))];
        let is_there = |amount: &str| milli(amount).is_ok_and(|amount| amount > 0);
        // A pod may use only those huge pages that it asks for.
        let huge = allocatable
            .iter()
            .filter(|(name, amount)| name.starts_with("hugepages-") && is_there(amount))
            .map(|(name, amount)| (name.clone(), amount.clone()));
        Ok(Self { amounts: own.into_iter().chain(huge).collect() })
    }

    /// Nobody could be asked.
    pub(super) fn unknown() -> Self {
        let amounts = [("cpu", "FILL-IN"), ("memory", "FILL-IN")];
        Self { amounts: amounts.map(|(name, amount)| (name.to_owned(), amount.to_owned())).into() }
    }
}

fn sum(amounts: &str) -> Result<u128, String> {
    amounts.split_whitespace().map(milli).sum()
}

/// Thousandths of an amount such as `250m`, `16`, `1.5`, `70Mi` or `1e3`.
fn milli(amount: &str) -> Result<u128, String> {
    let wrong = || format!("invalid Kubernetes quantity `{amount}`");
    let end = amount.find(|one: char| !one.is_ascii_digit() && one != '.').unwrap_or(amount.len());
    let (digits, suffix) = amount.split_at(end);
    if digits.is_empty() {
        return Err(wrong());
    }
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let thousandths = format!("{part:0<3}");
    let number = format!("{whole}{}", &thousandths[..3]).parse::<u128>().map_err(|_| wrong())?;
    let factor: u128 = match suffix {
        "m" => return Ok(number.div_ceil(1000)),
        // Smaller amounts are asked for by nobody, and none is lost by rounding up.
        "u" | "n" => return Ok(1),
        "" => 1,
        "k" => 1000,
        "M" => 1000_u128.pow(2),
        "G" => 1000_u128.pow(3),
        "T" => 1000_u128.pow(4),
        "P" => 1000_u128.pow(5),
        "E" => 1000_u128.pow(6),
        "Ki" => 1 << 10,
        "Mi" => 1 << 20,
        "Gi" => 1 << 30,
        "Ti" => 1 << 40,
        "Pi" => 1 << 50,
        "Ei" => 1 << 60,
        other => {
            let exponent = other.strip_prefix(['e', 'E']).and_then(|power| power.parse::<u32>().ok());
            exponent.and_then(|power| 10_u128.checked_pow(power)).ok_or_else(wrong)?
        }
    };
    number.checked_mul(factor).ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_are_read_as_kubernetes_writes_them() {
        for (amount, thousandths) in [
            ("250m", 250),
            ("16", 16_000),
            ("1.5", 1500),
            ("70Mi", 70 * 1024 * 1024 * 1000),
            ("1e3", 1_000_000),
            ("2k", 2_000_000),
            ("5n", 1),
            ("0", 0),
        ] {
            assert_eq!(milli(amount), Ok(thousandths), "{amount}");
        }
        for amount in ["", "m", "1x", "x1", "1e99", "-1"] {
            assert!(milli(amount).is_err(), "{amount}");
        }
    }

    #[test]
    fn a_survey_asks_for_whole_cpus_and_for_huge_pages_that_are_there() {
        let allocatable = [
            ("cpu", "63770m"),
            ("memory", "1048576Ki"),
            ("hugepages-2Mi", "512Mi"),
            ("hugepages-1Gi", "0"),
            ("pods", "110"),
        ];
        let allocatable = allocatable.map(|(name, amount)| (name.to_owned(), amount.to_owned())).into();
        let room = Room::left(&allocatable, "100m 50m|70Mi 20Mi\n|\n1|34Mi\n").unwrap();
        let amounts: Vec<String> =
            room.amounts.iter().map(|(name, amount)| format!("{name} {amount}")).collect();
        assert_eq!(amounts, ["cpu 62", "hugepages-2Mi 512Mi", "memory 900Mi"]);
        let error = Room::left(&allocatable, "63|1Mi\n").unwrap_err();
        assert_eq!(error, "its pods leave only 0 whole CPUs and 1023 MiB of memory");
    }
}
