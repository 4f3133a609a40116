//! Routes from addresses to handlers.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{Extension, MatchedPath, Request, State};
use axum::http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE, IF_NONE_MATCH, WWW_AUTHENTICATE};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode, Uri};
use axum::middleware::{Next, from_fn_with_state};
use axum::routing::{get, post};

use crate::access::{Asker, Barred, admit, logins_of, too_many};
use crate::answer::{Answer, JSON, MadeHere};
use crate::answering::{Question, answered};
use crate::blocking_turns::Lane;
use crate::body::throw_away;
use crate::login::{self, logged_in, logged_out, token_of};
use crate::metrics::metrics;
use crate::openapi::openapi_text;
use crate::operations::{OPERATIONS, Operation};
use crate::page_frame::{login_page, refusal_page};
use crate::parsed_query::{Parameter, QueryParameters, in_path, is_text};
use crate::refusal::Refusal;
use crate::request_context::Shape;
use crate::service::Service;
use crate::upload::{self, add, read_only, wrapped};

/// Prefix of the API.
pub(crate) const API: &str = "/api/v1";

type Shared = State<Arc<Service>>;

/// The address that a connection comes from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

pub(crate) fn router(service: Arc<Service>) -> Router {
    let mut router: Router<Arc<Service>> = Router::new();
    for operation in &OPERATIONS {
        let at = |shape: Shape| {
            get(
                move |State(service): Shared,
                      Extension(asked): Extension<QueryParameters>,
                      request: Request| {
                    operated(service, operation, shape, asked, request)
                },
            )
        };
        let api = at(Shape::Json);
        let api = if operation.path == "/results" { api.post(uploaded) } else { api };
        router =
            router.route(operation.page, at(Shape::Page)).route(&format!("{API}{}", operation.path), api);
    }
    router
        .route(&format!("{API}/openapi.json"), get(|| async { Answer::new(JSON, openapi_text()).response() }))
        // Browsers ask for it; there is none.
        .route("/favicon.ico", get(|| async { Answer::none().response() }))
        .route("/metrics", get(measured))
        .route("/login", get(|| async { login_page(false, "/").response() }).post(log_in))
        .route("/logout", post(log_out))
        .fallback(nowhere)
        .method_not_allowed_fallback(not_so)
        .layer(from_fn_with_state(Arc::clone(&service), guarded))
        .with_state(service)
}

/// Lets a request through if its asker may ask and it asks for what there is, and waits for its answer no longer than anyone would.
async fn guarded(State(service): Shared, mut request: Request, next: Next) -> Response<Body> {
    let is_login = request.uri().path() == "/login";
    let asker = Asker {
        token: service.token.as_ref(),
        sessions: &service.sessions,
        guesses: &service.guesses,
        address: peer(&request),
    };
    match admit(&asker, request.method(), request.headers(), is_login) {
        Ok(()) => {}
        Err(Barred::Refused(refusal)) => return refused(&refusal, request.uri(), &service),
        Err(Barred::Unknown) => return unknown(request.method(), request.uri(), &service),
    }
    match asked(&request) {
        Ok(asked) => request.extensions_mut().insert(asked),
        Err(refusal) => return refused(&refusal, request.uri(), &service),
    };
    let uri = request.uri().clone();
    match tokio::time::timeout(service.limits.answer, next.run(request)).await {
        Ok(response) if response.extensions().get::<MadeHere>().is_some() => response,
        // It is none of ours, but one that axum has for what it does not let through.
        Ok(response) => refused(&refusal_of(response.status()), &uri, &service),
        Err(_) => refused(&service.turns.late(), &uri, &service),
    }
}

/// What a request asks for, by the parameters of its operation.
fn asked(request: &Request) -> Result<QueryParameters, Refusal> {
    let (path, query) = (request.uri().path(), request.uri().query().unwrap_or_default());
    if !is_text(path) || !is_text(query) {
        let hint = "escape each byte of UTF-8 as `%` and two hexadecimal digits, and `%` itself as `%25`";
        return Err(Refusal::bad("invalid encoding in the address", hint));
    }
    let Some(matched) = request.extensions().get::<MatchedPath>() else {
        return Ok(QueryParameters::default());
    };
    let template = matched.as_str();
    QueryParameters::read(parameters(request.method(), template), &in_path(template, path), query)
}

/// The parameters of what is asked at an address: those of its operation, and none anywhere else.
fn parameters(method: &Method, template: &str) -> &'static [Parameter] {
    let path = template.strip_prefix(API).unwrap_or_default();
    if method == Method::POST {
        return if path == "/results" { &upload::PARAMETERS } else { &[] };
    }
    let is_of = |operation: &&Operation| operation.page == template || operation.path == path;
    OPERATIONS.iter().find(is_of).map_or(&[], |operation| operation.parameters)
}

/// Programs get JSON, browsers pages.
fn shape_of(path: &str) -> Shape {
    if path.starts_with("/api/") || path == "/metrics" { Shape::Json } else { Shape::Page }
}

fn refused(refusal: &Refusal, uri: &Uri, service: &Service) -> Response<Body> {
    match shape_of(uri.path()) {
        Shape::Page => refusal_page(refusal, uri.path(), service.token.is_some()).response(),
        Shape::Json => {
            let text = serde_json::to_string(&refusal.problem).unwrap_or_default();
            Answer { status: refusal.status, ..Answer::new(JSON, text) }.response()
        }
    }
}

/// The answer to whoever has not shown the token.
fn unknown(method: &Method, uri: &Uri, service: &Service) -> Response<Body> {
    let mut response = match shape_of(uri.path()) {
        Shape::Page => {
            // What was sent is lost: only a page that was asked for is asked for again.
            let to = uri.path_and_query().filter(|_| method == Method::GET);
            login_page(false, to.map_or("/", PathAndQuery::as_str)).response()
        }
        Shape::Json => {
            let hint = "send `Authorization: Bearer TOKEN`, or log in at /login".to_owned();
            let refusal = Refusal::new(StatusCode::UNAUTHORIZED, "access token required", Some(hint));
            refused(&refusal, uri, service)
        }
    };
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"zerohop\""));
    response
}

fn sent(done: Result<Answer, Refusal>, uri: &Uri, service: &Service) -> Response<Body> {
    match done {
        Ok(answer) => answer.response(),
        Err(refusal) => refused(&refusal, uri, service),
    }
}

fn head(heads: &HeaderMap, name: &HeaderName) -> String {
    heads.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
}

async fn operated(
    service: Arc<Service>,
    operation: &'static Operation,
    shape: Shape,
    asked: QueryParameters,
    request: Request,
) -> Response<Body> {
    let address = request.uri().to_string();
    let marks = head(request.headers(), &IF_NONE_MATCH);
    let question = Question { operation, shape, asked, address, marks };
    sent(answered(Arc::clone(&service), question).await, request.uri(), &service)
}

async fn measured(State(service): Shared, uri: Uri, heads: HeaderMap) -> Response<Body> {
    let accepted = head(&heads, &ACCEPT);
    let own = Arc::clone(&service);
    let stop = service.turns.stop.part();
    let done = service.turns.work(Lane::Light, &stop, move |_| metrics(&own, &accepted)).await;
    sent(done, &uri, &service)
}

async fn uploaded(
    State(service): Shared,
    Extension(asked): Extension<QueryParameters>,
    request: Request,
) -> Response<Body> {
    let uri = request.uri().clone();
    let done = upload(Arc::clone(&service), asked, request).await;
    sent(done, &uri, &service)
}

async fn upload(service: Arc<Service>, asked: QueryParameters, request: Request) -> Result<Answer, Refusal> {
    if let Some(refusal) = unwanted(&service, request.headers()) {
        throw_away(request, 2 * upload::LONGEST).await;
        return Err(refusal);
    }
    // All of it is here before its turn: whoever sends slowly keeps nobody waiting.
    let body = service.bodies.read(request, upload::LONGEST, None, &service.limits).await?;
    let own = Arc::clone(&service);
    let work = move |stop: &_| add(&own, &asked, body, stop);
    service.turns.work(Lane::Upload, &service.turns.stop.part(), work).await
}

/// The refusal of an upload for what its head says, if request rejected.
fn unwanted(service: &Service, heads: &HeaderMap) -> Option<Refusal> {
    if service.read_only {
        return Some(read_only());
    }
    wrapped(&head(heads, &CONTENT_TYPE), &head(heads, &CONTENT_ENCODING))
}

/// Where a request comes from.
fn peer(request: &Request) -> IpAddr {
    request.extensions().get::<Peer>().map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |Peer(address)| *address)
}

async fn log_in(State(service): Shared, heads: HeaderMap, request: Request) -> Response<Body> {
    let (address, now, uri) = (peer(&request), Instant::now(), request.uri().clone());
    if !service.guesses.may(address, now) {
        return refused(&too_many(), &uri, &service);
    }
    let form =
        match service.bodies.read(request, login::LONGEST, Some(service.limits.login), &service.limits).await
        {
            Ok(form) => form,
            Err(refusal) => return refused(&refusal, &uri, &service),
        };
    let to = login::target_of(&form.bytes);
    match &service.token {
        Some(token) if token.is(&token_of(&form.bytes)) => match service.sessions.begin(now) {
            Some(session) => logged_in(&session, &to, &heads),
            None => {
                let words = "cannot log in: the system has no random numbers";
                refused(&Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, words, None), &uri, &service)
            }
        },
        Some(_) => {
            service.guesses.wrong(address, now);
            login_page(true, &to).response()
        }
        // Without a token, everyone is in.
        None => logged_out(&heads),
    }
}

async fn log_out(State(service): Shared, heads: HeaderMap) -> Response<Body> {
    logins_of(&heads).for_each(|session| service.sessions.end(session));
    logged_out(&heads)
}

/// The refusal of what axum does not let through.
fn refusal_of(status: StatusCode) -> Refusal {
    let words = status.canonical_reason().unwrap_or("request rejected").to_lowercase();
    Refusal::new(status, &words, Some(format!("{API}/openapi.json lists all addresses")))
}

async fn nowhere(State(service): Shared, request: Request) -> Response<Body> {
    let (words, hint) = match shape_of(request.uri().path()) {
        Shape::Json => ("not found", format!("{API}/openapi.json lists all addresses")),
        Shape::Page => {
            ("there is no page at this address", "it may have been mistyped, or cut off".to_owned())
        }
    };
    refused(&Refusal::new(StatusCode::NOT_FOUND, words, Some(hint)), request.uri(), &service)
}

async fn not_so(State(service): Shared, request: Request) -> Response<Body> {
    let hint = Some(format!("{API}/openapi.json lists all addresses"));
    let refusal = Refusal::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed", hint);
    refused(&refusal, request.uri(), &service)
}
