//! Curves of the Mess benchmark: the comma-separated values that its scripts write (`memory_curves.csv`, `bandwidth-latency.csv`), and
//! that zerohop writes with `--format mess`; their short form in JSON; and the two columns of `bwlat_100.txt`, a file for each share
//! of reads, which its simulator takes.
//!
//! Its load, run by hand (`stream_mpi.x -r 64 -p 1000`), prints one bandwidth in MB/s, as mean, minimum and maximum.
//!
//! A row is a point: share of reads in percent, pause, bandwidth in GB/s, latency in ns. The mean is taken where there is one,
//! never the smoothed value. The JSON has no pauses. The two columns have neither share nor pauses: MB/s, and a latency in cycles of a
//! clock that the file does not state.

use serde_json::Value as Json;
use zerohop_result::{Axis, Coordinates};
use zerohop_units::Hertz;

use crate::coordinates::{LOCAL, between};
use crate::format::{Declaration, Sign};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::labels::Labels;
use crate::lines::Text;
use crate::number::{Token, count, first_number, number};
use crate::problem::Problem;
use crate::sample::Sample;
use crate::structured::{fields, has_fields, json, json_start, number_of};

pub(super) const FORMAT: Declaration = Declaration {
    name: "mess",
    words: "curves of the Mess benchmark, as CSV, as JSON or in two columns",
    marks: &["rd_percentage", "read_pct_rounded", "read_percentage", "memory bw load"],
    sign,
    cells: true,
    read,
};

fn sign(text: &Sample<'_>) -> Sign {
    match () {
        () if text.any_as_is(|line| columns(line).is_some() || load(line).is_some()) => Sign::Certain,
        () if text.has_json() => {
            match may_be_curves(text.raw()).then(|| serde_json::from_str(text.raw().trim())) {
                Some(Ok(value)) if curves(&value).is_some() => Sign::Certain,
                _ => Sign::None,
            }
        }
        () if share_of_name(text.name()).is_some() && points(text).next().is_some() => Sign::Certain,
        () if is_curve(text) => Sign::Likely,
        () => Sign::None,
    }
}

/// The share of reads in the name of a file: `bwlat_100.txt`.
fn share_of_name(name: &str) -> Option<u64> {
    let name = name.rsplit(['/', '\\']).next()?;
    let share = name.strip_prefix("bwlat_")?.split('.').next()?;
    count(share).filter(|&share| share <= 100)
}

/// Lines of two numbers: a bandwidth in MB/s and a latency in cycles.
fn points(text: &Text) -> impl Iterator<Item = (usize, f64, f64)> {
    text.lines().filter_map(point)
}

fn point((rank, line): (usize, &str)) -> Option<(usize, f64, f64)> {
    let mut words = line.split_whitespace();
    let pair = (number(words.next()?)?, number(words.next()?)?);
    words.next().is_none().then_some((rank, pair.0, pair.1))
}

/// Whether a text is nothing but two columns that can be MB/s and cycles: sizes, which lmbench prints, begin below a MiB.
fn is_curve(text: &Text) -> bool {
    const FEWEST: usize = 5;
    let Some(points) = text.lines().map(point).collect::<Option<Vec<_>>>() else { return false };
    let largest = points.iter().map(|point| point.1).fold(0.0, f64::max);
    let ascends = points.windows(2).all(|pair| pair[0].1 < pair[1].1);
    points.len() >= FEWEST && largest > 1000.0 && !ascends
}

/// Where a row has its values.
struct Columns {
    count: usize,
    share: usize,
    pause: usize,
    bandwidth: usize,
    latency: usize,
    names: Vec<String>,
    labels: Labels,
}

/// The columns of a line of a text, with what the rows below say of those that are not Mess's.
fn columns_of(text: &Text, rank: usize) -> Option<Columns> {
    let mut head = columns(text.line(rank))?;
    let below = (rank + 1..text.len()).map(|rank| text.line(rank));
    let below = below.take_while(|line| columns(line).is_none());
    let rows: Vec<Vec<String>> = below.map(fields).filter(|row| row.len() == head.count).collect();
    let own = [head.share, head.pause, head.bandwidth, head.latency].map(|column| head.names[column].clone());
    let beside = |name: &str| {
        let parts = ["bandwidth_", "latency_"].iter().find_map(|start| name.strip_prefix(start));
        parts.is_some_and(|part| ["mean", "std", "min", "max"].contains(&part))
    };
    let is_known = |name: &str| own.iter().any(|known| known == name) || beside(name);
    let (share, pause) = (head.share, head.pause);
    head.labels =
        Labels::of(&head.names, is_known, &rows, |row| vec![row[share].clone(), row[pause].clone()]);
    Some(head)
}

fn columns(line: &str) -> Option<Columns> {
    if !has_fields(line) {
        return None;
    }
    let names = fields(&line.to_ascii_lowercase());
    let at = |options: &[&str]| options.iter().find_map(|name| names.iter().position(|known| known == name));
    Some(Columns {
        count: names.len(),
        share: at(&["rd_percentage", "read_pct_rounded", "read_percentage"])?,
        pause: at(&["pause"])?,
        bandwidth: at(&["bandwidth_mean", "bandwidth"])?,
        latency: at(&["latency_mean", "latency"])?,
        names,
        labels: Labels::default(),
    })
}

fn read(_: &str, text: &mut Text) -> Result<Harvest, Problem> {
    let is_csv = text.lines().any(|(_, line)| columns(line).is_some());
    match () {
        () if is_csv => of_csv(text),
        () if text.lines().any(|(_, line)| load(line).is_some()) => Ok(of_load(text)),
        () if json_start(text.raw()).is_some() => of_json(text),
        () => of_columns(text),
    }
}

/// `Memory BW load  64  1000  8307.5  7832.0  8385.8`: a share of reads, a pause, and the mean, the least and the largest rate in MB/s.
fn load(line: &str) -> Option<[f64; 5]> {
    let rest = line.strip_prefix("Memory BW load")?;
    let numbers: Vec<f64> = rest.split_whitespace().map(number).collect::<Option<_>>()?;
    numbers.try_into().ok()
}

fn of_load(text: &mut Text) -> Harvest {
    let mut harvest = Harvest::default();
    let mut banner = None;
    for rank in 0..text.len() {
        if text.line(rank).contains("Memory bandwidth load kernel") {
            banner = Some(rank);
        } else if let Some([share, pause, mean, least, most]) = load(text.line(rank)) {
            let at = between(0u32, LOCAL)
                .with(Axis::Delay, pause.max(0.0).round() as u64)
                .with(Axis::ReadPercent, share.max(0.0).round() as u64);
            let value = Value::bandwidth(at, mean / 1e3);
            let mut block = Block::new(kinds::LOAD_CURVES);
            block.push(value.with_spread(least / 1e3, most / 1e3, mean / 1e3, 0.0));
            harvest.add(block);
            (banner.take().unwrap_or(rank)..=rank).for_each(|rank| text.mark(rank));
        }
    }
    harvest
}

fn of_csv(text: &mut Text) -> Result<Harvest, Problem> {
    let mut harvest = Harvest::default();
    let mut head: Option<Columns> = None;
    let mut block = Block::new(kinds::LOAD_CURVES);
    let last = text.lines().last().map_or(0, |(rank, _)| rank + 1);
    for rank in 0..text.len() {
        let line = text.line(rank).to_owned();
        if let Some(columns) = columns_of(text, rank) {
            harvest.add(std::mem::replace(&mut block, Block::new(kinds::LOAD_CURVES)));
            harvest.left_out.extend(columns.labels.left_out(text.number(rank)));
            head = Some(columns);
            text.mark(rank);
            continue;
        }
        let Some(columns) = head.as_ref().filter(|_| has_fields(&line)) else { continue };
        let row = fields(&line);
        if row.len() < columns.count && rank + 1 == last && !block.values.is_empty() {
            harvest.left_out.push(format!("line {}: the end of the text cuts it off", text.number(rank)));
            text.mark(rank);
            continue;
        }
        if row.len() != columns.count {
            return Err(Problem::at(rank + 1, format!("{} values, as in the head", columns.count), line));
        }
        let value = |column: usize| match Token::of(&row[column]) {
            Token::Number(number) => Ok(Some(number)),
            Token::Gap | Token::NotFinite => Ok(None),
            Token::Word if row[column].is_empty() => Ok(None),
            Token::Word => {
                Err(Problem::at(rank + 1, format!("a number below {}", columns.names[column]), &*row[column]))
            }
        };
        let (share, pause) = (value(columns.share)?, value(columns.pause)?);
        let (bandwidth, latency) = (value(columns.bandwidth)?, value(columns.latency)?);
        let (Some(share), Some(pause)) = (share, pause) else {
            return Err(Problem::at(rank + 1, "a share of reads and a pause", line));
        };
        let at = between(0u32, LOCAL)
            .with(Axis::Delay, pause.max(0.0).round() as u64)
            .with(Axis::ReadPercent, share.max(0.0).round() as u64);
        let at = columns.labels.case(&row).map_or(at.clone(), |case| at.with(Axis::Case, case));
        let beside = |name: &str| {
            let column = columns.names.iter().position(|known| known == name)?;
            number(&row[column])
        };
        if let Some(latency) = latency {
            let value = Value::latency(at.clone(), latency);
            block.push(spread(value, latency, |part| beside(&format!("latency_{part}"))));
        }
        if let Some(bandwidth) = bandwidth {
            let value = Value::bandwidth(at, bandwidth);
            block.push(spread(value, bandwidth, |part| beside(&format!("bandwidth_{part}"))));
        }
        text.mark(rank);
    }
    harvest.add(block);
    if harvest.is_empty() {
        return Err(Problem::of_text(
            "rows below a head with rd_percentage, pause, bandwidth and latency",
            "none",
        ));
    }
    Ok(harvest)
}

fn spread(value: Value, mean: f64, beside: impl Fn(&str) -> Option<f64>) -> Value {
    let deviation = beside("std").unwrap_or(0.0);
    let (min, max) = (beside("min").unwrap_or(mean), beside("max").unwrap_or(mean));
    value.with_spread(min, max, mean, deviation)
}

/// Whether an object begins with a share of reads: parsing a large document costs more.
fn may_be_curves(raw: &str) -> bool {
    let name = raw.trim_start().strip_prefix('{').and_then(|rest| rest.trim_start().strip_prefix('"'));
    name.and_then(|rest| rest.split_once('"')).is_some_and(|(share, _)| count(share).is_some())
}

/// `{ "100": [[12.5, 98.5], …] }`: shares of reads, each with its points.
fn curves(value: &Json) -> Option<Vec<(u64, &[Json])>> {
    let members = value.as_object().filter(|members| !members.is_empty())?;
    let is_point = |point: &Json| point.as_array().is_some_and(|pair| pair.len() == 2);
    let curves = members.iter().map(|(share, points)| {
        let share = count(share).filter(|&share| share <= 100)?;
        let points = points.as_array().filter(|points| points.iter().all(is_point))?;
        Some((share, points.as_slice()))
    });
    curves.collect()
}

fn of_json(text: &mut Text) -> Result<Harvest, Problem> {
    let value = json(text)?;
    let curves = curves(&value).ok_or_else(|| {
        Problem::of_text("shares of reads with lists of points `[bandwidth, latency]`", "others")
    })?;
    let mut block = Block::new(kinds::LATENCY_BY_LOAD);
    for (share, points) in curves {
        for (rank, point) in points.iter().enumerate() {
            let at = || place(rank, Some(share));
            // One that was not measured is `NaN`, which JSON does not have, or `null`.
            if let Some(bandwidth) = number_of(&point[0]) {
                block.push(Value::bandwidth(at(), bandwidth));
            }
            if let Some(latency) = number_of(&point[1]) {
                block.push(Value::latency(at(), latency));
            }
        }
    }
    let mut harvest = Harvest::default();
    harvest.add(block);
    if harvest.is_empty() {
        Err(Problem::of_text("points `[bandwidth, latency]`", "none"))
    } else {
        Ok(harvest)
    }
}

fn of_columns(text: &mut Text) -> Result<Harvest, Problem> {
    let share = share_of_name(text.name());
    let stated = text.lines().find_map(|(rank, line)| Some((rank, clock(line)?)));
    let clock = text.clock().or(stated.map(|(_, clock)| clock));
    let points: Vec<(usize, f64, f64)> = points(text).collect();
    let mut block = Block::new(kinds::LATENCY_BY_LOAD);
    for (rank, &(line, megabytes, cycles)) in points.iter().enumerate() {
        let at = place(rank, share);
        block.push(Value::bandwidth(at.clone(), megabytes / 1e3));
        if let Some(Hertz(hertz)) = clock {
            block.push(Value::latency(at, cycles * 1e9 / hertz));
        }
        text.mark(line);
    }
    if let Some((rank, _)) = stated {
        text.mark(rank);
    }
    let mut harvest = Harvest::default();
    if clock.is_none() && !points.is_empty() {
        let what = "latencies, which are in cycles: give the clock with `--clock`, such as 2.1GHz";
        harvest.left_out.push(what.to_owned());
    }
    harvest.add(block);
    if harvest.is_empty() {
        return Err(Problem::of_text(
            "rows below a head with rd_percentage, pause, bandwidth and latency; or two columns, MB/s and cycles",
            "none",
        ));
    }
    Ok(harvest)
}

/// A point of a curve whose pauses are not known: by its rank.
fn place(rank: usize, share: Option<u64>) -> Coordinates {
    let at = Coordinates::new().with(Axis::Case, rank as u64 + 1);
    share.map_or(at.clone(), |share| at.with(Axis::ReadPercent, share))
}

/// `CPU_FREQ=2.1`, in GHz, from the settings of a platform.
fn clock(line: &str) -> Option<Hertz> {
    let rest = line.trim_start_matches("export ").strip_prefix("CPU_FREQ")?;
    let gigahertz = first_number(rest)?;
    (0.1..20.0).contains(&gigahertz).then_some(Hertz(gigahertz * 1e9))
}
