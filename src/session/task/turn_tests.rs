//! How long a session keeps its thread, and what becomes of what it is told before its terminal is there.

use std::sync::Arc;

use tokio::sync::mpsc;
use tokio::sync::mpsc::Receiver;

use crate::core::agent::Host;
use crate::core::detect::witness::{Reader, Wait, Witness};
use crate::core::profile::Profiles;
use crate::core::question::Kind;
use crate::core::terminal::grid::Size;
use crate::core::terminal::query_replies::TerminalIdentity;
use crate::core::terminal::sizing::Sizing;
use crate::session::mailbox::{Command, Mail};
use crate::session::message::{AgentKey, ClientKey, Input, News, Now, Order, Output, Started};
use crate::session::port::FromTerminal;
use crate::session::setting::{Clock, Setting, Terminal};
use crate::session::{Session, Setup, mailbox, task};
use crate::wire::Request;
use crate::wire::keeper::{FromKeeper, ToKeeper};
use crate::wire::message::{ReadText, Reply};

const BLOCKS: usize = 60;

pub(super) fn session(now: Now) -> Session {
    let setup = Setup {
        name: "flood".into(),
        host: Host::Pty,
        adopted_pane: false,
        profile: Profiles::builtin().get("generic").expect("it is built in"),
        command: Vec::new(),
        identity: TerminalIdentity::default(),
        size: Size::FALLBACK,
        scrollback: 10_000,
        whole_output: true,
        prompt: None,
        history: None,
        record_bytes: None,
        sizing: Sizing::Latest,
        title: None,
        typed_line: None,
        asked: None,
        recording: None,
        life_id: None,
        call: None,
    };
    Session::new(setup, now)
}

/// How many turns others have while a session takes so many blocks of output.
async fn turns_of_others(blocks: usize, block: &[u8]) -> usize {
    let clock = Clock::start();
    let (to, _orders) = mpsc::channel(8);
    let (output, from) = mpsc::channel(blocks);
    for _ in 0..blocks {
        output.try_send(FromTerminal::Output(block.to_vec())).unwrap();
    }
    let started = Started { size: Some(Size::FALLBACK), ..Started::default() };
    let terminal = Terminal::Remote { to, from, tty: None, task: tokio::spawn(std::future::pending()) };
    let (commands, orders) = mpsc::channel(mailbox::ORDERS);
    let (_mail, mail) = mpsc::channel(mailbox::MAIL);
    let (news, _heard) = mpsc::channel(1024);
    let setting = Setting {
        agent: AgentKey(1),
        clock,
        starting: Box::pin(std::future::ready(Ok((started, terminal)))),
        commands: orders,
        mail,
        news,
        files: Arc::new(|_, _| true),
    };
    let session = tokio::spawn(task::run(session(clock.now()), setting));
    let mut turns = 0;
    while output.capacity() < blocks {
        tokio::task::yield_now().await;
        turns += 1;
    }
    drop(commands);
    session.await.unwrap();
    turns
}

/// An agent that printed without end kept the thread that read it, a hundred blocks at a time, and keys for others
/// lay there for up to a second: nothing but a block of more than one turn's cost let go of it.
#[tokio::test(flavor = "current_thread")]
async fn whoever_prints_without_end_lets_others_in_between_any_two_blocks() {
    let turns = turns_of_others(BLOCKS, &b"a line of many\r\n".repeat(100)).await;
    assert!(turns >= BLOCKS, "{BLOCKS} blocks in {turns} turns");
    // However short they are, it is not for ever.
    let turns = turns_of_others(BLOCKS, &b"a line of many\r\n".repeat(10)).await;
    assert!(turns >= 2, "{turns} turns");
}

/// After each echo of a key the session let others in: that woke another thread of the server, which ran for nothing
/// before the client that was to draw the echo.
#[tokio::test(flavor = "current_thread")]
async fn the_echo_of_a_key_wakes_nobody_else() {
    let turns = turns_of_others(3, b"a").await;
    assert_eq!(turns, 1, "{turns} turns");
}

/// Who started an agent in the dashboard showed its pane before its terminal was there: the terminal came up at the
/// size of none, stayed at it, and less began at line 30.
#[test]
fn a_size_agreed_on_before_the_terminal_is_there_is_given_to_it() {
    let now = Clock::start().now();
    let (mut session, pane) = (session(now), Size::new(58, 20));
    session.on(Input::Watch { client: ClientKey(1), size: Some(pane) }, now);
    let started = Started { size: Some(Size::FALLBACK), ..Started::default() };
    let outputs = session.on(Input::Started(Box::new(started)), now);
    let resized = outputs.iter().any(|output| matches!(output, Output::Resize(size) if *size == pane));
    assert!(resized, "{outputs:?}");
}

/// `record A FILE` right after `record A` heard that the recording it had just ended was ended by it: the reply went
/// out before the hub, which is asked what is recorded, had been told.
#[test]
fn the_hub_knows_what_is_recorded_before_the_client_is_answered() {
    let now = Clock::start().now();
    let mut session = session(now);
    session.on(Input::Started(Box::new(Started { size: Some(Size::FALLBACK), ..Started::default() })), now);
    let request = Request::Record { name: "flood".into(), path: Some("/a.cast".into()) };
    let client = ClientKey(1);
    let asked = session.on(Input::Request { client, id: 7, request }, now);
    let answers = |output: &Output| matches!(output, Output::News(News::Reply { id: 7, .. }));
    assert!(!asked.iter().any(answers), "it is not yet begun: {asked:?}");
    let begun = Order::Recorded { to: Some((client, 7)), now: Some("/a.cast".into()), done: Ok(()) };
    let outputs = session.on(Input::Order(begun), now);
    let news: Vec<&News> =
        outputs.iter().filter_map(|it| if let Output::News(news) = it { Some(news) } else { None }).collect();
    let recorded =
        |news: &&News| matches!(news, News::Looked(sight) if sight.recording.as_deref() == Some("/a.cast"));
    let known = news.iter().position(recorded).expect("the hub is told what is recorded");
    let answered = news.iter().position(|news| matches!(news, News::Reply { id: 7, .. }));
    assert!(answered.is_some_and(|at| at > known), "{outputs:?}");
}

#[test]
fn the_hub_knows_what_an_agent_is_recorded_to_by_itself() {
    let now = Clock::start().now();
    let mut session = session(now);
    session.on(Input::Started(Box::new(Started { size: Some(Size::FALLBACK), ..Started::default() })), now);
    let outputs = session.on(Input::Order(Order::RecordedAlways(Some("/api-1.cast".into()))), now);
    let told = |output: &Output| {
        matches!(output, Output::News(News::Looked(sight))
            if sight.auto_recording.as_deref() == Some("/api-1.cast") && sight.recording.is_none())
    };
    assert!(outputs.iter().any(told), "{outputs:?}");
}

/// `signal` was answered before its keeper had sent it: what came next from the same script met a program that had not
/// been signalled.
#[test]
fn whoever_sends_a_signal_is_answered_when_the_keeper_has_sent_it() {
    let now = Clock::start().now();
    let replies = |outputs: &[Output]| -> Vec<(u64, bool)> {
        let reply = |output: &Output| match output {
            Output::News(News::Reply { id, reply, .. }) => Some((*id, matches!(**reply, Reply::Done))),
            _ => None,
        };
        outputs.iter().filter_map(reply).collect()
    };
    let signal = |id| Input::Order(Order::Signal { client: ClientKey(1), id, signal: "INT".into() });
    let mut session = session(now);
    session.on(Input::Started(Box::new(Started { tells_signals: true, ..Started::default() })), now);
    for id in [7, 8, 9] {
        assert_eq!(replies(&session.on(signal(id), now)), []);
    }
    let sent = |sent| Input::Keeper(FromKeeper::Signalled { sent });
    assert_eq!(replies(&session.on(sent(true), now)), [(7, true)]);
    assert_eq!(replies(&session.on(sent(false), now)), [(8, false)], "nobody was there to take it");
    assert_eq!(replies(&session.on(Input::KeeperLost, now)), [(9, false)]);
    // One of an earlier version says nothing of it.
    let mut session = self::session(now);
    session.on(Input::Started(Box::default()), now);
    assert_eq!(replies(&session.on(signal(7), now)), [(7, true)]);
}

/// `read` and `search` of a long scrollback failed: their reply was more than one frame may be.
#[test]
fn whoever_reads_more_than_one_reply_takes_gets_the_rest_by_its_cursor() {
    use crate::wire::message::ReadMode;
    let now = Clock::start().now();
    let mut session = session(now);
    session.on(Input::Started(Box::default()), now);
    // Long lines, so that it is soon too much: they wrap, and are cut in the middle, also of a character.
    let printed: Vec<String> = (0..900).map(|n| format!("{n} {}", "\u{e9}xy".repeat(900))).collect();
    let bytes = printed.join("\r\n").into_bytes();
    let mut fed = 0;
    while fed < bytes.len() {
        fed += session.feed(&bytes[fed..], now).0;
    }
    let mut read = |since, tail| {
        let (wait_ms, mode) = (0, ReadMode::Output);
        let request = Request::Read { name: "flood".into(), since, tail, wait_ms, mode, seen: None };
        let outputs = session.on(Input::Request { client: ClientKey(1), id: 7, request }, now);
        text_of(outputs)
    };
    let (mut text, mut since, mut pieces) = (String::new(), None, 0);
    loop {
        let piece = read(since, None);
        assert!(piece.text.len() <= 1024 * 1024 && !piece.truncated, "{}", piece.text.len());
        (pieces, since) = (pieces + 1, Some(piece.cursor));
        text.push_str(&piece.text);
        if piece.cursor == piece.end {
            break;
        }
    }
    assert!(pieces > 2 && text == printed.join("\n"), "{pieces} pieces, {} bytes", text.len());
    assert_eq!(read(None, Some(2)).text, printed[898..].join("\n"), "the last lines are the last");
}

/// What a `read` was answered with.
fn text_of(outputs: Vec<Output>) -> ReadText {
    let text = |output| match output {
        Output::News(News::Reply { reply, .. }) => match *reply {
            Reply::Text(text) => Some(text),
            _ => None,
        },
        _ => None,
    };
    outputs.into_iter().find_map(text).expect("it is answered")
}

/// A program that printed faster than `exec` could hand it on lost what the server had no room for.
#[test]
fn a_program_is_held_up_while_whoever_reads_all_of_it_is_behind() {
    use crate::wire::message::ReadMode;
    let now = Clock::start().now();
    let mut session = session(now);
    session.on(Input::Started(Box::default()), now);
    let client = ClientKey(1);
    let read = |session: &mut Session, since| {
        let (tail, wait_ms, mode) = (None, 0, ReadMode::Bytes);
        let request = Request::Read { name: "flood".into(), since, tail, wait_ms, mode, seen: None };
        let outputs = session.on(Input::Request { client, id: 7, request }, now);
        text_of(outputs)
    };
    let flood = |session: &mut Session| {
        let block = [b'x'; 64 * 1024];
        (0..100).for_each(|_| {
            let mut fed = 0;
            while fed < block.len() {
                fed += session.feed(&block[fed..], now).0;
            }
        });
    };
    flood(&mut session);
    assert!(!session.waits_for_reader(), "nobody reads");
    let first = read(&mut session, Some(0));
    assert!(session.waits_for_reader() && first.end > first.cursor, "{} of {}", first.cursor, first.end);
    let mut cursor = first.cursor;
    while cursor != first.end {
        cursor = read(&mut session, Some(cursor)).cursor;
    }
    assert!(!session.waits_for_reader(), "it has all of it");
    flood(&mut session);
    assert!(session.waits_for_reader());
    session.on(Input::Left { client }, now);
    assert!(!session.waits_for_reader(), "it has gone");
}

/// A task whose terminal is not there yet, what it hears, and the other ends of that.
fn unstarted(clock: Clock) -> (super::Task, Receiver<Command>, Receiver<Mail>, impl Sized) {
    let (orders, commands) = mpsc::channel(mailbox::ORDERS);
    let (mails, mail) = mpsc::channel(mailbox::MAIL);
    let (news, heard) = mpsc::channel(1024);
    let setting = Setting {
        agent: AgentKey(1),
        clock,
        starting: Box::pin(std::future::pending()),
        commands,
        mail,
        news,
        files: Arc::new(|_, _| true),
    };
    let (task, commands, mail) = super::Task::new(session(clock.now()), setting);
    (task, commands, mail, (orders, mails, heard))
}

/// On a busy machine the kernel hands over a frame in halves. The first was judged alone, and a box whose words stood in the
/// second was a person's, though nobody needed to be called for it.
#[tokio::test]
async fn what_was_written_is_read_before_the_screen_is_judged() {
    let (pty, slave, _keeper, _folder) = crate::session::pty::tests::pty();
    let clock = Clock::start();
    let (mut task, _commands, _mail, _ends) = unstarted(clock);
    task.started(Ok((Started::default(), Terminal::Pty(Box::new(pty)))));
    let outputs = task.session.feed(b"Use Type", clock.now()).1;
    task.perform(outputs);
    let due = task.session.next_wake().expect("it is to be judged");
    nix::unistd::write(&slave, b"Script? [Y/n] ").unwrap();
    while clock.now().ms < due {
        tokio::task::yield_now().await;
    }
    task.input(Input::Wake);
    assert!(task.session.screen().grid().text().contains("Use TypeScript? [Y/n]"));
    assert!(!task.session.sight().current, "the first half was judged before the second was read");
}

/// Pausing an agent withdrew what it asked: a stopped program reads nothing, and a prompt that nobody reads is none.
#[test]
fn a_question_stays_while_its_program_stands_still() {
    let clock = Clock::start().now();
    let at = |ms: u64| Now { ms: clock.ms + ms, ..clock };
    let mut session = session(clock);
    session.on(Input::Started(Box::default()), clock);
    session.feed(b"Project name: ", at(10));
    let reading = Witness { reader: Reader::Reading(reading_wait()), canonical: true, echo: true };
    let nobody = Witness { reader: Reader::Nobody, ..reading.clone() };
    let mut asks = false;
    let mut look = |session: &mut Session, input: Input, now: Now, witness: &Witness| {
        let mut outputs = session.on(input, now);
        if outputs.iter().any(|output| matches!(output, Output::LookAtReader)) {
            outputs.extend(session.on(Input::Witnessed(witness.clone()), now));
        }
        for output in outputs {
            if let Output::News(News::Looked(sight)) = output {
                asks = sight.verdict.question.is_some();
            }
        }
        asks
    };
    assert!(look(&mut session, Input::Wake, at(2000), &reading));
    let pause = Input::Order(Order::Keeper(ToKeeper::Pause));
    assert!(look(&mut session, pause, at(2010), &nobody));
    assert!(look(&mut session, Input::Wake, at(4000), &nobody));
    let paused = FromKeeper::Paused { forced: Vec::new(), running: Vec::new() };
    assert!(look(&mut session, Input::Keeper(paused), at(4010), &nobody));
    assert!(look(&mut session, Input::Wake, at(9000), &nobody));
    assert!(session.next_wake().is_none_or(|wake| wake > at(9000).ms), "and nobody is kept busy");
    assert!(look(&mut session, Input::Keeper(FromKeeper::Continued), at(9010), &reading));
    assert!(look(&mut session, Input::Wake, at(12_000), &reading));
    assert!(!look(&mut session, Input::Wake, at(30_000), &nobody), "it is looked at again");
}

/// "Continue?" asked in the same breath as a screen was cleared was answered for what stood on the cleared one.
#[test]
fn what_was_cleared_away_is_weighed_with_the_question() {
    let clock = Clock::start().now();
    let clears = ["\x1b[2J\x1b[3J\x1b[H", "\x1b[?1049h\x1b[H", &"\n".repeat(60)];
    for cleared in clears {
        let mut session = session(clock);
        session.on(Input::Started(Box::default()), clock);
        let words =
            format!("All files in /home will be erased if you accept.{cleared}Use TypeScript? [Y/n] ");
        session.feed(words.as_bytes(), clock);
        let now = Now { ms: clock.ms + 2000, ..clock };
        session.on(Input::Wake, now);
        let witness = Witness { reader: Reader::Reading(reading_wait()), canonical: true, echo: true };
        session.on(Input::Witnessed(witness), now);
        let question = session.sight().verdict.question.clone().expect("it asks");
        assert_eq!(question.kind, Kind::Permission, "{cleared:?}");
    }
}

/// What a program printed before the server had its terminal was left out of what it asks, down to the byte: of a sequence
/// that was cut there, the rest was taken for words that nobody knows, and a harmless box was a person's.
#[test]
fn a_sequence_that_is_cut_where_the_server_begins_to_read_adds_no_words() {
    const SETUP: &[u8] = b"\x1b[?1049h\x1b[22;0;0t\x1b[1;50r\x1b[?7h\x1b[H\x1b[2J\x1b[23;0;0t\x1b[H\x1b[2J";
    let frame = ["lqqqqqqqqqqqqqqqqqqqqqk", "", "tqqqqqqqqqqqqqqqqqqqqqu", "", "mqqqqqqqqqqqqqqqqqqqqqj"];
    // A letter of the second button has a colour of its own, as dialog draws it.
    const BUTTONS: &str = "  \x1b[7m< Yes >\x1b[m   <\x1b(B \x1b[31mN\x1b(B\x1b[30mo  \x1b(B\x1b[m>   ";
    let words = [None, Some("                     "), None, Some(BUTTONS), None];
    let mut drawn = String::new();
    for (at, (edge, words)) in frame.iter().zip(words).enumerate() {
        let row = words.map_or_else(
            || format!("\x1b(0{edge}\x1b(B"),
            |words| format!("\x1b(0x\x1b(B{words}\x1b(0x\x1b(B"),
        );
        drawn += &format!("\x1b[{};9H{row}", at + 3);
    }
    drawn += "\x1b[4;11HUse TypeScript?\x1b[6;13H";
    let clock = Clock::start().now();
    let reader = Reader::Reading(Wait { blocking: false, program: "dialog".into(), ..reading_wait() });
    for cut in 0..=SETUP.len() {
        let (backlog, rest) = SETUP.split_at(cut);
        let mut session = session(clock);
        let started = Started { backlog: backlog.to_vec(), ..Started::default() };
        session.on(Input::Started(Box::new(started)), clock);
        session.feed(rest, clock);
        session.feed(drawn.as_bytes(), clock);
        let now = Now { ms: clock.ms + 2000, ..clock };
        session.on(Input::Wake, now);
        let witness = Witness { reader: reader.clone(), canonical: false, echo: false };
        session.on(Input::Witnessed(witness), now);
        let question = session.sight().verdict.question.clone().expect("it asks");
        assert_eq!(crate::core::policy::guard::misplaced(&question), None, "cut at {cut}: {question:?}");
    }
}

fn reading_wait() -> Wait {
    Wait {
        pid: 7,
        thread: 7,
        started: 1,
        program: "npx".into(),
        place: 1,
        sleeps: 1,
        blocking: true,
        in_read: true,
        transferred: None,
        alone: true,
        asks_nothing: false,
        given_code: false,
        acts: false,
    }
}

/// A step that was due and never taken had the terminal drained again and again in one turn: the session kept its thread, and
/// the server answered nobody.
#[tokio::test]
async fn one_turn_drains_the_terminal_so_often_and_the_next_one_later() {
    let clock = Clock::start();
    let (mut task, mut commands, mut mail, _ends) = unstarted(clock);
    let drains = |count| std::iter::repeat_with(|| Output::Drain).take(count).collect();
    task.perform(drains(super::drain::DRAINS));
    assert!(task.drain_at.is_none());
    task.perform(drains(1));
    let at = task.drain_at.expect("it is put off, and not forgotten");
    while task.drain_at.is_some() {
        let turn = task.next_turn(&mut commands, &mut mail).await;
        task.drains = 0;
        task.take(turn);
    }
    assert!(std::time::Instant::now() >= at && task.drains == 1);
}
