//! Writes the seed corpora below `fuzz/corpus/` from the repository's recordings and profiles.
//!
//! `cargo run --release --manifest-path fuzz/Cargo.toml --example seeds`

use std::error::Error;
use std::fs;
use std::path::Path;

use counsel::core::cast::{Cast, What};
use counsel::core::keys::{Input, Key, KeyPress};
use counsel::wire::keeper::{Exit, FromKeeper, ToKeeper};

/// Output of one recording in one seed, at most: small inputs are mutated faster.
const MAX_BYTES: usize = 24 * 1024;

fn main() -> Result<(), Box<dyn Error>> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.parent().ok_or("the repository is above fuzz/")?;
    let seed = |target: &str, name: &str, bytes: &[u8]| -> Result<(), Box<dyn Error>> {
        let dir = here.join("corpus").join(target);
        fs::create_dir_all(&dir)?;
        Ok(fs::write(dir.join(name), bytes)?)
    };
    for entry in fs::read_dir(root.join("profiles"))? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or("profile");
        seed("profile", name, &fs::read(&path)?)?;
    }
    for entry in fs::read_dir(root.join("tests/recordings"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|ext| ext != "cast") {
            continue;
        }
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or("recording").to_owned();
        let text = fs::read_to_string(&path)?;
        let mut short = String::new();
        for line in text.lines() {
            if short.len() + line.len() > MAX_BYTES {
                break;
            }
            short.push_str(line);
            short.push('\n');
        }
        seed("replay", &name, short.as_bytes())?;
        let cast = Cast::parse(&text)?;
        let mut printed = Vec::new();
        for event in &cast.events {
            match &event.what {
                What::Output(text) => printed.extend_from_slice(text.as_bytes()),
                What::Resize(size) => printed.extend([0xff, size.cols.min(250) as u8, size.rows.min(250) as u8]),
                What::Silent => {}
            }
        }
        let (cols, rows) = (cast.size.cols.min(250) as u8, cast.size.rows.min(250) as u8);
        // The newest output holds the dialog; a cut sequence at its head does no harm.
        let newest = &printed[printed.len().saturating_sub(MAX_BYTES)..];
        seed("detector", &name, &[&[cols, rows], newest].concat())?;
        seed("terminal", &name, &[&[cols, rows, 16], newest].concat())?;
    }
    wire(seed)
}

fn wire(seed: impl Fn(&str, &str, &[u8]) -> Result<(), Box<dyn Error>>) -> Result<(), Box<dyn Error>> {
    let inputs = [
        Input::Key(KeyPress::ctrl('c')),
        Input::Key(KeyPress::plain(Key::F(5))),
        Input::Text("hello".into()),
        Input::Paste("a\nb".into()),
        Input::Focus(true),
    ];
    for (number, input) in inputs.iter().enumerate() {
        seed("wire", &format!("input{number}"), &serde_json::to_vec(input)?)?;
    }
    seed("wire", "stop", &counsel::wire::encode(&ToKeeper::Stop { grace_ms: 5000 }))?;
    let exit = FromKeeper::Exited(Exit { code: Some(1), signal: None });
    seed("wire", "exited", &counsel::wire::encode(&exit))?;
    seed("wire", "hello", br#"{"id":1,"request":{"hello":{"version":1,"token":null}}}"#)?;
    for (number, name) in ["ctrl+alt+x", "enter", "F12", "shift+tab", "C-c"].iter().enumerate() {
        seed("wire", &format!("key{number}"), name.as_bytes())?;
    }
    Ok(())
}
