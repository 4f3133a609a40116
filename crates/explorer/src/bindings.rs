//! The door between a page and this crate.

use std::cell::RefCell;
use std::panic;

use js_sys::Function;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::explorer::Explorer;

thread_local! {
    static EXPLORER: Explorer = Explorer::default();
    static LISTENER: RefCell<Option<Function>> = const { RefCell::new(None) };
    static MET: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps what a bug says: all that a page hears of it is that the module ended.
#[wasm_bindgen(start)]
pub fn start() {
    panic::set_hook(Box::new(|bug| MET.with(|met| *met.borrow_mut() = bug.to_string())));
}

/// The bug that ended the module, in words.
#[wasm_bindgen]
pub fn met() -> String {
    MET.with(RefCell::take)
}

/// The answer to a question, both as JSON. `progress` is called with how much is done, and of how much.
#[wasm_bindgen]
pub fn answer(question: &str, progress: &Function) -> String {
    LISTENER.with(|listener| *listener.borrow_mut() = Some(progress.clone()));
    EXPLORER.with(|explorer| explorer.answer(question, &tell))
}

fn tell(done: usize, of: usize) {
    let listener = LISTENER.with(|listener| listener.borrow().clone());
    if let Some(listener) = listener {
        // A page that does not listen misses nothing else.
        let _ = listener.call2(&JsValue::NULL, &JsValue::from(done as u32), &JsValue::from(of as u32));
    }
}
