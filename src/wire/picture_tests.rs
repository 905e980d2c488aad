//! Pictures come through as they were, whatever else comes is refused, and the form stays as it is.

use proptest::prelude::*;

use super::*;

fn color() -> impl Strategy<Value = Color> {
    prop_oneof![
        Just(Color::Default),
        any::<u8>().prop_map(Color::Indexed),
        any::<(u8, u8, u8)>().prop_map(|(r, g, b)| Color::Rgb(r, g, b)),
    ]
}

fn run() -> impl Strategy<Value = Run> {
    let style = (color(), color(), any::<u16>(), color());
    let style = style.prop_map(|(fg, bg, attrs, underline)| Style { fg, bg, attrs: Attrs(attrs), underline });
    let link = ("[a-z]{0,2}", "https://[a-b]{1,2}");
    let link = prop::option::of(link.prop_map(|(id, uri)| Arc::new(Link { id: id.into(), uri: uri.into() })));
    ("[a-z ─漢]{1,6}", style, 1u8..=2, any::<bool>(), link)
        .prop_map(|(text, style, width, cluster, link)| Run { text, style, width, cluster, link })
}

fn line() -> impl Strategy<Value = Line> {
    (prop::collection::vec(run(), 0..5), any::<bool>()).prop_map(|(runs, wrapped)| Line { runs, wrapped })
}

fn modes() -> impl Strategy<Value = Modes> {
    (0u16..1 << 11, any::<u8>()).prop_map(|(bits, kitty)| modes_of(bits, kitty))
}

fn picture() -> impl Strategy<Value = Picture> {
    let rows = prop::collection::btree_map(0u16..50, line(), 0..20);
    let cursor = (any::<u16>(), any::<u16>(), any::<bool>(), 0u8..128);
    (30u16..=1000, 50u16..=1000, rows, cursor, modes(), ".{0,40}").prop_map(
        |(cols, height, rows, (row, col, visible, shape), modes, title)| Picture {
            size: Size { cols, rows: height },
            rows: rows.into_iter().collect(),
            cursor: Cursor { row, col, visible, shape },
            modes,
            title,
        },
    )
}

proptest! {
    #[test]
    fn a_picture_comes_through_as_it_was(agent in "[a-z0-9_-]{1,32}", picture in picture()) {
        let mut bytes = Vec::new();
        encode(&agent, &picture, &mut bytes);
        prop_assert_eq!(decode(&bytes), Ok((agent, picture)));
    }

    #[test]
    fn any_bytes_are_a_picture_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok((agent, picture)) = decode(&bytes) {
            let mut again = Vec::new();
            encode(&agent, &picture, &mut again);
            prop_assert_eq!(decode(&again), Ok((agent, picture)));
        }
    }

    /// Nearly sound bytes get further into the decoder than noise does.
    #[test]
    fn a_picture_with_one_byte_wrong_or_its_end_missing_is_read_or_refused(
        picture in picture(), at in any::<prop::sample::Index>(), byte in any::<u8>()
    ) {
        let mut bytes = Vec::new();
        encode("a", &picture, &mut bytes);
        let at = at.index(bytes.len());
        prop_assert!(decode(&bytes[..at]).is_err());
        bytes[at] = byte;
        let _ = decode(&bytes);
    }
}

/// One of each: names, modes, a plain row, colours, a wide glyph, a cluster, a wrapped row, links.
fn example() -> Picture {
    let style = |fg, bg, attrs| Style { fg, bg, attrs, ..Style::default() };
    let run =
        |text: &str, style, width, cluster| Run { text: text.into(), style, width, cluster, link: None };
    let plain = Style::default();
    let red = style(Color::Indexed(1), Color::Default, Attrs::BOLD);
    let on_blue = style(Color::Default, Color::Rgb(1, 2, 255), Attrs::default());
    let first = Line { runs: vec![run("$ ls", plain, 1, false), run("x", red, 1, false)], wrapped: false };
    let second =
        Line { runs: vec![run("漢", on_blue, 2, false), run("e\u{301}", plain, 1, true)], wrapped: true };
    let link = Some(Arc::new(Link { id: "".into(), uri: "http://a".into() }));
    let curly = Style { underline: Color::Indexed(9), ..style(Color::Default, Color::Default, Attrs(0x108)) };
    let links =
        [Run { link: link.clone(), ..run("y", plain, 1, false) }, Run { link, ..run("z", curly, 1, false) }];
    let third = Line { runs: links.to_vec(), wrapped: false };
    Picture {
        size: Size { cols: 220, rows: 50 },
        rows: vec![(0, first), (7, second), (8, third), (49, Line::default())],
        cursor: Cursor { row: 7, col: 3, visible: true, shape: 5 },
        modes: Modes { bracketed_paste: true, alternate_screen: true, kitty: 3, ..Modes::default() },
        title: "at work".into(),
    }
}

/// The frame letter for letter. Another form needs another version of the protocol.
#[test]
fn the_form_of_a_picture_stays_as_it_is() {
    let golden = [
        &b"\x03api\xdc\x01\x32\x07\x03\x85\x07at work\x04\x02\x03\x04"[..],
        &b"\x00\x04\x00\x04$ ls\x11\x01\x01\x01x"[..],
        &b"\x07\x05\x2c\x01\x02\xff\x03\xe6\xbc\xa2\x40\x03e\xcc\x81"[..],
        &b"\x08\x04\x80\x04\x00\x00\x08http://a\x01y\x90\x05\x88\x02\x09\x00\x01z"[..],
        &b"\x31\x00"[..],
    ]
    .concat();
    let mut bytes = Vec::new();
    encode("api", &example(), &mut bytes);
    assert_eq!(bytes, golden);
    assert_eq!(decode(&golden), Ok(("api".to_owned(), example())));
}

#[test]
fn no_picture_is_larger_than_a_screen() {
    let refused = |edit: fn(&mut Picture)| {
        let mut picture = example();
        edit(&mut picture);
        let mut bytes = Vec::new();
        encode("a", &picture, &mut bytes);
        decode(&bytes).expect_err("not a picture of any screen")
    };
    refused(|picture| picture.size.cols = 0);
    refused(|picture| picture.size.rows = 1001);
    refused(|picture| picture.rows[3].0 = 50);
    refused(|picture| picture.rows[3].0 = 7);
    refused(|picture| picture.rows[0].1.runs[0].text = "x".repeat(221));
    refused(|picture| picture.rows[0].1.runs[0].text.clear());
    let mut trailing = Vec::new();
    encode("a", &example(), &mut trailing);
    trailing.push(0);
    assert_eq!(decode(&trailing), Err(Malformed("bytes after its end")));
}
