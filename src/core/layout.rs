//! How panes share the screen: columns of panes stacked above each other, and nothing else.
//!
//! The dashboard asks it where each agent's pane is; mouse drags move the borders by changing weights.
//! Layouts come as TOML text, the built-in ones embedded. Pure arithmetic: it draws nothing.

use serde::Deserialize;

use super::toml_fault::{self, Fault};

/// The built-in layouts, in the order in which they are stepped through.
const BUILT_IN: [&str; 4] = [
    include_str!("../../layouts/grid.toml"),
    include_str!("../../layouts/main-and-stack.toml"),
    include_str!("../../layouts/columns.toml"),
    include_str!("../../layouts/consult.toml"),
];

/// In a smaller pane an agent's dialog breaks in the middle of its words, or does not fit: agents that
/// would get less take turns on pages.
const MIN_PANE: (u16, u16) = (60, 8);
/// As far as a person may draw a border: a title and two rows are left.
const MIN_DRAGGED: (u16, u16) = (16, 4);
/// What agents draw their dialogs for; more room does not make a pane better.
const GOOD_PANE: (u16, u16) = (80, 22);
/// Shares are counted in thousandths, so that a drag of one column is not lost to rounding.
const WHOLE: u32 = 1000;

/// A rectangle of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Area {
    pub x: u16,
    pub y: u16,
    pub cols: u16,
    pub rows: u16,
}

impl Area {
    pub fn new(x: u16, y: u16, cols: u16, rows: u16) -> Area {
        Area { x, y, cols, rows }
    }

    pub fn contains(self, col: u16, row: u16) -> bool {
        (self.x..self.x.saturating_add(self.cols)).contains(&col)
            && (self.y..self.y.saturating_add(self.rows)).contains(&row)
    }

    /// Without its border of one cell.
    pub fn inner(self) -> Area {
        let inset = |at: u16, length: u16| (at + u16::from(length > 0), length.saturating_sub(2));
        let ((x, cols), (y, rows)) = (inset(self.x, self.cols), inset(self.y, self.rows));
        Area { x, y, cols, rows }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    Grid,
    MainAndStack,
    Columns,
    /// Workers left, consultants right.
    Consult,
}

/// One layout, as its file describes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    pub name: String,
    pub kind: Kind,
    /// Percent of the width for the first column of `main-and-stack` and `consult`.
    #[serde(default = "half")]
    pub main: u8,
    /// Only these agents, in this order; empty: all.
    #[serde(default)]
    pub agents: Vec<String>,
}

fn half() -> u8 {
    50
}

impl Layout {
    /// # Errors
    /// It is no TOML, has other keys, or leaves a side without room.
    pub fn parse(text: &str) -> Result<Layout, Fault> {
        let layout: Layout = toml_fault::read(text)?;
        if !(10..=90).contains(&layout.main) {
            let what = format!("{} leaves a side without room; use 10 to 90", layout.main);
            return Err(Fault { at: toml_fault::value_at(text, "main"), key: "main".to_owned(), what });
        }
        Ok(layout)
    }

    /// The layouts that come with the program.
    pub fn built_in() -> Vec<Layout> {
        let parse = |text: &&str| Layout::parse(text).expect("the embedded layouts are tested");
        BUILT_IN.iter().map(parse).collect()
    }
}

/// Panes by column: how many in each, and how much room each gets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shape {
    pub columns: Vec<Column>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Column {
    weight: u32,
    /// Index of the pane's agent in the list given to `Shape::of`, and its share of the height.
    panes: Vec<(usize, u32)>,
}

/// A border that a drag moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Border {
    /// Between this column and the next.
    Column(usize),
    /// In this column, below this pane.
    Row(usize, usize),
}

impl Shape {
    /// The arrangement of as many agents as fit into `area`; `consultants` says which of them answer.
    pub fn of(layout: &Layout, consultants: &[bool], area: Area) -> Shape {
        let all: Vec<usize> = (0..consultants.len()).collect();
        let main = u32::from(layout.main) * WHOLE / 100;
        let split = |left: &[usize], right: &[usize]| match (left.is_empty(), right.is_empty()) {
            (true, _) => Shape::columns(&[(WHOLE, right)]),
            (_, true) => Shape::columns(&[(WHOLE, left)]),
            _ => Shape::columns(&[(main, left), (WHOLE - main, right)]),
        };
        match layout.kind {
            Kind::Columns => {
                let single: Vec<(u32, &[usize])> = all.chunks(1).map(|one| (WHOLE, one)).collect();
                Shape::columns(&single)
            }
            // Where two do not fit beside each other all are stacked, and the main one has its share of the rows.
            Kind::MainAndStack if across(area) < 2 => {
                Shape::columns(&[(WHOLE, &all)]).with_main(layout, area)
            }
            Kind::Consult if across(area) < 2 => Shape::columns(&[(WHOLE, &all)]),
            Kind::MainAndStack => split(&all[..all.len().min(1)], all.get(1..).unwrap_or_default()),
            Kind::Consult => {
                let (right, left): (Vec<usize>, Vec<usize>) = all.iter().partition(|i| consultants[**i]);
                split(&left, &right)
            }
            Kind::Grid => {
                let count = grid_columns(all.len(), area);
                let column = |c: usize| all.iter().copied().filter(move |i| i % count == c).collect();
                let columns: Vec<Vec<usize>> = (0..count).map(column).collect();
                let weighed: Vec<(u32, &[usize])> = columns.iter().map(|c| (WHOLE, c.as_slice())).collect();
                Shape::columns(&weighed).lined_up(all.len().div_ceil(count))
            }
        }
    }

    /// The first pane of each column has the main one's share of its height, the others what is left.
    fn with_main(mut self, layout: &Layout, area: Area) -> Shape {
        let main = u32::from(main_rows(layout, area));
        for column in &mut self.columns {
            let others = column.panes.len().saturating_sub(1) as u32;
            for (at, (_, weight)) in column.panes.iter_mut().enumerate().filter(|_| others > 0) {
                *weight = if at == 0 { main * others } else { u32::from(area.rows) - main };
            }
        }
        self
    }

    /// The last pane of a column that has fewer gets the room of those it lacks, so that all rows line up.
    fn lined_up(mut self, rows: usize) -> Shape {
        for column in &mut self.columns {
            let lacking = rows.saturating_sub(column.panes.len()) as u32;
            if let Some((_, weight)) = column.panes.last_mut() {
                *weight += lacking * WHOLE;
            }
        }
        self
    }

    fn columns(columns: &[(u32, &[usize])]) -> Shape {
        let column = |(weight, panes): &(u32, &[usize])| Column {
            weight: *weight,
            panes: panes.iter().map(|pane| (*pane, WHOLE)).collect(),
        };
        Shape { columns: columns.iter().filter(|(_, panes)| !panes.is_empty()).map(column).collect() }
    }

    /// How many panes this layout can show in `area` before they get too small; for `Consult`, how many of
    /// each sort.
    pub fn capacity(layout: &Layout, area: Area) -> usize {
        let (across, down) = (across(area), usize::from((area.rows / MIN_PANE.1).max(1)));
        match layout.kind {
            Kind::Grid => across * down,
            Kind::Columns => across,
            // The others share what the main one leaves.
            Kind::MainAndStack if across < 2 && down > 1 => {
                1 + usize::from((area.rows - main_rows(layout, area)) / MIN_PANE.1)
            }
            Kind::MainAndStack if across < 2 => 1,
            Kind::MainAndStack => 1 + down,
            Kind::Consult => down,
        }
    }

    /// Whether workers and consultants have room beside each other.
    pub fn two_columns(area: Area) -> bool {
        across(area) >= 2
    }

    /// Whether both have the same panes at the same places, whatever room each has.
    pub fn same_panes(&self, other: &Shape) -> bool {
        let places = |shape: &Shape| -> Vec<Vec<usize>> {
            shape.columns.iter().map(|c| c.panes.iter().map(|(pane, _)| *pane).collect()).collect()
        };
        places(self) == places(other)
    }

    /// Where each pane is, by its agent's index. Together they cover `area` exactly.
    pub fn areas(&self, area: Area) -> Vec<(usize, Area)> {
        let mut out = Vec::new();
        let widths = shares(area.cols, &self.columns.iter().map(|c| c.weight).collect::<Vec<_>>());
        let mut x = area.x;
        for (column, cols) in self.columns.iter().zip(widths) {
            let heights = shares(area.rows, &column.panes.iter().map(|(_, w)| *w).collect::<Vec<_>>());
            let mut y = area.y;
            for ((pane, _), rows) in column.panes.iter().zip(heights) {
                out.push((*pane, Area { x, y, cols, rows }));
                y += rows;
            }
            x += cols;
        }
        out.sort_by_key(|(pane, _)| *pane);
        out
    }

    /// The border under this cell, if a drag there would move one.
    pub fn border_at(&self, area: Area, col: u16, row: u16) -> Option<Border> {
        let places = self.areas(area);
        let of = |pane: usize| places.iter().find(|(p, _)| *p == pane).map(|(_, a)| *a);
        for (c, column) in self.columns.iter().enumerate() {
            for (r, (pane, _)) in column.panes.iter().enumerate() {
                let Some(place) = of(*pane).filter(|place| place.contains(col, row)) else { continue };
                let (right, left) = (col + 1 == place.x + place.cols, col == place.x);
                if right && c + 1 < self.columns.len() {
                    return Some(Border::Column(c));
                }
                if left && c > 0 {
                    return Some(Border::Column(c - 1));
                }
                // Both rows of it: the lower edge of one pane, and the title of the next.
                let (bottom, title) = (row + 1 == place.y + place.rows, row == place.y);
                if bottom && r + 1 < column.panes.len() {
                    return Some(Border::Row(c, r));
                }
                return (title && r > 0).then(|| Border::Row(c, r - 1));
            }
        }
        None
    }

    /// Makes the pane of the agent with this index so many columns wider and rows higher, as far as its
    /// neighbours have room.
    pub fn grow(&mut self, index: usize, cols: i16, rows: i16, area: Area) {
        let place = self.areas(area).into_iter().find(|(pane, _)| *pane == index).map(|(_, place)| place);
        let at = self
            .columns
            .iter()
            .enumerate()
            .find_map(|(c, column)| Some((c, column.panes.iter().position(|(pane, _)| *pane == index)?)));
        let (Some(place), Some((column, row))) = (place, at) else { return };
        let moved = |edge: u16, by: i16| edge.saturating_add_signed(by).saturating_sub(1);
        if cols != 0 && column + 1 < self.columns.len() {
            self.drag(Border::Column(column), area, moved(place.x + place.cols, cols), place.y);
        } else if cols != 0 && column > 0 {
            self.drag(Border::Column(column - 1), area, moved(place.x, -cols), place.y);
        }
        if rows != 0 && row + 1 < self.columns[column].panes.len() {
            self.drag(Border::Row(column, row), area, place.x, moved(place.y + place.rows, rows));
        } else if rows != 0 && row > 0 {
            self.drag(Border::Row(column, row - 1), area, place.x, moved(place.y, -rows));
        }
    }

    /// Moves a border to where the pointer is.
    pub fn drag(&mut self, border: Border, area: Area, col: u16, row: u16) {
        match border {
            Border::Column(left) => {
                let mut weights: Vec<u32> = self.columns.iter().map(|c| c.weight).collect();
                move_border(&mut weights, left, area.cols, col.saturating_sub(area.x) + 1, MIN_DRAGGED.0);
                self.columns.iter_mut().zip(weights).for_each(|(column, weight)| column.weight = weight);
            }
            Border::Row(column, above) => {
                let Some(column) = self.columns.get_mut(column) else { return };
                let mut weights: Vec<u32> = column.panes.iter().map(|(_, weight)| *weight).collect();
                move_border(&mut weights, above, area.rows, row.saturating_sub(area.y) + 1, MIN_DRAGGED.1);
                column.panes.iter_mut().zip(weights).for_each(|(pane, weight)| pane.1 = weight);
            }
        }
    }
}

/// The rows of the main pane where all are stacked: its share, as far as that leaves room for another one.
fn main_rows(layout: &Layout, area: Area) -> u16 {
    let share = u32::from(area.rows) * u32::from(layout.main) / 100;
    (share as u16).min(area.rows.saturating_sub(MIN_PANE.1)).max(1)
}

/// How many panes fit beside each other.
fn across(area: Area) -> usize {
    usize::from((area.cols / MIN_PANE.0).max(1))
}

/// Cuts `length` by weight into parts that add up to it.
fn shares(length: u16, weights: &[u32]) -> Vec<u16> {
    let total: u64 = weights.iter().map(|w| u64::from(*w)).sum::<u64>().max(1);
    let (mut seen, mut used) = (0, 0);
    let mut out = Vec::with_capacity(weights.len());
    for weight in weights {
        seen += u64::from(*weight);
        let end = (u64::from(length) * seen / total) as u16;
        out.push(end - used);
        used = end;
    }
    out
}

/// Gives the part `index` and the next one the lengths that put their border at `position`.
fn move_border(weights: &mut [u32], index: usize, length: u16, position: u16, least: u16) {
    let lengths = shares(length, weights);
    if index + 1 >= lengths.len() {
        return;
    }
    let start: u16 = lengths[..index].iter().sum();
    let both = lengths[index] + lengths[index + 1];
    if both < 2 * least {
        return;
    }
    let first = position.saturating_sub(start).clamp(least, both - least);
    for (weight, cells) in weights.iter_mut().zip(lengths) {
        *weight = u32::from(cells) * WHOLE;
    }
    weights[index] = u32::from(first) * WHOLE;
    weights[index + 1] = u32::from(both - first) * WHOLE;
}

/// The number of columns that leaves the panes closest to what agents draw for.
fn grid_columns(count: usize, area: Area) -> usize {
    let worth = |columns: usize| {
        let down = count.max(1).div_ceil(columns) as u32;
        let share = |has: u32, good: u16| has.min(u32::from(good)) * WHOLE / u32::from(good);
        let across = share(u32::from(area.cols) / columns as u32, GOOD_PANE.0);
        let upright = share(u32::from(area.rows) / down, GOOD_PANE.1);
        // What a pane lacks most counts first.
        (across.min(upright), across * upright)
    };
    // Of equals the one with full rows, then the one with the most columns.
    let full = |columns: usize| count.is_multiple_of(columns);
    let down = usize::from((area.rows / MIN_PANE.1).max(1));
    let fits = |columns: &usize| count.div_ceil(*columns) <= down;
    let across = across(area).min(count.max(1));
    let best = |columns: &usize| (worth(*columns), full(*columns));
    (1..=across).filter(fits).max_by_key(best).unwrap_or(across)
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
