//! What hides a request for consent, what ends it, and every recording in which there is one.

use super::*;

/// Rows that were drawn over those of a request: a rule's "Yes" went to what its program had in that place, and so did one
/// whose highlight was drawn elsewhere.
#[test]
fn a_request_whose_rows_were_drawn_over_is_another_one() {
    let request = REQUEST
        .replace("  2. No", "  2. Yes, and don't ask again for commands that start with `rm` (p)\r\n  3. No");
    let rows = "\x1b[6;1H\x1b[K› 1. No way\x1b[7;1H\x1b[K  2. Yes, proceed (y)\x1b[8;1H\x1b[K";
    let highlight = "\x1b[6;1H  \x1b[8;1H› ";
    for over in [rows, highlight] {
        let mut shown = codex();
        shown.feed(request.as_bytes());
        assert!(!shown.hides());
        shown.feed(over.as_bytes());
        assert_eq!(shown.question().unwrap().subject.as_deref(), Some("rm -rf /srv/data"), "{over:?}");
        assert!(shown.hides(), "{over:?}");
        let question = shown.question();
        shown.overdrawn.typed(&Input::Key(KeyPress::plain(Key::Down)), question.as_ref());
        assert_eq!(shown.hides(), over == rows, "an arrow has moved the highlight, and no row");
    }
}

/// A person's mouse went over the pane, or its wheel was turned to see more, and the question was a consultant's.
#[test]
fn a_mouse_that_is_only_moved_answers_nothing() {
    let mouse = |kind| Input::Mouse(Mouse { kind, button: None, row: 3, col: 3, mods: Mods::NONE });
    let mut shown = codex();
    shown.feed(format!("{REQUEST}\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    for kind in
        [MouseKind::Move, MouseKind::Drag, MouseKind::WheelUp, MouseKind::WheelDown, MouseKind::Release]
    {
        shown.overdrawn.typed(&mouse(kind), None);
        assert!(shown.hides(), "{kind:?}");
    }
    shown.overdrawn.typed(&mouse(MouseKind::Press), None);
    assert!(!shown.hides());
}

/// Codex' own frames: a question drawn over a request, each of its rows in the place of one of the other. What else was drawn
/// just before, here a clock, is hit in the middle of the request's frame.
#[test]
fn a_frame_that_is_drawn_over_the_frame_of_a_request_hides_it() {
    let before = printed("codex-0.169.0-permescalate-120x40.cast", 0, 6_500);
    let request = printed("codex-0.169.0-permescalate-120x40.cast", 6_900, 7_350);
    let question = printed("codex-0.169.0-asklong-120x40.cast", 7_270, 7_300);
    let plain = |text: &str| text.replace("\x1b[?2026h", "").replace("\x1b[?2026l", "");
    for (before, request, question) in [
        (before.clone(), request.clone(), question.clone()),
        (before.clone(), plain(&request), question.clone()),
        (before.clone(), plain(&request), plain(&question)),
        (before.clone(), format!("\x1b[1;2r{request}\x1b[r"), format!("\x1b[27;1H\x1b[J{question}")),
        (
            before.clone(),
            format!("\x1b[?6h\x1b[1;2r{request}\x1b[?6l\x1b[r"),
            format!("\x1b[27;1H\x1b[J{question}"),
        ),
    ] {
        for most in [usize::MAX, 4096, 700, 64] {
            let mut shown = Shown::new("codex", Size::new(120, 40));
            let all = format!("{before}{request}{question}");
            all.as_bytes().chunks(most).for_each(|block| shown.feed(block));
            assert_eq!(shown.question().map(|question| question.kind), Some(Kind::Menu), "{most}");
            assert!(shown.hides(), "{most} {:?}", &request[..20]);
        }
    }
}

/// A background process had the letters of the request drawn as lines, and took that back before its question.
#[test]
fn a_request_that_nobody_could_read_hides_behind_whatever_stands() {
    let mut shown = codex();
    shown.feed(format!("\x1b(0{REQUEST}\x1b(B\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    assert!(shown.hides());
    shown.overdrawn.typed(&Input::Key(KeyPress::plain(Key::Down)), None);
    assert!(shown.hides());
    shown.overdrawn.typed(&Input::Key(KeyPress::plain(Key::Enter)), None);
    assert!(!shown.hides());
    let mut shown = codex();
    shown.feed(format!("\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    shown.overdrawn.disturbed();
    assert!(shown.hides() && shown.overdrawn.hides(None));
}

#[test]
fn nothing_hides_where_nobody_asked_or_the_request_itself_stands() {
    let mut shown = codex();
    shown.feed(format!("\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    assert!(!shown.hides());
    let mut shown = codex();
    shown.feed(REQUEST.as_bytes());
    shown.feed(REQUEST.as_bytes());
    assert_eq!(shown.question().unwrap().kind, Kind::Permission);
    assert!(!shown.hides() && shown.overdrawn.hides(None));
}

#[test]
fn a_key_that_answers_ends_it_and_an_arrow_does_not() {
    let mut shown = codex();
    shown.feed(REQUEST.as_bytes());
    shown.feed(format!("\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    shown.overdrawn.typed(&Input::Key(KeyPress::plain(Key::Down)), None);
    assert!(shown.hides(), "the request still waits");
    shown.overdrawn.typed(&Input::Key(KeyPress::plain(Key::Enter)), None);
    assert!(!shown.hides());
}

#[test]
fn what_a_hook_has_answered_is_over() {
    let mut shown = codex();
    shown.feed(REQUEST.as_bytes());
    let request = shown.question().unwrap();
    shown.feed(format!("\x1b[H\x1b[2J{HARMLESS}").as_bytes());
    shown.overdrawn.answered(&request);
    assert!(!shown.hides());
}

/// After a restart each program is made to draw, a column narrower and then as before: a request broken in another place was
/// taken for another one, and could not be answered.
#[test]
fn a_request_that_is_drawn_anew_at_another_width_is_the_one_it_was() {
    let mut shown = codex();
    let at = |cut: &str| REQUEST.replace("rm -rf /srv/data", cut).into_bytes();
    shown.feed(&at("rm -rf /srv/data\r\n    /srv/more"));
    shown.overdrawn.resized(shown.question().as_ref());
    shown.feed(&at("rm -rf\r\n    /srv/data /srv/more"));
    shown.overdrawn.resized(shown.question().as_ref());
    shown.feed(&at("rm -rf /srv/data\r\n    /srv/more"));
    shown.feed(&at("rm -rf /srv/data\r\n    /srv/more"));
    assert_eq!(shown.question().unwrap().kind, Kind::Permission);
    assert!(!shown.hides() && shown.overdrawn.hides(None));
}

/// Two commands, of which a rule approved the first, drawn over as one: the rule saw a single command, and its Enter ran both.
#[test]
fn a_request_whose_lines_are_joined_is_another_one() {
    let mut shown = codex();
    let at = |command: &str| REQUEST.replace("rm -rf /srv/data", command).into_bytes();
    shown.feed(&at("git log\r\n    rm -rf /srv/data"));
    shown.feed(&at("git log rm -rf /srv/data"));
    assert_eq!(shown.question().unwrap().subject.as_deref(), Some("git log rm -rf /srv/data"));
    assert!(shown.hides());
    // Nor does another size make it the one it was, once the program has drawn its own again.
    shown.overdrawn.resized(shown.question().as_ref());
    shown.feed(&at("git log\r\n    rm -rf /srv/data"));
    shown.feed(&at("git log rm -rf /srv/data"));
    assert!(shown.hides());
}

/// A recording with what was typed in it and what is known of it.
struct Recording {
    path: PathBuf,
    profile: String,
    cast: Asciicast,
    labels: serde_json::Value,
}

fn recordings() -> Vec<Recording> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let files = |folder: PathBuf| std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut paths: Vec<PathBuf> = files(folder.clone())
        .chain(files(folder.join("kept")))
        .filter(|path| path.extension().is_some_and(|it| it == "json"))
        .collect();
    paths.sort();
    let read = |path: PathBuf| {
        let labels: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let profile = labels["agent"].as_str()?.to_owned();
        Profiles::builtin().get(&profile).filter(|profile| !profile.any_program)?;
        let cast = Asciicast::parse(&std::fs::read_to_string(path.with_extension("cast")).unwrap()).unwrap();
        Some(Recording { path, profile, cast, labels })
    };
    paths.into_iter().filter_map(read).collect()
}

impl Recording {
    /// Plays it, and calls `at` at every checkpoint with its label's kind.
    fn play(&self, mut at: impl FnMut(&mut Shown, f64, &str)) {
        let mut shown = Shown::new(&self.profile, self.cast.size);
        let typed = |input: &serde_json::Value| Some((input[0].as_f64()?, input[1].as_str()?.to_owned()));
        let inputs: Vec<(f64, String)> =
            self.labels["inputs"].as_array().into_iter().flatten().filter_map(typed).collect();
        let mut checkpoints = self.labels["checkpoints"].as_array().unwrap().iter().peekable();
        let (mut typed, end) = (0, Event { at_ms: u64::MAX, what: What::Silent });
        for event in self.cast.events.iter().chain([&end]) {
            let seconds = event.at_ms as f64 / 1000.0;
            while let Some(label) = checkpoints.next_if(|label| label["t"].as_f64().unwrap() < seconds) {
                at(
                    &mut shown,
                    label["t"].as_f64().unwrap(),
                    label["question"]["kind"].as_str().unwrap_or(""),
                );
            }
            while let Some((_, keys)) = inputs.get(typed).filter(|(at, _)| *at <= seconds) {
                let arrow = keys.starts_with("\x1b[") || keys.starts_with("\x1bO");
                let input = match arrow {
                    true => Input::Key(KeyPress::plain(Key::Down)),
                    false => Input::Raw(keys.clone().into_bytes()),
                };
                let question = shown.question();
                shown.overdrawn.typed(&input, question.as_ref());
                typed += 1;
            }
            match &event.what {
                What::Output(text) => shown.feed(text.as_bytes()),
                What::Resize(size) => {
                    let question = shown.question();
                    shown.screen.resize(*size);
                    shown.overdrawn.resized(question.as_ref());
                }
                What::Silent => {}
            }
        }
    }
}

/// Each request that was recorded, of any program that is described, drawn over where it stands.
#[test]
fn every_request_has_one_of_the_words() {
    let mut requests = 0;
    for recording in recordings() {
        let mut over = false;
        recording.play(|shown, t, kind| {
            let asks = ["permission", "plan", "trust"].contains(&kind) && shown.question().is_some();
            if over || !asks {
                return;
            }
            let (request, path) = (shown.question(), recording.path.display());
            // What comes behind it is not the recording any more.
            over = true;
            requests += 1;
            shown.feed(b"\x1b[?2026l\x1b[H\x1b[2Jnothing");
            assert!(shown.overdrawn.hides(None), "{path} @{t}: {request:?}");
        });
    }
    assert!(requests > 60, "recordings are missing: {requests}");
}

/// Where every key that was typed is known, nothing is taken for hidden.
#[test]
fn what_was_answered_by_a_key_hides_behind_nothing() {
    let (mut checked, mut hidden) = (0, Vec::new());
    for recording in recordings() {
        if recording.labels["inputs"].as_array().is_none_or(|inputs| inputs.is_empty()) {
            continue;
        }
        recording.play(|shown, t, kind| {
            // Its model writes a request into the conversation, which stands above one that is none of its words.
            let quotes = recording.path.to_string_lossy().contains("-multisess-");
            checked += usize::from(!quotes);
            if let Some(question) = shown.question().filter(|_| !quotes) {
                shown.overdrawn.looked_above(&shown.profile, &shown.screen, &question);
            }
            if shown.hides() && !quotes {
                let stood: Vec<_> = shown
                    .overdrawn
                    .stood
                    .iter()
                    .map(|it| (&it.question.prompt, &it.question.subject, it.question.labels()))
                    .collect();
                let now = shown.question().and_then(|question| question.subject);
                hidden.push(format!("{} @{t} {kind}: {stood:?}, now {now:?}", recording.path.display()));
            }
        });
    }
    assert!(checked > 300 && hidden.is_empty(), "{checked}, {}:\n{}", hidden.len(), hidden.join("\n"));
}

proptest! {
    /// Following it, a piece at a time, changes nothing of what is drawn.
    #[test]
    fn what_is_followed_is_drawn_as_it_is(pieces in proptest::collection::vec(output(), 1..60), most in 1usize..80) {
        let bytes = pieces.concat();
        let (mut followed, mut plain) = (codex(), Screen::new(Size::new(80, 24), TerminalIdentity::default()));
        followed.feed(b"Yes");
        plain.feed(b"Yes");
        for block in bytes.chunks(most) {
            followed.feed(block);
            plain.feed(block);
        }
        prop_assert_eq!(followed.screen.drawn(), plain.drawn());
    }
}

/// Text, controls, sequences and their beginnings.
fn output() -> impl Strategy<Value = Vec<u8>> {
    let known = [
        "Yes",
        "No, ",
        "› 1. ",
        "日本",
        "e\u{301}",
        "\r\n",
        "\n",
        "\r",
        "\x08",
        "\t",
        "\x1b",
        "\x1b[",
        "\x1b[2J",
        "\x1b[K",
        "\x1b[1K",
        "\x1b[H",
        "\x1b[5;70H",
        "\x1b[3A",
        "\x1b[2S",
        "\x1b[L",
        "\x1bM",
        "\x1b[?2026h",
        "\x1b[?2026l",
        "\x1b[?1049h",
        "\x1b[?1049l",
        "\x1b[2;9r",
        "\x1b7",
        "\x1b8",
        "\x1b]0;t\x07",
        "\x1b]8;;x\x1b\\",
        "\x1b[20b",
    ];
    let text = proptest::collection::vec(any::<u8>(), 0..90);
    prop_oneof![proptest::sample::select(known.to_vec()).prop_map(|it| it.as_bytes().to_vec()), text]
}

/// A request that a rule grants, drawn below the one that its program waits with.
#[test]
fn a_request_above_another_request_is_seen() {
    let other = REQUEST.replace("rm -rf /srv/data", "git status");
    let below = other.trim_start_matches("\x1b[?25l\x1b[2J\x1b[H");
    let mut shown = codex();
    shown.feed(format!("{REQUEST}{below}").as_bytes());
    let question = shown.question().unwrap();
    assert_eq!(question.subject.as_deref(), Some("git status"));
    shown.overdrawn.looked_above(&shown.profile, &shown.screen, &question);
    assert!(shown.hides());
    // Nor does it help to draw the lower one once more by itself.
    let mut shown = codex();
    shown.feed(format!("{REQUEST}{below}{other}").as_bytes());
    assert!(shown.hides());
    let mut shown = codex();
    shown.feed(other.as_bytes());
    let question = shown.question().unwrap();
    shown.overdrawn.looked_above(&shown.profile, &shown.screen, &question);
    assert!(!shown.hides());
}
