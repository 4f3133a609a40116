//! Templates by name or by file.

use std::path::Path;
use std::sync::Arc;

use zerohop_machine_file::Template;

use super::error::TemplateError;
use super::errors::known_errors;
use super::processor_aliases;
use crate::built_in::{is_file, template_names, template_text};
use crate::files::Files;
use crate::name::nearest;
use crate::wrong_machine::WrongMachine;

/// The template of that name: a built-in one, unless the name contains `/` or ends in `.toml`.
///
/// # Errors
/// When there is no template of that name, or its file is wrong.
pub fn template(name: &str, files: &dyn Files) -> Result<Arc<Template>, TemplateError> {
    let instead = "`zerohop machine templates` lists the built-in templates";
    let (file, text) = if is_file(name) {
        (name.to_owned(), files.read_text(Path::new(name), instead)?)
    } else {
        let name = built_in_name(name).ok_or_else(|| no_template(name))?;
        let text = template_text(name).ok_or_else(|| no_template(name))?;
        (format!("templates/{name}.toml"), text.to_owned())
    };
    let template = Template::parse(&file, &text).map_err(WrongMachine)?;
    Ok(Arc::new(template.with_errors(known_errors().phrases())))
}

/// The name of the built-in template that a name means.
pub(super) fn built_in_name(name: &str) -> Option<&str> {
    if template_text(name).is_some() { Some(name) } else { processor_aliases::meant(name) }
}

fn no_template(name: &str) -> TemplateError {
    let known: Vec<&str> = template_names().collect();
    let are = format!("there are {}", known.join(", "));
    let meant = nearest(name, &known).map_or(are, |meant| format!("did you mean `{meant}`?"));
    TemplateError::NoTemplate { name: name.to_owned(), meant }
}
