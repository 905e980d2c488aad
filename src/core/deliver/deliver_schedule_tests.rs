//! Delivery by the thousand: programs that lag, lose keys and change under it.

use super::*;

/// A dialog, an answer, and what the program records if it was typed rightly.
fn case(dice: &mut Dice) -> (Vec<Question>, Answer, Keys, Outcome) {
    let then = menu("And then?", &["Go on", "Stop", "Ask"]);
    let start = |mut q: Question, dice: &mut Dice| {
        q.selected = Some(dice.below(q.options.len() as u64) as usize);
        q.typing = q.options[q.selected.unwrap_or(0)].role == Role::FreeText;
        q
    };
    match dice.below(6) {
        0 | 1 => {
            let row = [0, 1, 2, 4][dice.below(4) as usize];
            let pages = vec![start(menu("Which?", &MENU), dice), then];
            (pages, Answer::Rows(vec![row]), keys(), Outcome::Row(MENU[row].into()))
        }
        2 => {
            let rows: Vec<usize> = (0..3).filter(|_| dice.one_in(2)).collect();
            let ticks = rows.iter().map(|row| MULTI[*row].to_owned()).collect();
            let toggle = [Toggle::Space, Toggle::Enter, Toggle::Digit][dice.below(3) as usize];
            let mut q = start(multi("Which features?", &MULTI), dice);
            q.options[1].checked = Some(dice.one_in(2));
            (vec![q, then], Answer::Rows(rows), Keys { toggle, ..keys() }, Outcome::Ticks(ticks))
        }
        3 => {
            let text = ["2", "use DuckDB, 3 files?", "jk q y n"][dice.below(3) as usize];
            let q = start(menu("Which?", &MENU), dice);
            (vec![q, then], Answer::Text(text.into()), keys(), Outcome::Text(text.into()))
        }
        4 => {
            let q = start(menu("Which?", &MENU), dice);
            (vec![q, then], Answer::Reject, keys(), Outcome::Declined)
        }
        _ => (vec![plain("Port?"), then], Answer::Text("80".into()), keys(), Outcome::Text("80".into())),
    }
}

fn weather(dice: &mut Dice) -> Weather {
    let sometimes = |dice: &mut Dice, n: u64, limit: u64| dice.one_in(n).then(|| dice.below(limit));
    Weather {
        lines_until: None,
        deaf_ms: if dice.one_in(2) { 140 } else { 0 },
        lost: [0, 0, 20, 6, 3][dice.below(5) as usize],
        late_ms: [0, 20, 120, 450, 900][dice.below(5) as usize],
        stale: dice.one_in(2),
        stall_ms: [0, 0, 50, 400, 900, 1_600, 9_000][dice.below(7) as usize],
        replaced_at: None,
        person_at: sometimes(dice, 3, 2_500),
        stopped_at: sometimes(dice, 8, 2_500),
        swallowed: u32::from(dice.one_in(10)),
        window: None,
        takes_ms: Vec::new(),
        wraps: dice.one_in(2),
        painted: None,
        centred: dice.one_in(2),
    }
}

/// A list of which some rows are in view, as few as two, and the row that is to be chosen of these.
fn long(dice: &mut Dice) -> (Question, usize) {
    let labels: Vec<String> = (0..30).map(|row| format!("region {row}")).collect();
    let mut list = menu("Which?", &labels.iter().map(String::as_str).collect::<Vec<_>>());
    list.selected = Some(dice.below(30) as usize);
    (list, 2 + dice.below(6) as usize)
}

/// Runs one schedule of an answer to such a list; whether it was answered.
fn scrolls(seed: u64, calm: bool) -> bool {
    let mut dice = Dice::new(seed);
    let mut weather = weather(&mut dice);
    if calm {
        weather = Weather {
            deaf_ms: 140,
            late_ms: 60,
            stale: true,
            centred: weather.centred,
            ..Weather::default()
        };
    }
    let (list, window) = long(&mut dice);
    weather.window = Some(window);
    let mut world = World::new(vec![list, menu("And then?", &["Go on", "Stop"])], keys(), weather, seed);
    let (asked, row) = (world.asked(), dice.below(window as u64) as usize);
    let mut delivery = delivery(&world, &Answer::Rows(vec![row])).following();
    let end = world.run(&mut delivery);
    let wanted = Outcome::Row(asked.options[row].label.clone());
    let ours = world.ours();
    assert!(ours.len() <= 1 && ours.iter().all(|commit| commit.page == 0), "seed {seed}: {ours:?}");
    assert!(ours.iter().all(|commit| commit.what == wanted), "seed {seed}: {ours:?}, not {wanted:?}");
    match end {
        Step::Done(proof) => assert_eq!(proof.before, Some(asked.fingerprint()), "seed {seed}"),
        _ => return false,
    }
    true
}

/// Each answer to a list that scrolled under its arrows failed, and stood further down than before.
#[test]
fn a_persons_answer_goes_on_in_a_list_that_scrolls() {
    for seed in 0..2_000 {
        assert!(scrolls(seed, true), "seed {seed}");
    }
    let answered = (0..8_000).filter(|seed| scrolls(*seed, false)).count();
    assert!(answered > 2_000, "only {answered} of 8000 were answered at all");
}

#[test]
fn a_consultants_answer_ends_where_its_list_scrolls() {
    let labels: Vec<String> = (0..30).map(|row| format!("region {row}")).collect();
    let list = menu("Which?", &labels.iter().map(String::as_str).collect::<Vec<_>>());
    let weather = Weather { window: Some(5), centred: true, ..Weather::default() };
    let mut world = World::new(vec![list], keys(), weather, 1);
    let mut delivery = delivery(&world, &Answer::Rows(vec![4]));
    let end = world.run(&mut delivery);
    assert!(matches!(&end, Step::Failed(why) if why.starts_with("other rows")), "{end:?}");
    assert_eq!(world.commits, []);
}

/// Runs one schedule; whether it was answered.
fn schedule(seed: u64) -> bool {
    let mut dice = Dice::new(seed);
    let (pages, answer, keys, wanted) = case(&mut dice);
    let mut weather = weather(&mut dice);
    if pages[0].kind != Kind::Text && dice.one_in(3) {
        // A program that reads its keys late may read one after it has put up another dialog: nobody
        // can see that in time. Real ones drop the first keys instead.
        (weather.replaced_at, weather.deaf_ms, weather.stall_ms) = (Some(dice.below(2_500)), 140, 0);
    }
    let (mut world, end) = run(pages, answer.clone(), keys, weather.clone(), seed);
    world.settle();
    let ours = world.ours();
    assert!(ours.len() <= 1, "seed {seed}: two commits {ours:?} in {weather:?}");
    let replaced = world.commits.iter().position(|commit| commit.page == usize::MAX);
    for commit in &ours {
        let at = world.commits.iter().position(|other| other == *commit);
        assert!(replaced.is_none() || at < replaced, "seed {seed}: into a look-alike {:?}", world.commits);
        assert_eq!((commit.page, &commit.what), (0, &wanted), "seed {seed}: {answer:?} {end:?} {weather:?}");
    }
    let done = matches!(end, Step::Done(_));
    if done && weather.person_at.is_none() && replaced.is_none() {
        assert_eq!(ours.len(), 1, "seed {seed}: told as done, and it was not");
    }
    done
}

#[test]
fn no_schedule_makes_a_wrong_or_a_second_commit() {
    let answered = (0..20_000).filter(|seed| schedule(*seed)).count();
    assert!(answered > 5_000, "only {answered} of 20000 were answered at all");
}

#[test]
fn in_calm_weather_every_answer_goes_in() {
    for seed in 0..500 {
        let mut dice = Dice::new(seed);
        let (pages, answer, keys, wanted) = case(&mut dice);
        let weather = Weather { deaf_ms: 140, late_ms: 60, stale: true, ..Weather::default() };
        let (world, end) = run(pages, answer.clone(), keys, weather, seed);
        assert!(matches!(end, Step::Done(_)), "seed {seed}: {answer:?} {end:?}");
        assert_eq!(world.commits, [single(wanted)], "seed {seed}");
    }
}

/// A program read its keys at once and took them late: the first arrow showed after it had been sent again, the second one only when
/// its link went on, behind the Enter that was decided on the row before: another option, which the log called the wanted one.
#[test]
fn an_arrow_that_comes_after_all_moves_no_highlight_under_the_enter() {
    for (rows, wraps) in [(2, false), (2, true), (3, true), (4, false), (5, true)] {
        for (first, second) in [(1_200, 8_000), (1_200, 60_000), (2_300, 9_000), (600, 600), (5_000, 5_500)] {
            let labels: Vec<String> = (0..rows).map(|row| format!("row {row}")).collect();
            let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
            for row in 1..rows {
                let weather = Weather { wraps, takes_ms: vec![first, second], ..Weather::default() };
                let mut world = World::new(vec![menu("Which?", &labels)], keys(), weather, 1);
                let mut delivery = delivery(&world, &Answer::Rows(vec![row]));
                let end = world.run(&mut delivery);
                world.settle();
                let wanted = Outcome::Row(labels[row].to_owned());
                let right = world.commits.iter().all(|commit| commit.what == wanted);
                assert!(right, "{rows} {wraps} {first} {second}: {:?}, {end:?}", world.commits);
            }
        }
    }
}
