//! Tests of the pane arithmetic; `layout.rs` includes them.

use super::*;

const SCREEN: Area = Area { x: 0, y: 1, cols: 160, rows: 48 };

fn layout(kind: Kind) -> Layout {
    Layout { name: "test".into(), kind, main: 60, agents: Vec::new() }
}

#[test]
fn every_built_in_layout_loads_under_its_name() {
    let names: Vec<String> = Layout::built_in().into_iter().map(|layout| layout.name).collect();
    assert_eq!(names, ["grid", "main-and-stack", "columns", "consult"]);
}

#[test]
fn a_layout_that_makes_no_sense_is_refused() {
    for bad in [
        "",
        "name = 'x'\nkind = 'spiral'",
        "name = 'x'\nkind = 'grid'\nmain = 99",
        "name = 'x'\nkind = 'grid'\ncolour = 1",
    ] {
        assert!(Layout::parse(bad).is_err(), "{bad}");
    }
    let own = Layout::parse("name = 'pair'\nkind = 'columns'\nagents = ['api', 'web']").unwrap();
    assert_eq!(own.agents, ["api", "web"]);
}

/// No cell belongs to two panes and none to nobody.
fn covers(areas: &[(usize, Area)], screen: Area) {
    let cells: usize = areas.iter().map(|(_, a)| usize::from(a.cols) * usize::from(a.rows)).sum();
    assert_eq!(cells, usize::from(screen.cols) * usize::from(screen.rows), "{areas:?}");
    for row in (screen.y..screen.y + screen.rows).step_by(3) {
        for col in (screen.x..screen.x + screen.cols).step_by(5) {
            assert_eq!(areas.iter().filter(|(_, a)| a.contains(col, row)).count(), 1, "{col},{row}");
        }
    }
}

#[test]
fn panes_cover_the_screen_in_every_layout() {
    for kind in [Kind::Grid, Kind::MainAndStack, Kind::Columns, Kind::Consult] {
        for count in 1..12 {
            for screen in [SCREEN, Area::new(20, 0, 60, 22), Area::new(0, 0, 300, 100)] {
                let consultants: Vec<bool> = (0..count).map(|i| i % 4 == 3).collect();
                let areas = Shape::of(&layout(kind), &consultants, screen).areas(screen);
                assert_eq!(areas.iter().map(|(i, _)| *i).collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
                covers(&areas, screen);
            }
        }
    }
}

/// Of four panes in one column the main one was the smallest.
#[test]
fn the_main_pane_is_the_largest_also_where_all_are_stacked() {
    let built_in = Layout::built_in().into_iter().find(|layout| layout.kind == Kind::MainAndStack).unwrap();
    for layout in [built_in, layout(Kind::MainAndStack)] {
        for rows in [16, 22, 38, 60] {
            let area = Area::new(28, 0, 92, rows);
            let count = Shape::capacity(&layout, area);
            let areas = Shape::of(&layout, &vec![false; count], area).areas(area);
            let heights: Vec<u16> = areas.iter().map(|(_, area)| area.rows).collect();
            assert!(heights.iter().all(|rows| *rows >= MIN_PANE.1), "{rows}: {heights:?}");
            let others = heights[1..].iter().max().copied().unwrap_or(0);
            assert!(heights[0] >= others, "{rows}: {heights:?}");
            assert!(rows < 22 || heights[0] > others, "{rows}: {heights:?}");
            assert!(rows < 16 || count > 1, "{rows}: {heights:?}");
        }
    }
}

#[test]
fn nothing_to_show_is_no_pane() {
    assert!(Shape::of(&layout(Kind::Grid), &[], SCREEN).areas(SCREEN).is_empty());
}

#[test]
fn a_grid_goes_by_the_room_there_is() {
    let columns = |count, area| Shape::of(&layout(Kind::Grid), &vec![false; count], area).columns.len();
    assert_eq!(columns(1, SCREEN), 1);
    assert_eq!(columns(4, SCREEN), 2);
    assert_eq!(columns(2, Area::new(20, 0, 60, 23)), 1, "a narrow screen stacks");
    assert_eq!(columns(4, Area::new(20, 0, 60, 23)), 1, "and has no slivers");
    assert_eq!(columns(2, Area::new(0, 0, 200, 24)), 2, "a flat screen lines up");
}

#[test]
fn the_main_pane_and_the_consultant_have_their_places() {
    let areas = Shape::of(&layout(Kind::MainAndStack), &[false; 3], SCREEN).areas(SCREEN);
    assert_eq!(areas[0].1, Area::new(0, 1, 96, 48));
    assert_eq!(areas[1].1, Area::new(96, 1, 64, 24));
    let areas = Shape::of(&layout(Kind::Consult), &[false, true, false], SCREEN).areas(SCREEN);
    assert_eq!(areas[1].1, Area::new(96, 1, 64, 48), "the consultant has the right side");
}

#[test]
fn a_dragged_border_follows_the_pointer_and_stops_before_a_pane_vanishes() {
    let mut shape = Shape::of(&layout(Kind::MainAndStack), &[false; 3], SCREEN);
    let border = shape.border_at(SCREEN, 95, 10).unwrap();
    assert_eq!(border, Border::Column(0));
    shape.drag(border, SCREEN, 119, 10);
    assert_eq!(shape.areas(SCREEN)[0].1.cols, 120);
    shape.drag(border, SCREEN, 159, 10);
    assert_eq!(shape.areas(SCREEN)[1].1.cols, MIN_DRAGGED.0);
    let border = shape.border_at(SCREEN, 150, 24).unwrap();
    assert_eq!(border, Border::Row(1, 0));
    shape.drag(border, SCREEN, 150, 30);
    assert_eq!(shape.areas(SCREEN)[1].1.rows, 30);
    assert_eq!(shape.border_at(SCREEN, 150, 31), Some(Border::Row(1, 0)), "the title of the pane below");
    assert_eq!(shape.border_at(SCREEN, 150, 0), None, "nothing stands above it");
    assert_eq!(shape.border_at(SCREEN, 50, 20), None);
}

#[test]
fn an_area_without_border_never_goes_below_nothing() {
    assert_eq!(Area::new(3, 4, 10, 5).inner(), Area::new(4, 5, 8, 3));
    assert_eq!(Area::new(3, 4, 1, 1).inner(), Area::new(4, 5, 0, 0));
    assert_eq!(Area::new(0, 0, 0, 0).inner(), Area::new(0, 0, 0, 0));
}

/// Five panes in two columns were three and two, each column cut by itself: no two borders met.
#[test]
fn the_rows_of_a_grid_line_up() {
    for count in 2..10 {
        let area = Area::new(0, 0, 250, 61);
        let areas = Shape::of(&layout(Kind::Grid), &vec![false; count], area).areas(area);
        let first: Vec<u16> = areas.iter().filter(|(_, a)| a.x == 0).map(|(_, a)| a.y + a.rows).collect();
        for (pane, place) in &areas {
            assert!(first.contains(&(place.y + place.rows)), "{count}: {pane} ends in the middle of a row");
        }
    }
}

#[test]
fn no_pane_is_too_small_for_a_dialog() {
    assert_eq!(Shape::capacity(&layout(Kind::Grid), Area::new(20, 0, 60, 23)), 2);
    assert_eq!(Shape::capacity(&layout(Kind::Grid), Area::new(34, 0, 166, 59)), 14);
    assert_eq!(Shape::capacity(&layout(Kind::Columns), Area::new(24, 0, 96, 39)), 1);
    assert_eq!(Shape::capacity(&layout(Kind::MainAndStack), Area::new(0, 0, 40, 9)), 1);
    let narrow = Area::new(20, 0, 60, 23);
    let areas = Shape::of(&layout(Kind::Consult), &[false, true], narrow).areas(narrow);
    assert_eq!(areas[1].1, Area::new(20, 11, 60, 12), "a consultant without room beside stands below");
}

#[test]
fn a_pane_grows_at_the_cost_of_its_neighbour() {
    let mut shape = Shape::of(&layout(Kind::MainAndStack), &[false; 3], SCREEN);
    let cols = |shape: &Shape, i: usize| shape.areas(SCREEN)[i].1.cols;
    shape.grow(0, 4, 0, SCREEN);
    assert_eq!((cols(&shape, 0), cols(&shape, 1)), (100, 60));
    shape.grow(1, 4, 0, SCREEN);
    assert_eq!((cols(&shape, 0), cols(&shape, 1)), (96, 64));
    shape.grow(1, 0, 2, SCREEN);
    shape.grow(2, 0, 4, SCREEN);
    assert_eq!(shape.areas(SCREEN)[1].1.rows, 22);
    shape.grow(7, 1, 1, SCREEN);
    shape.grow(0, 0, 9, SCREEN);
    assert_eq!(cols(&shape, 0), 96, "alone in its column there is nothing to take");
}
