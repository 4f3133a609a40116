//! The route from every router to every other.

use zerohop_document::{Problems, Span, Text};

use super::fabric::Routers;
use crate::file::tables::{MachineTable, RoutingWord};
use crate::{DirectedLink, Link, Routes};

/// A message names no more routers than this.
const NAMED: usize = 16;

/// The table of next links while it is built: a row per router, a column per destination.
struct Table<'t> {
    routers: &'t Routers,
    /// For each router, its neighbors and the links to them, in the order of the routers and then of the links.
    neighbours: Vec<Vec<(usize, DirectedLink)>>,
    next: Vec<Option<DirectedLink>>,
    /// The position of the rule in the file, if it states one.
    said: Vec<Option<Span>>,
}

pub(super) fn routes(
    tables: &MachineTable,
    routers: &Routers,
    links: &[Link],
    problems: &mut Problems,
) -> Option<Routes> {
    let count = routers.list.len();
    let mut neighbours = vec![Vec::new(); count];
    for (rank, link) in links.iter().enumerate() {
        for direction in 0..2 {
            neighbours[link.ends[direction]]
                .push((link.ends[1 - direction], DirectedLink::new(rank, direction)));
        }
    }
    neighbours.iter_mut().for_each(|of_one| of_one.sort_unstable());
    let mut table =
        Table { routers, neighbours, next: vec![None; count * count], said: vec![None; count * count] };
    table.expect_connected(problems)?;
    let routed = match tables.routing.kind {
        RoutingWord::Shortest => {
            table.shortest();
            Some(())
        }
        RoutingWord::Yx => table.yx(tables.routing.table_place, problems),
        RoutingWord::Table => {
            table.neighbours_only();
            Some(())
        }
    };
    table.exceptions(tables, problems)?;
    routed?;
    table.expect_complete(tables.routing.table_place, problems)?;
    table.expect_arrival(links, tables.routing.table_place, problems)?;
    Some(Routes::new(count, table.next))
}

impl Table<'_> {
    fn count(&self) -> usize {
        self.routers.list.len()
    }

    fn name(&self, router: usize) -> &str {
        &self.routers.list[router].name
    }

    /// The lowest number of links from every router to `to`.
    fn distances(&self, to: usize) -> Vec<Option<u32>> {
        let mut distances = vec![None; self.count()];
        distances[to] = Some(0);
        let mut reached = vec![to];
        let mut at = 0;
        while let Some(&router) = reached.get(at) {
            at += 1;
            for &(neighbour, _) in &self.neighbours[router] {
                if distances[neighbour].is_none() {
                    distances[neighbour] = distances[router].map(|hops| hops + 1);
                    reached.push(neighbour);
                }
            }
        }
        distances
    }

    fn expect_connected(&self, problems: &mut Problems) -> Option<()> {
        let alone = self.distances(0).iter().position(Option::is_none);
        let Some(alone) = alone else { return Some(()) };
        let message = format!("no path from router `{}` to router `{}`", self.name(0), self.name(alone));
        let hint = format!("add a `[link.NAME]` with `ends = [\"…\", \"{}\"]`", self.name(alone));
        problems.add_with_hint(self.routers.places[alone], message, hint);
        None
    }

    fn shortest(&mut self) {
        let count = self.count();
        for to in 0..count {
            let distances = self.distances(to);
            for from in (0..count).filter(|&from| from != to) {
                let nearer = |&&(over, _): &&(usize, DirectedLink)| {
                    distances[over].zip(distances[from]).is_some_and(|(over, from)| over < from)
                };
                self.next[from * count + to] =
                    self.neighbours[from].iter().find(nearer).map(|&(_, link)| link);
            }
        }
    }

    fn neighbours_only(&mut self) {
        let count = self.count();
        for from in 0..count {
            for &(over, link) in self.neighbours[from].iter().rev() {
                self.next[from * count + over] = Some(link);
            }
        }
    }

    /// Along the column to the row of the destination, then along the row.
    fn yx(&mut self, place: Span, problems: &mut Problems) -> Option<()> {
        let count = self.count();
        let mut positions = Vec::new();
        for (rank, router) in self.routers.list.iter().enumerate() {
            let Some(position) = router.position else {
                let message =
                    format!("YX routing needs a position for every router, but `{}` has none", router.name);
                let hint = "write, for example, `position = [0, 1]`";
                problems.add_with_hint(self.routers.places[rank], message, hint);
                return None;
            };
            positions.push(position);
        }
        for from in 0..count {
            for to in (0..count).filter(|&to| to != from) {
                let (here, there) = (positions[from], positions[to]);
                let axis = usize::from(here[1] != there[1]);
                // The nearest one on the line towards it that does not lie beyond it.
                let towards = |&&(over, _): &&(usize, DirectedLink)| {
                    let over = positions[over];
                    let (step, way) = (over[axis] - here[axis], there[axis] - here[axis]);
                    over[1 - axis] == here[1 - axis]
                        && step.signum() == way.signum()
                        && step.abs() <= way.abs()
                };
                let nearest =
                    |&&(over, _): &&(usize, DirectedLink)| positions[over][axis].abs_diff(here[axis]);
                let next = self.neighbours[from].iter().filter(towards).min_by_key(nearest);
                let Some(&(_, link)) = next else {
                    let line = ["row", "column"][axis];
                    let message = format!(
                        "no link leads from router `{}` along its {line} towards router `{}`",
                        self.name(from),
                        self.name(to)
                    );
                    let hint =
                        "YX routing follows the column first; add a link, or use `kind = \"shortest\"`";
                    problems.add_with_hint(place, message, hint);
                    return None;
                };
                self.next[from * count + to] = Some(link);
            }
        }
        Some(())
    }

    /// Applies `[routing.next]`.
    fn exceptions(&mut self, tables: &MachineTable, problems: &mut Problems) -> Option<()> {
        let count = self.count();
        let mut right = true;
        for row in tables.routing.next.iter() {
            let name = Text { text: row.name.clone(), place: row.place };
            let Some(from) = self.routers.rank(&name, problems) else {
                right = false;
                continue;
            };
            for cell in row.value.iter() {
                let name = Text { text: cell.name.clone(), place: cell.place };
                let (to, over) =
                    (self.routers.rank(&name, problems), self.routers.rank(&cell.value, problems));
                let (Some(to), Some(over)) = (to, over) else {
                    right = false;
                    continue;
                };
                if to == from {
                    problems.add(cell.place, format!("packets for router `{}` are already there", name.text));
                    right = false;
                    continue;
                }
                let link = self.neighbours[from].iter().find(|&&(neighbour, _)| neighbour == over);
                let Some(&(_, link)) = link else {
                    let message =
                        format!("no link from router `{}` to router `{}`", row.name, cell.value.text);
                    problems.add_with_hint(cell.value.place, message, self.where_links_lead(from));
                    right = false;
                    continue;
                };
                self.next[from * count + to] = Some(link);
                self.said[from * count + to] = Some(cell.value.place);
            }
        }
        right.then_some(())
    }

    fn where_links_lead(&self, from: usize) -> String {
        let mut names: Vec<String> =
            self.neighbours[from].iter().map(|&(over, _)| format!("`{}`", self.name(over))).collect();
        names.dedup();
        let more = names.len().saturating_sub(NAMED);
        names.truncate(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("its links lead to {}{more}", names.join(", "))
    }

    fn expect_complete(&self, place: Span, problems: &mut Problems) -> Option<()> {
        let count = self.count();
        let open: Vec<usize> =
            (0..count * count).filter(|&at| at / count != at % count && self.next[at].is_none()).collect();
        let Some(&first) = open.first() else { return Some(()) };
        let (from, to) = (self.name(first / count), self.name(first % count));
        let more = match open.len() {
            1 => String::new(),
            several => format!(" (and {} more)", several - 1),
        };
        let message = format!(
            "`[routing.next]` has no next router for packets at router `{from}` to router `{to}`{more}"
        );
        problems.add_with_hint(
            place,
            message,
            format!("write, for example, `{from} = {{ {to} = \"…\" }}` there"),
        );
        None
    }

    /// Checks that every packet arrives: steps towards a destination never return to an earlier router.
    fn expect_arrival(&self, links: &[Link], place: Span, problems: &mut Problems) -> Option<()> {
        let count = self.count();
        for to in 0..count {
            let step = |at: usize| {
                let link = self.next[at * count + to]?;
                Some(links[link.link()].ends[1 - link.direction()])
            };
            // The start from which each router was first reached.
            let mut met = vec![None; count];
            met[to] = Some(to);
            for start in (0..count).filter(|&start| start != to) {
                let mut at = start;
                while met[at].is_none() {
                    met[at] = Some(start);
                    at = step(at)?;
                }
                if met[at] == Some(start) {
                    let mut circle = vec![at];
                    while let Some(next) = step(circle[circle.len() - 1]).filter(|&next| next != at) {
                        circle.push(next);
                    }
                    self.report_circle(&circle, to, place, problems);
                    return None;
                }
            }
        }
        Some(())
    }

    fn report_circle(&self, circle: &[usize], to: usize, place: Span, problems: &mut Problems) {
        let names: Vec<String> =
            circle.iter().chain(circle.first()).map(|&router| format!("`{}`", self.name(router))).collect();
        let way = match names.len() {
            0..=NAMED => names.join(" to "),
            many => format!("{} and {} routers more", names[..NAMED].join(" to "), many - NAMED),
        };
        let message = format!("packets for router `{}` travel in a cycle: {way}", self.name(to));
        let said = circle.iter().find_map(|&router| self.said[router * self.count() + to]);
        let hint = format!("one of these routers must send them toward `{}`", self.name(to));
        problems.add_with_hint(said.unwrap_or(place), message, hint);
    }
}
