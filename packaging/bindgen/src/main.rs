//! `bindgen MODULE FOLDER`: what the program `wasm-bindgen` does for the explorer. Its library alone compiles in a tenth of the time.

use std::{env, error::Error};

use wasm_bindgen_cli_support::Bindgen;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = env::args_os().skip(1);
    let (Some(module), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: bindgen MODULE FOLDER".into());
    };
    Bindgen::new()
        .input_path(module)
        .no_modules(true)?
        .typescript(false)
        .remove_name_section(true)
        .remove_producers_section(true)
        .out_name("explorer")
        .generate(folder)?;
    Ok(())
}
