//! PNG, of any document with a picture: the same SVG, drawn with embedded fonts, so that it looks the same on every machine.

use resvg::tiny_skia::{Color, Pixmap, Transform};
use resvg::usvg::fontdb::Database;
use resvg::usvg::{Options, Tree};

/// Pixels of a unit of the picture: sharp on screens with many pixels.
const SCALE: f32 = 2.0;

/// More pixels are no picture that anybody opens: 256 MiB in memory.
const MOST_PIXELS: f32 = 67_108_864.0;

/// The picture in pixels.
///
/// # Errors
/// When it has too many.
pub(crate) fn png(svg: &str) -> Result<Vec<u8>, String> {
    let mut fonts = Database::new();
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family("DejaVu Sans");
    let options = Options { fontdb: fonts.into(), ..Options::default() };
    let tree = Tree::from_str(svg, &options).map_err(|error| error.to_string())?;
    let size = tree.size();
    let most = (MOST_PIXELS / (size.width() * size.height())).sqrt();
    let scale = SCALE.min(most);
    // Letters of one pixel are none.
    if scale < 0.5 {
        return Err(format!("it is too large for a bitmap: {} by {} units", size.width(), size.height()));
    }
    let pixels = |length: f32| (length * scale).ceil().max(1.0) as u32;
    let mut pixmap = Pixmap::new(pixels(size.width()), pixels(size.height())).ok_or("it is empty")?;
    pixmap.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="20" height="20" fill="#0072b2"/><text x="22" y="16" font-family="system-ui, sans-serif">W</text></svg>"##;

    #[test]
    fn a_picture_has_its_colours_and_its_letters() {
        let pixmap = Pixmap::decode_png(&png(SQUARE).unwrap()).unwrap();
        assert_eq!((pixmap.width(), pixmap.height()), (80, 40));
        let colour = pixmap.pixel(10, 10).unwrap();
        assert_eq!((colour.red(), colour.green(), colour.blue()), (0x00, 0x72, 0xb2));
        let dark = |x: u32| (0..40).any(|y| pixmap.pixel(x, y).unwrap().green() < 100);
        assert!((42..70).any(dark), "the letter is there");
    }

    #[test]
    fn a_picture_that_is_too_large_is_refused() {
        let large = SQUARE.replace(r#"width="40" height="20""#, r#"width="40000" height="40000""#);
        assert!(png(&large).unwrap_err().contains("40000"), "{:?}", png(&large));
    }
}
