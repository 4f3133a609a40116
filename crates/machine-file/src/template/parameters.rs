//! The parameters of a template, for people.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zerohop_document::{KeyDeclaration, Parameter, Sort, Value};

use super::plan::{Plan, counted};
use super::tables::{KnownTable, Structure, TemplateTable};
use super::words::KNOWN;

/// A parameter of a template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TemplateParameter {
    /// Name of the parameter, as `--set` accepts it; includes the table if the parameter cannot be set.
    pub name: String,
    /// Whether `--set` can change the parameter.
    pub can_be_set: bool,
    /// Meaning of the parameter.
    pub meaning: String,
    /// Unit of the value.
    pub unit: String,
    /// Value of the parameter, unless another is set; absent if it has none.
    pub value: Option<String>,
    /// Lower and upper bounds, if the template states any.
    pub bounds: Option<[String; 2]>,
    /// Source of the value.
    pub source: Option<String>,
}

/// Names of a buyer's knowledge.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    KnownTable::declaration().keys.into_iter().map(|key| key.key)
}

/// Whether a buyer knows a parameter of that name.
pub(super) fn is_known(name: &str) -> bool {
    names().any(|known| known == name)
}

/// A value as it was typed, with the unit in which the template lists the parameter if it is a number alone.
pub(super) fn in_listed_unit(typed: &str, name: &str, tree: &Value) -> String {
    let listed = tree.entry(KNOWN).and_then(|known| known.value.entry(name)?.value.text().cloned());
    let bound = || {
        let keys = KnownTable::declaration().keys;
        keys.iter().find(|key| key.key == name).map(|key| bounds(key)[0].clone())
    };
    match listed.or_else(bound).as_deref().and_then(|listed| listed.split_once(' ')) {
        Some((number, unit)) if number.parse::<f64>().is_ok() && typed.parse::<f64>().is_ok() => {
            format!("{typed} {unit}")
        }
        _ => typed.to_owned(),
    }
}

/// Parameters of a template: first a buyer's knowledge, then the derived properties of the generation.
pub(super) fn parameters(values: &[Parameter], table: &TemplateTable) -> Vec<TemplateParameter> {
    let most = |name: &str| {
        let path = format!("most.{name}");
        values.iter().find(|one| one.path == path).map(|one| one.value.clone())
    };
    let known = KnownTable::declaration().keys.into_iter();
    let known = known.filter(|key| means_something(key.key, table)).map(|key| {
        let found = values.iter().find(|one| one.path == format!("{KNOWN}.{}", key.key));
        let [least, mut largest] = bounds(&key);
        if let Some(most) = most(key.key) {
            largest = most;
        }
        TemplateParameter {
            name: key.key.to_owned(),
            can_be_set: true,
            meaning: key.meaning.clone(),
            unit: unit(&key.sort),
            value: found
                .map(|one| one.value.clone())
                .or(key.default.as_ref().map(|(shown, _)| shown.clone())),
            bounds: Some([least, largest]),
            source: found.map(|one| one.source.clone()),
        }
    });
    let declared = super::tables::GenerationTable::declaration().keys;
    let generation = declared.into_iter().filter_map(|key| {
        let name = format!("generation.{}", key.key);
        let found = values.iter().find(|one| one.path == name)?;
        Some(TemplateParameter {
            name,
            can_be_set: false,
            meaning: key.meaning.clone(),
            unit: unit(&key.sort),
            value: Some(found.value.clone()),
            bounds: Some(bounds(&key)),
            source: Some(found.source.clone()),
        })
    });
    known.chain(generation).collect()
}

/// Whether a parameter means something for this template.
pub(super) fn means_something(name: &str, table: &TemplateTable) -> bool {
    match name {
        "ccds" | "gmi" => table.structure == Structure::Chiplets,
        "hbm" => table.generation.hbm_read.is_some(),
        "links" | "link_rate" | "remote" => table.most.sockets.value > 1,
        _ => true,
    }
}

fn unit(sort: &Sort) -> String {
    match sort {
        Sort::Quantity { unit, .. } => (*unit).to_owned(),
        _ => "text".to_owned(),
    }
}

fn bounds(key: &KeyDeclaration) -> [String; 2] {
    match (&key.bounds, &key.sort) {
        (Some([least, most]), _) => [least.0.clone(), most.0.clone()],
        (None, Sort::Quantity { limits: Some(limits), .. }) => limits.clone(),
        _ => [String::new(), String::new()],
    }
}

/// Properties that nobody stated and that affect bandwidth, in words.
pub(super) fn assumed(plan: &Plan<'_>) -> Vec<String> {
    let known = &plan.known;
    let (joined, _) = plan.joined();
    let mut all = vec![
        ("channels", format!("{} of the memory channels of a socket are populated", known.channels)),
        ("rate", format!("the memory runs at {}", known.rate)),
        ("dimms", format!("{} a channel", counted(known.dimms, "DIMM"))),
        (
            "nodes",
            match known.nodes {
                1 => "one NUMA node per socket (SNC, COD and NPS off)".to_owned(),
                nodes => format!("{nodes} NUMA nodes per socket"),
            },
        ),
    ];
    if known.sockets > 1 {
        let wired = counted(joined, "link");
        let verb = if joined == 1 { "is" } else { "are" };
        all.push(("links", format!("{wired} between two sockets {verb} wired")));
        all.push(("link_rate", format!("the links run at {}", known.link_rate)));
    }
    if plan.structure == Structure::Chiplets {
        all.push(("ccds", format!("{} a socket", counted(known.ccds.unwrap_or(1), "CPU die"))));
        let gmi = counted(known.gmi.unwrap_or(1), "GMI link");
        all.push(("gmi", format!("{gmi} from each CPU die")));
    }
    if plan.cxl() > 0 {
        all.push(("cxl_read", "a CXL device with eight lanes and its own controller (ASIC)".to_owned()));
    }
    // What a maker publishes of a processor says how it is put together, but not how a machine is wired and populated.
    let is_published = |path: &str| {
        plan.parameter(path).is_some_and(|found| found.grade == zerohop_document::Grade::Documented)
    };
    let unstated = all.into_iter().filter(|(name, _)| {
        let path = format!("{KNOWN}.{name}");
        !(plan.is_given(&path) || matches!(*name, "ccds" | "gmi") && is_published(&path))
    });
    unstated.map(|(_, words)| words).collect()
}
