//! Renders any document in any format that it has, by one call.
//!
//! ```text
//! document/*.rs   the forms of a document: a page, a value, rows, a picture, …
//! form.rs         the forms, their names and endings
//! csv.rs, …       a form of any document
//! ```

use crate::csv::{Columns, csv};
use crate::form::Form;
use crate::html::{
    Elements, Part, Story, SurroundedPage, Surroundings, WIDE, element, elements, html_file, surrounded_page,
};
use crate::mess::NotMess;
use crate::mlc::NotMlc;
use crate::openmetrics::{Metric, openmetrics};
use crate::page::Page;
use crate::pages::{Style, text};
use crate::svg::NoLoad;
use crate::table::Table;

/// Something that can be shown. Its views determine its formats.
pub trait Document {
    /// Its name in messages (`a sweep`).
    const NAME: &'static str;
    /// Its views. A document leaves out those that it does not have.
    const VIEWS: Views<Self>;
}

/// Writes a view that a document may turn out not to have.
type Write<D> = fn(&D) -> Result<String, RenderError>;

/// The views of a document.
pub struct Views<D: ?Sized> {
    pub(crate) page: Option<fn(&D, &Style) -> Page>,
    pub(crate) json: Option<fn(&D) -> String>,
    pub(crate) rows: Option<fn(&D) -> Table>,
    pub(crate) picture: Option<Write<D>>,
    /// Output of Intel's Memory Latency Checker.
    pub(crate) mlc: Option<Write<D>>,
    /// Curves of the Mess benchmark.
    pub(crate) mess: Option<Write<D>>,
    /// Web page, if that is more than the page, the picture and the JSON.
    pub(crate) story: Option<fn(&D) -> Story>,
    pub(crate) markdown: Option<fn(&D) -> String>,
    pub(crate) hwloc: Option<fn(&D) -> String>,
    /// Source of a firmware table.
    pub(crate) slit: Option<fn(&D) -> String>,
    /// Machine file.
    pub(crate) toml: Option<fn(&D) -> String>,
    pub(crate) metrics: Option<fn(&D) -> Vec<Metric>>,
}

/// A document in a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rendered {
    Text(String),
    Binary(Vec<u8>),
}

/// Reason why a document cannot be shown in a format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// It has no such format.
    #[error("{document} has no format `{form}`")]
    NoForm {
        document: &'static str,
        form: Form,
        /// The formats that it has.
        has: Vec<Form>,
    },
    /// Intel's Memory Latency Checker has no such output.
    #[error(transparent)]
    NotMlc(#[from] NotMlc),
    /// It has no curves.
    #[error(transparent)]
    NotMess(#[from] NotMess),
    /// There is nothing to draw.
    #[error(transparent)]
    NoLoad(#[from] NoLoad),
    /// The rows cannot be written as Parquet.
    #[error("cannot write the rows as Parquet: {0}")]
    Parquet(String),
    /// The picture cannot be drawn in pixels.
    #[error("cannot draw the picture as PNG: {0}")]
    Png(String),
}

impl RenderError {
    /// Hint for the user.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::NoForm { has, .. } => {
                let has: Vec<&str> = has.iter().map(|form| form.name()).collect();
                Some(format!("it has {}", has.join(", ")))
            }
            Self::NotMlc(error) => Some(error.hint()),
            Self::NotMess(error) => Some(error.hint()),
            Self::NoLoad(error) => Some(error.hint().into()),
            Self::Parquet(_) => None,
            Self::Png(_) => Some("save it as .svg".to_owned()),
        }
    }
}

impl<D: ?Sized> Views<D> {
    pub(crate) const NONE: Self = Self {
        page: None,
        json: None,
        rows: None,
        picture: None,
        mlc: None,
        mess: None,
        story: None,
        markdown: None,
        hwloc: None,
        slit: None,
        toml: None,
        metrics: None,
    };

    const fn have(&self, form: Form) -> bool {
        match form {
            Form::Page => self.page.is_some(),
            Form::Json => self.json.is_some(),
            Form::Csv => self.rows.is_some(),
            Form::Parquet => cfg!(feature = "parquet") && self.rows.is_some(),
            Form::Svg => self.picture.is_some(),
            Form::Png => cfg!(feature = "png") && self.picture.is_some(),
            Form::Mlc => self.mlc.is_some(),
            Form::Mess => self.mess.is_some(),
            Form::Markdown => self.markdown.is_some(),
            Form::Html => self.page.is_some(),
            Form::Hwloc => self.hwloc.is_some(),
            Form::Slit => self.slit.is_some(),
            Form::Toml => self.toml.is_some(),
            Form::OpenMetrics => self.metrics.is_some(),
        }
    }
}

impl Rendered {
    /// The bytes of the output.
    pub fn into_bytes(self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.into_bytes(),
            Self::Binary(bytes) => bytes,
        }
    }
}

/// The formats that a document of this kind has.
pub fn forms<D: Document + ?Sized>() -> Vec<Form> {
    Form::ALL.into_iter().filter(|form| D::VIEWS.have(*form)).collect()
}

/// The document in that format. `style` is the style of pages.
///
/// # Errors
/// When it has no such format, or its content cannot be shown in it.
pub fn render<D: Document + ?Sized>(
    document: &D,
    form: Form,
    style: &Style,
) -> Result<Rendered, RenderError> {
    render_columns(document, form, style, Columns::default())
}

/// Renders with these columns of CSV.
///
/// # Errors
/// As [`render`].
pub fn render_columns<D: Document + ?Sized>(
    document: &D,
    form: Form,
    style: &Style,
    columns: Columns,
) -> Result<Rendered, RenderError> {
    let views = D::VIEWS;
    let text = match form {
        Form::Page => views.page.map(|page| Ok(text(&page(document, style)))),
        Form::Json => views.json.map(|json| Ok(json(document))),
        Form::Csv => views.rows.map(|rows| Ok(csv(&rows(document), columns))),
        Form::Parquet => {
            return views.rows.map_or_else(|| Err(no_form::<D>(form)), |rows| parquet(&rows(document)));
        }
        Form::Svg => views.picture.map(|picture| picture(document)),
        Form::Png => {
            return views.picture.map_or_else(|| Err(no_form::<D>(form)), |picture| png(&picture(document)?));
        }
        Form::Mlc => views.mlc.map(|mlc| mlc(document)),
        Form::Mess => views.mess.map(|mess| mess(document)),
        Form::Html => views.page.map(|page| Ok(html_file(&story(document, &views, page)))),
        Form::Markdown => views.markdown.map(|markdown| Ok(markdown(document))),
        Form::Hwloc => views.hwloc.map(|hwloc| Ok(hwloc(document))),
        Form::Slit => views.slit.map(|slit| Ok(slit(document))),
        Form::Toml => views.toml.map(|toml| Ok(toml(document))),
        Form::OpenMetrics => views.metrics.map(|metrics| Ok(openmetrics(metrics(document)))),
    };
    text.unwrap_or_else(|| Err(no_form::<D>(form))).map(Rendered::Text)
}

/// The document as a web page that is one of many.
///
/// # Errors
/// When it has no page.
pub fn render_surrounded<D: Document + ?Sized>(
    document: &D,
    around: &Surroundings<'_>,
) -> Result<SurroundedPage, RenderError> {
    let views = D::VIEWS;
    let page = views.page.ok_or_else(|| no_form::<D>(Form::Html))?;
    Ok(surrounded_page(&story(document, &views, page), around))
}

/// Content of the document's web page, as elements of a larger page: its page and its picture. Pictures of that page are distinguished by their
/// ranks; `first` is the rank of the first one here.
///
/// # Errors
/// If it has no page.
pub fn render_elements<D: Document + ?Sized>(document: &D, first: usize) -> Result<Elements, RenderError> {
    let views = D::VIEWS;
    let page = views.page.ok_or_else(|| no_form::<D>(Form::Html))?;
    Ok(elements(&story(document, &views, page), first))
}

/// Picture of a document as an element of another page; its rank distinguishes it from others of that page.
///
/// # Errors
/// If it has none, or there is nothing to draw.
pub fn render_picture<D: Document + ?Sized>(document: &D, rank: usize) -> Result<String, RenderError> {
    let picture = D::VIEWS.picture.ok_or_else(|| no_form::<D>(Form::Svg))?;
    let part = Part::Picture { name: D::NAME.replace(' ', "-"), svg: picture(document)? };
    Ok(element(rank, &part))
}

/// What a web page of the document shows: its page and its picture, unless it has a story of its own.
fn story<D: Document + ?Sized>(document: &D, views: &Views<D>, page: fn(&D, &Style) -> Page) -> Story {
    if let Some(story) = views.story {
        return story(document);
    }
    let picture = views.picture.and_then(|picture| picture(document).ok());
    let picture = picture.map(|svg| Part::Picture { name: D::NAME.replace(' ', "-"), svg });
    Story {
        name: D::NAME,
        parts: std::iter::once(Part::Page(page(document, &WIDE))).chain(picture).collect(),
        data: views.json.map(|json| json(document)).into_iter().collect(),
    }
}

fn no_form<D: Document + ?Sized>(form: Form) -> RenderError {
    RenderError::NoForm { document: D::NAME, form, has: forms::<D>() }
}

#[cfg(feature = "parquet")]
fn parquet(rows: &Table) -> Result<Rendered, RenderError> {
    let bytes = crate::parquet::parquet(rows).map_err(|error| RenderError::Parquet(error.to_string()))?;
    Ok(Rendered::Binary(bytes))
}

#[cfg(not(feature = "parquet"))]
fn parquet(_: &Table) -> Result<Rendered, RenderError> {
    Err(RenderError::Parquet("this zerohop was built without it".to_owned()))
}

#[cfg(feature = "png")]
fn png(svg: &str) -> Result<Rendered, RenderError> {
    crate::png::png(svg).map(Rendered::Binary).map_err(RenderError::Png)
}

#[cfg(not(feature = "png"))]
fn png(_: &str) -> Result<Rendered, RenderError> {
    Err(RenderError::Png("this zerohop was built without it".to_owned()))
}
