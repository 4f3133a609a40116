//! Templates of machines: all of them, and one with its parameters.

use serde_json::json;
use zerohop_machine_file::{Template, TemplateParameter};

use crate::pages::{template_list, template_page};
use crate::pretty::pretty;
use crate::render::{Document, Views};
use crate::table::Table;

/// The templates of machines.
#[derive(Debug, Clone, Copy)]
pub struct TemplateList<'a>(pub &'a [Template]);

impl Document for TemplateList<'_> {
    const NAME: &'static str = "a list of templates";
    const VIEWS: Views<Self> = Views {
        page: Some(|list, style| template_list(list.0, style)),
        json: Some(|list| {
            let each =
                list.0.iter().map(|template| json!({ "name": template.name(), "title": template.title() }));
            pretty(&serde_json::Value::Array(each.collect()))
        }),
        rows: Some(|list| {
            let each = || list.0.iter();
            Table::new()
                .words("template", each().map(|template| template.name().to_owned()))
                .words("title", each().map(|template| template.title().to_owned()))
        }),
        ..Views::NONE
    };
}

/// A template with its parameters.
#[derive(Debug, Clone, Copy)]
pub struct TemplateParameters<'a>(pub &'a Template);

impl Document for TemplateParameters<'_> {
    const NAME: &'static str = "a template";
    const VIEWS: Views<Self> = Views {
        page: Some(|of, style| template_page(of.0, style)),
        json: Some(|of| {
            let (name, title) = (of.0.name(), of.0.title());
            pretty(&json!({ "name": name, "title": title, "parameters": of.0.parameters() }))
        }),
        rows: Some(|of| parameters(&of.0.parameters())),
        ..Views::NONE
    };
}

/// One row per parameter.
fn parameters(parameters: &[TemplateParameter]) -> Table {
    let each = || parameters.iter();
    let text = |value: &Option<String>| value.clone().unwrap_or_default();
    let bound = |rank: usize| {
        each().map(move |one| one.bounds.as_ref().map_or(String::new(), |bounds| bounds[rank].clone()))
    };
    Table::new()
        .words("parameter", each().map(|one| one.name.clone()))
        .words("unit", each().map(|one| one.unit.clone()))
        .words("value", each().map(|one| text(&one.value)))
        .words("least", bound(0))
        .words("most", bound(1))
        .words("meaning", each().map(|one| one.meaning.clone()))
        .words("source", each().map(|one| text(&one.source)))
}
