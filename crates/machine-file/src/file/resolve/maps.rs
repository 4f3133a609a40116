//! Distribution of a memory's lines over its home agents and channels.

use zerohop_document::{Named, Names, Problems, Span, Text, suggest};

use super::fabric::Routers;
use crate::file::tables::{HashTable, MachineTable};
use crate::hardware::UnitsTable;
use crate::{AddressHash, LINE, Spread};

/// The hash that needs no table.
const MIXED: &str = "mixed";

/// The number of units that one character can denote.
const MOST_HASHED: u16 = 62;

/// The most bits of a hash.
const MOST_BITS: usize = 16;

/// The hashes of addresses and the clusters of routers that a file defines.
pub(super) struct Maps {
    hashes: Vec<(String, AddressHash)>,
    /// For each division, the cluster of each router.
    divisions: Vec<(String, Vec<Option<usize>>)>,
}

/// Distribution of lines over channels.
pub(super) struct ChannelMap {
    pub(super) spread: Spread,
    pub(super) of_home: Vec<Vec<usize>>,
}

impl Maps {
    pub(super) fn new(tables: &MachineTable, routers: &Routers, problems: &mut Problems) -> Option<Self> {
        let hashes: Vec<Option<_>> = tables.hash.iter().map(|part| hash(part, problems)).collect();
        let divisions: Vec<Option<_>> = tables
            .cluster
            .iter()
            .map(|part| Some((part.name.clone(), division(part.value.iter(), routers, problems)?)))
            .collect();
        Some(Self {
            hashes: hashes.into_iter().collect::<Option<_>>()?,
            divisions: divisions.into_iter().collect::<Option<_>>()?,
        })
    }

    /// Distribution of lines over `count` home agents.
    pub(super) fn homes(&self, table: &UnitsTable, count: usize, problems: &mut Problems) -> Option<Spread> {
        if let Some(within) = &table.within {
            let message =
                "lines go to home agents first: only channels can be chosen within a home agent's cluster";
            problems.add_with_hint(within.place, message, "omit `within`, or write it for the channels");
            return None;
        }
        self.spread("home agent", table, count, problems)
    }

    /// Distribution of lines over the channels of these ranks, which are at routers `at`, from home agents at routers `homes`.
    pub(super) fn channels(
        &self,
        table: &UnitsTable,
        ranks: &[usize],
        at: &[usize],
        homes: &[usize],
        problems: &mut Problems,
    ) -> Option<ChannelMap> {
        let spread = self.spread("channel", table, ranks.len(), problems)?;
        let Some(within) = &table.within else { return Some(ChannelMap { spread, of_home: Vec::new() }) };
        if let Spread::Hashed(_) = spread {
            let message = "a hash by a table chooses among all channels, not among those of a cluster";
            problems.add_with_hint(within.place, message, "omit `within`, or write `hash = \"mixed\"`");
            return None;
        }
        let Some((_, cluster)) = self.divisions.iter().find(|(name, _)| *name == within.text) else {
            let hint = suggest(&within.text, self.divisions.iter().map(|(name, _)| name.as_str()));
            let message = format!("no division of routers `{}`", within.text);
            problems.add_with_hint(within.place, message, hint);
            return None;
        };
        let of_home = |&home: &usize| -> Vec<usize> {
            let near = |&(_, &router): &(&usize, &usize)| {
                cluster[home].is_some() && cluster[home] == cluster[router]
            };
            ranks.iter().zip(at).filter(near).map(|(&rank, _)| rank).collect()
        };
        let of_home: Vec<Vec<usize>> = homes.iter().map(of_home).collect();
        if of_home.iter().any(Vec::is_empty) {
            let message = format!("a home agent has no channel in its own cluster of `{}`", within.text);
            let hint = "every router with home agents must be in a cluster with channels";
            problems.add_with_hint(within.place, message, hint);
            return None;
        }
        Some(ChannelMap { spread, of_home })
    }

    /// By granularity, or by a hash.
    fn spread(
        &self,
        what: &str,
        table: &UnitsTable,
        count: usize,
        problems: &mut Problems,
    ) -> Option<Spread> {
        match (&table.interleave, &table.hash) {
            (None, None) if count == 1 => Some(Spread::Interleaved(LINE)),
            (None, None) => {
                let message = format!("no interleaving given for memory over {count} {what}s");
                problems.add_with_hint(
                    table.table_place,
                    message,
                    "write, for example, `interleave = \"256 B\"`",
                );
                None
            }
            (Some(_), Some(hash)) => {
                let message = format!("lines are spread over {what}s either by `interleave` or by a `hash`");
                let hint = "omit one of them; `remove` removes the one of an extended file";
                problems.add_with_hint(hash.place, message, hint);
                None
            }
            (Some(grain), None) if grain.value.get().is_multiple_of(LINE.get()) => {
                Some(Spread::Interleaved(grain.value))
            }
            (Some(grain), None) => {
                let message = format!("{} is not a multiple of the line size, {LINE}", grain.value);
                problems.add(grain.place, message);
                None
            }
            (None, Some(name)) => self.named(what, name, count, problems),
        }
    }

    fn named(&self, what: &str, name: &Text, count: usize, problems: &mut Problems) -> Option<Spread> {
        if name.text == MIXED {
            return Some(Spread::Mixed);
        }
        let Some((_, hash)) = self.hashes.iter().find(|(known, _)| *known == name.text) else {
            let known = self.hashes.iter().map(|(known, _)| known.as_str()).chain([MIXED]);
            let hint = suggest(&name.text, known);
            problems.add_with_hint(name.place, format!("no hash `{}`", name.text), hint);
            return None;
        };
        let most = hash.table().iter().max().map_or(0, |&most| usize::from(most) + 1);
        if most != count {
            let message = format!("hash `{}` chooses among {most} {what}s, but there are {count}", name.text);
            problems.add(name.place, message);
            return None;
        }
        Some(Spread::Hashed(hash.clone()))
    }
}

fn hash(part: &Named<HashTable>, problems: &mut Problems) -> Option<(String, AddressHash)> {
    if part.name == MIXED {
        let message = format!("`{MIXED}` is the built-in hash without a table");
        problems.add_with_hint(part.place, message, "give this one another name");
        return None;
    }
    let select = &part.value.select;
    let masks: Vec<Option<u64>> = select.names.iter().map(|mask| self::mask(mask, problems)).collect();
    let masks: Vec<u64> = masks.into_iter().collect::<Option<_>>()?;
    if masks.is_empty() || masks.len() > MOST_BITS {
        let message = format!("a hash has 1 to {MOST_BITS} bits, not {}", masks.len());
        problems.add(select.place, message);
        return None;
    }
    let text = &part.value.table;
    let characters = text.text.chars().filter(|character| !character.is_whitespace());
    let table: Result<Vec<u16>, char> =
        characters.map(|character| unit(character).ok_or(character)).collect();
    let wanted = 1 << masks.len();
    let message = match table {
        Ok(table) if table.len() == wanted => {
            return Some((part.name.clone(), AddressHash::new(masks, table)));
        }
        Ok(table) => format!("{} bits need {wanted} entries, but there are {}", masks.len(), table.len()),
        Err(character) => format!("`{character}` is not a unit"),
    };
    let hint = format!("units 0 to {} are written 0 to 9, a to z, A to Z", MOST_HASHED - 1);
    problems.add_with_hint(text.place, message, hint);
    None
}

fn mask(text: &Text, problems: &mut Problems) -> Option<u64> {
    let mask = text.text.strip_prefix("0x").and_then(|digits| u64::from_str_radix(digits, 16).ok());
    if mask.is_none() {
        let message = format!("invalid mask of address bits `{}`", text.text);
        problems.add_with_hint(text.place, message, "write, for example, `0x1040`");
    }
    mask
}

/// The rank that a character denotes.
fn unit(character: char) -> Option<u16> {
    let character = u8::try_from(character).ok()?;
    match character {
        b'0'..=b'9' => Some(u16::from(character - b'0')),
        b'a'..=b'z' => Some(u16::from(character - b'a') + 10),
        b'A'..=b'Z' => Some(u16::from(character - b'A') + 36),
        _ => None,
    }
}

/// The cluster of each router.
fn division<'t>(
    clusters: impl Iterator<Item = &'t Named<Names>>,
    routers: &Routers,
    problems: &mut Problems,
) -> Option<Vec<Option<usize>>> {
    let mut cluster_of: Vec<Option<usize>> = vec![None; routers.list.len()];
    let mut right = true;
    for (cluster, part) in clusters.enumerate() {
        for name in &part.value.names {
            match routers.rank(name, problems) {
                Some(router) if cluster_of[router].is_none() => cluster_of[router] = Some(cluster),
                Some(_) => right = in_one_cluster(name.place, &name.text, problems),
                None => right = false,
            }
        }
    }
    right.then_some(cluster_of)
}

fn in_one_cluster(place: Span, router: &str, problems: &mut Problems) -> bool {
    problems.add(place, format!("router `{router}` is also in another cluster"));
    false
}
