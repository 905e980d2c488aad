//! Where the parts of the screen are, and which agents have a pane on it.
//!
//! `update.rs` asks it what the server shall show, the views where to draw. Pure.

use crate::core::agent::Duty;
use crate::core::layout::{Area, Kind, Layout, Shape};
use crate::wire::message::Pane;

use super::agent::Agent;
use super::mode::Mode;
use super::state::State;
use super::window;

/// Narrower than this a list would leave no room for an agent beside it; agents have tabs instead.
const MIN_COLS_FOR_LIST: u16 = 80;
/// From here on the list has room for the states' names too.
const WIDE_COLS: u16 = 100;
/// A mark, a number, a name and a time; then, with the state's name, as much as long names need.
const LIST_COLS: u16 = 20;
const WIDE_LIST_COLS: (u16, u16) = (28, 34);
/// Below this there is no room for a row of tabs.
const MIN_ROWS_FOR_TABS: u16 = 12;
/// A line of the story is a sentence or two.
const STORY_ROWS: u16 = 2;
const MIN_ROWS_FOR_STORY: u16 = 14;
/// Smaller than this nothing that matters can be shown.
pub const LEAST: (u16, u16) = (40, 10);

/// Where the parts of the screen are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Regions {
    pub list: Area,
    pub tabs: Area,
    pub panes: Area,
    /// All of it but what is told at the bottom: where boxes lie.
    pub over: Area,
    pub story: Area,
    pub status: Area,
}

impl State {
    /// There is too little room to show anything.
    pub fn cramped(&self) -> bool {
        self.size.0 < LEAST.0 || self.size.1 < LEAST.1
    }

    pub fn regions(&self) -> Regions {
        let (cols, rows) = self.size;
        let status_rows = u16::from(rows >= 2);
        // A story without room for the team would be about nothing.
        let told = if self.story.is_some() && rows >= MIN_ROWS_FOR_STORY { STORY_ROWS } else { 0 };
        let body = rows - status_rows - told;
        let list = match cols {
            _ if self.zoomed => 0,
            0..MIN_COLS_FOR_LIST => 0,
            MIN_COLS_FOR_LIST..WIDE_COLS => LIST_COLS,
            _ => (cols / 5).clamp(WIDE_LIST_COLS.0, WIDE_LIST_COLS.1),
        };
        let tabs = u16::from(list == 0 && !self.zoomed && rows >= MIN_ROWS_FOR_TABS && self.agents.len() > 1);
        Regions {
            list: Area::new(0, 0, list, body),
            tabs: Area::new(0, 0, if tabs > 0 { cols } else { 0 }, tabs),
            panes: Area::new(list, tabs, cols - list, body - tabs),
            over: Area::new(0, 0, cols, body),
            story: Area::new(0, body, cols, told),
            status: Area::new(0, body + told, cols, status_rows),
        }
    }

    pub fn layout_now(&self) -> Option<&Layout> {
        self.layouts.get(self.layout)
    }

    /// Agents that the layout shows, in the order of their panes.
    pub fn members(&self) -> Vec<usize> {
        let wanted = self.layout_now().map(|layout| layout.agents.as_slice()).unwrap_or_default();
        let index = |name: &String| self.agents.iter().position(|agent| agent.info.name == *name);
        let mut chosen: Vec<usize> = wanted.iter().filter_map(index).collect();
        if chosen.is_empty() {
            chosen = (0..self.agents.len()).collect();
            // One that never ran takes no room from those who do.
            let last = |agent: &Agent| (agent.failed(), agent.info.role == Duty::Consultant);
            chosen.sort_by_key(|i| last(&self.agents[*i]));
        }
        chosen.retain(|i| !self.hidden.contains(&self.agents[*i].info.name));
        // Those that were swapped stand where they were put, the others where they were.
        let place = |i: &usize| self.order.iter().position(|name| *name == self.agents[*i].info.name);
        let mut swapped: Vec<usize> = chosen.iter().copied().filter(|i| place(i).is_some()).collect();
        swapped.sort_by_key(place);
        let mut swapped = swapped.into_iter();
        for i in &mut chosen {
            if place(i).is_some() {
                *i = swapped.next().expect("as many as were taken out");
            }
        }
        chosen
    }

    /// Exchanges the focused pane with another one, so many places on.
    pub fn swap(&mut self, by: isize) {
        let members = self.members();
        let names: Vec<String> = members.iter().map(|i| self.agents[*i].info.name.clone()).collect();
        let Some(at) = names.iter().position(|name| Some(name) == self.focus.as_ref()) else { return };
        let other = (at as isize + by).rem_euclid(names.len() as isize) as usize;
        self.order = names;
        self.order.swap(at, other);
    }

    /// Whose page is shown: the asker's while its question is answered, else the focused one's.
    fn looked_at(&self) -> Option<&str> {
        let asker = self.in_drawer().map(|question| question.agent.as_str());
        let asker = asker.filter(|name| self.agent(name).is_some());
        let shown = |name: &&str| {
            self.page_of(self.focus.as_deref()).iter().any(|i| self.agents[*i].info.name == **name)
        };
        match asker {
            Some(name) if !shown(&name) => Some(name),
            _ => self.focus.as_deref(),
        }
    }

    /// The agents on the screen now.
    pub fn page(&self) -> Vec<usize> {
        self.page_of(self.looked_at())
    }

    /// The page of the layout that holds this agent.
    fn page_of(&self, name: Option<&str>) -> Vec<usize> {
        let members = self.members();
        let at = members.iter().position(|i| Some(self.agents[*i].info.name.as_str()) == name);
        if self.zoomed || at.is_none() && name.is_some() {
            let index = self.agents.iter().position(|agent| Some(agent.info.name.as_str()) == name);
            return index.into_iter().collect();
        }
        let Some(layout) = self.layout_now() else { return Vec::new() };
        let area = self.regions().panes;
        let capacity = Shape::capacity(layout, area).max(1);
        let chunk = |of: &[usize], at: usize| -> Vec<usize> {
            of.iter().skip(at / capacity * capacity).take(capacity).copied().collect()
        };
        match layout.kind {
            Kind::Consult if Shape::two_columns(area) => {
                let answers = |i: &usize| self.agents[*i].info.role == Duty::Consultant;
                let (right, left): (Vec<usize>, Vec<usize>) = members.iter().partition(|i| answers(i));
                let place = |of: &[usize]| {
                    of.iter().position(|i| Some(self.agents[*i].info.name.as_str()) == name).unwrap_or(0)
                };
                let mut page = chunk(&left, place(&left));
                page.extend(chunk(&right, place(&right)));
                page
            }
            // The main pane is the focused agent's.
            Kind::MainAndStack => {
                let main = at.map(|at| members[at]).or(members.first().copied());
                let rest = members.iter().copied().filter(|i| Some(*i) != main);
                main.into_iter().chain(rest).take(capacity).collect()
            }
            Kind::Grid | Kind::Columns | Kind::Consult => chunk(&members, at.unwrap_or(0)),
        }
    }

    /// Which page is shown, of how many; `None` if there is only one.
    pub fn pages(&self) -> Option<(usize, usize)> {
        let (members, shown) = (self.members(), self.page());
        if self.zoomed || shown.is_empty() || shown.len() >= members.len() {
            return None;
        }
        let at = members.iter().position(|i| shown.contains(i))?;
        // The last page may hold fewer than the others.
        let layout = self.layout_now()?;
        let room = match layout.kind {
            Kind::Grid | Kind::Columns => Shape::capacity(layout, self.regions().panes),
            Kind::MainAndStack | Kind::Consult => shown.len(),
        };
        let each = room.max(shown.len());
        Some((at / each + 1, members.len().div_ceil(each)))
    }

    /// Brings the arrangement up to date; what was dragged stays while the panes stay.
    pub fn arrange(&mut self) {
        self.settle_focus();
        self.reshape();
    }

    /// The shape that goes with the agents that are shown now.
    pub(super) fn reshape(&mut self) {
        let consultants: Vec<bool> =
            self.page().iter().map(|i| self.agents[*i].info.role == Duty::Consultant).collect();
        let Some(layout) = self.layouts.get(self.layout) else { return };
        let shape = Shape::of(layout, &consultants, self.regions().panes);
        if !shape.same_panes(&self.shape) {
            self.shape = shape;
        }
    }

    /// The panes on the screen: whose, and where.
    pub fn panes(&self) -> Vec<(&Agent, Area)> {
        let page = self.page();
        let area = self.regions().panes;
        let places = self.shape.areas(area);
        places.into_iter().filter_map(|(i, area)| Some((self.agents.get(*page.get(i)?)?, area))).collect()
    }

    /// Whose panes would be where in this layout, as it is without what was dragged.
    pub fn places_in(&mut self, layout: usize) -> Vec<(String, Area)> {
        let now = (self.layout, self.zoomed, std::mem::take(&mut self.shape));
        (self.layout, self.zoomed) = (layout, false);
        self.arrange();
        let places = self.panes().into_iter().map(|(agent, area)| (agent.info.name.clone(), area)).collect();
        (self.layout, self.zoomed, self.shape) = now;
        places
    }

    /// Where one agent's pane is.
    pub fn pane_of(&self, name: &str) -> Option<Area> {
        self.panes().into_iter().find(|(agent, _)| agent.info.name == name).map(|(_, area)| area)
    }

    /// Makes the focused pane wider or higher.
    pub fn grow(&mut self, cols: i16, rows: i16) {
        let (area, page) = (self.regions().panes, self.page());
        let focused = |i: &usize| Some(&self.agents[*i].info.name) == self.focus.as_ref();
        if let Some(index) = page.iter().position(focused) {
            self.shape.grow(index, cols, rows, area);
        }
    }

    /// What the server shall show us, with the room each has.
    pub fn wanted_panes(&self) -> Vec<Pane> {
        if self.cramped() {
            return Vec::new();
        }
        let pane = |(agent, area): (&Agent, Area)| Pane {
            name: agent.info.name.clone(),
            size: window::screen_of(area),
        };
        self.panes().into_iter().filter(|(agent, _)| !agent.failed()).map(pane).collect()
    }

    /// The cells of a pane that something lies over, from its lower edge.
    pub fn covered(&self, name: &str) -> bool {
        matches!(self.mode, Mode::Drawer(_))
            && self.in_drawer().is_some_and(|question| question.agent == name)
    }
}
