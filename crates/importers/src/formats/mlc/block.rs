//! Reads the blocks in their order.

use std::cell::Cell;

use zerohop_result::{Axis, Coordinate, Coordinates, ExperimentName, Measure};
use zerohop_workload::Warning;

use super::heading::{Heading, is_head_of_loads, is_row_of_loads};
use super::invocation::{Invocation, Line, idle, version};
use super::matrix::{
    Entry, Head, Row, Side, entry, grouped, is_bare_head, is_by_memory_below, is_summary, next_columns,
    titled,
};
use super::mix::{columns, is_transfer, mix};
use super::unit;
use crate::coordinates::{LOCAL, between};
use crate::harvest::{Block, Harvest, Value};
use crate::kinds;
use crate::lines::Text;
use crate::number::Token;
use crate::problem::Problem;

/// Lines between a heading and its values that may be something else.
pub(super) const STRAY: usize = 6;

/// Reads a text block by block.
pub(super) struct Reader<'a> {
    pub(super) text: &'a mut Text,
    pub(super) at: usize,
    pub(super) harvest: Harvest,
    pub(super) invocation: Invocation,
    first_heading: Option<(usize, String)>,
    /// Bytes per second of the unit of bandwidth, where a title states another one than MLC's.
    pub(super) unit: Option<f64>,
    /// Whether values were too large for that unit, and read in MLC's own.
    pub(super) is_unit_wrong: Cell<bool>,
    /// The ns of the unit of latency, where a title states another one than ns.
    pub(super) nanoseconds: Option<f64>,
    /// The last line that was neither empty nor a value, in lower case: it may be the heading that somebody wrote by hand.
    pub(super) before: String,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a mut Text) -> Self {
        let (invocation, before) = (Invocation::new(), String::new());
        Self {
            text,
            at: 0,
            harvest: Harvest::default(),
            invocation,
            first_heading: None,
            unit: None,
            is_unit_wrong: Cell::new(false),
            nanoseconds: None,
            before,
        }
    }

    pub(super) fn finish(self) -> (Harvest, Option<(usize, String)>) {
        (self.harvest, self.first_heading)
    }

    pub(super) fn line(&self) -> String {
        self.text.line(self.at).to_owned()
    }

    /// Marks the line as read and goes to the next.
    pub(super) fn take(&mut self) {
        self.text.mark(self.at);
        self.at += 1;
    }

    pub(super) fn read(&mut self) -> Result<(), Problem> {
        while self.at < self.text.len() {
            let line = self.line();
            // Tables of another tool have mixes and matrices with the same words.
            if line.is_empty() || self.text.is_read(self.at) {
                self.at += 1;
                continue;
            }
            let lower = line.to_ascii_lowercase();
            if let Some(heading) = Heading::of(&lower) {
                self.block(heading, &line, &lower)?;
            } else if let Some((clocks, nanoseconds)) = idle(&lower) {
                self.idle_latency(clocks, nanoseconds);
            } else if is_head_of_loads(&lower) || is_row_of_loads(&line) {
                self.loaded_latencies()?;
            } else if self.invocation.take_prompt(self.text, self.at) {
                self.take();
            } else if self.surroundings(&line, &lower) {
                self.unit = unit::stated(&lower).or(self.unit);
            } else if Head::of(&line, false).is_some() {
                self.matrix_without_heading()?;
            } else if is_bare_head(&line)
                && let Some(measure) = titled(&self.before)
                && !self.is_of_something_else()
            {
                let title = self.note_time_of_title()?;
                self.text.mark(title);
                self.take();
                self.matrix(measure)?;
            } else if mix(&line).is_some() || columns(&line).is_some() {
                let maximum = self.invocation.maximum;
                self.mixes(if maximum { kinds::MAXIMUM_BANDWIDTH } else { kinds::MIXES })?;
            } else if is_transfer(&lower) {
                self.cache_to_cache()?;
            } else {
                self.unit = unit::stated(&lower);
                self.before = lower;
                self.at += 1;
            }
        }
        Ok(())
    }

    /// Takes a line about the invocation, if it is one.
    pub(super) fn surroundings(&mut self, line: &str, lower: &str) -> bool {
        match self.invocation.take(line, lower) {
            Some(Line::Known) => {}
            Some(Line::Remark(remark)) => self.remark(&remark),
            None => return false,
        }
        self.take();
        true
    }

    /// Reads the block of `experiment`: `read` takes a line of values, and says whether it was one.
    ///
    /// # Errors
    /// Those of `read`.
    pub(super) fn table(
        &mut self,
        experiment: ExperimentName,
        mut read: impl FnMut(&mut Self, &mut Block, &str) -> Result<bool, Problem>,
    ) -> Result<(), Problem> {
        let mut block = Block::new(experiment);
        let mut stray = 0;
        while self.at < self.text.len() {
            let line = self.line();
            let lower = line.to_ascii_lowercase();
            if line.is_empty() {
                self.at += 1;
                continue;
            }
            if Heading::of(&lower).is_some() {
                break;
            }
            if read(self, &mut block, &line)? {
                continue;
            }
            self.note_unit(&lower)?;
            if self.surroundings(&line, &lower) {
                continue;
            }
            // The head of a table may stand between the heading and the values.
            stray += 1;
            if stray > STRAY || !block.values.is_empty() {
                break;
            }
            self.at += 1;
        }
        block.warnings.extend(self.wrong_unit());
        self.add(block);
        (self.unit, self.nanoseconds) = (None, None);
        Ok(())
    }

    /// Takes the units that a title states.
    ///
    /// # Errors
    /// When latencies are in cycles.
    fn note_unit(&mut self, lower: &str) -> Result<(), Problem> {
        self.unit = unit::stated(lower).or(self.unit).filter(|_| !lower.contains("mb/s"));
        let time =
            unit::time_stated(lower).map_err(|found| Problem::at(self.at + 1, "latencies in ns", found))?;
        self.nanoseconds = time.or(self.nanoseconds);
        Ok(())
    }

    /// Takes the unit of latency that the line above a matrix without heading states; gives the rank of that line.
    ///
    /// # Errors
    /// When latencies are in cycles.
    pub(super) fn note_time_of_title(&mut self) -> Result<usize, Problem> {
        let title = (0..self.at).rev().find(|&rank| !self.text.line(rank).is_empty()).unwrap_or(0);
        let time = unit::time_stated(&self.before)
            .map_err(|found| Problem::at(title + 1, "latencies in ns", found))?;
        self.nanoseconds = time.or(self.nanoseconds);
        Ok(title)
    }

    fn remark(&mut self, remark: &str) {
        // zerohop writes remarks about its own blocks, which are read with the blocks.
        let own = [
            "Measured on this machine",
            "Computed by a model",
            "Imported from",
            "Equal delays",
            "Traffic of",
            "Faster with",
            "Load",
        ];
        if !own.iter().any(|own| remark.starts_with(own)) {
            self.harvest.tool_says(remark);
        }
    }

    fn block(&mut self, heading: Heading, line: &str, lower: &str) -> Result<(), Problem> {
        if heading == Heading::Banner {
            self.harvest.version = version(line).or_else(|| self.harvest.version.take());
            let own = lower.starts_with("zerohop,");
            self.harvest.tool = own.then(|| "zerohop".to_owned()).or_else(|| self.harvest.tool.take());
            self.invocation = self.invocation.below_banner();
            // Prose mentions the tool, too.
            if lower.starts_with("intel") || own {
                self.take();
            } else {
                self.at += 1;
            }
            return Ok(());
        }
        (self.unit, self.nanoseconds) = (None, None);
        self.note_unit(lower)?;
        self.first_heading.get_or_insert_with(|| (self.at, line.to_owned()));
        let (heading_at, known) = (self.at, self.harvest.blocks);
        self.at += 1;
        match heading {
            Heading::Banner => {}
            Heading::IdleLatencies | Heading::IdleLatenciesOfCores => self.matrix(Measure::Latency)?,
            Heading::Bandwidths => self.matrix(Measure::Bandwidth)?,
            Heading::PeakBandwidths => self.mixes(kinds::MIXES)?,
            Heading::MaximumBandwidths => self.mixes(kinds::MAXIMUM_BANDWIDTH)?,
            Heading::LoadedLatencies => self.loaded_latencies()?,
            Heading::CacheToCache => self.cache_to_cache()?,
        }
        let starts = ["measuring", "#", "*"].iter().any(|start| lower.starts_with(start));
        if self.harvest.blocks != known || starts {
            self.text.mark(heading_at);
        }
        if self.harvest.blocks == known && starts && !self.is_repeated(heading_at) {
            let what = format!("the block of line {}: it has no values", self.text.number(heading_at));
            self.harvest.left_out.push(what);
        }
        Ok(())
    }

    /// Whether the block had values that an earlier block has, too.
    fn is_repeated(&self, heading: usize) -> bool {
        (heading + 1..self.at).any(|rank| !self.text.line(rank).is_empty() && !self.text.is_open(rank))
    }

    fn idle_latency(&mut self, clocks: Option<f64>, nanoseconds: f64) {
        self.invocation.next_of_shell();
        let small = self.invocation.small_buffer();
        let buffer = self.invocation.buffer_of_latency();
        let Invocation { cpu, target, ref memory, .. } = self.invocation;
        let target = target.map(Coordinate::Number).or_else(|| memory.clone());
        let target = target.unwrap_or_else(|| LOCAL.into());
        let at = Coordinates::new().with(Axis::Cpu, cpu.unwrap_or(0)).with(Axis::Target, target);
        let mut value = Value::latency(at, nanoseconds).with_workers(1, buffer).in_caches(small);
        value.clock_ghz =
            clocks.map(|clocks| clocks / nanoseconds).filter(|clock| (0.1..20.0).contains(clock));
        let mut block = Block::new(kinds::IDLE_LATENCY);
        block.push(value);
        self.add(block);
        self.take();
    }

    /// Adds a block, with what the options of its command line say of it.
    fn add(&mut self, block: Block) {
        let latencies = block.values.iter().any(|value| value.measure == Measure::Latency);
        if !block.values.is_empty() {
            self.invocation.remarks(latencies).for_each(|remark| self.harvest.tool_says(remark));
        }
        self.harvest.add(block);
    }

    /// The rows below a heading.
    pub(super) fn matrix(&mut self, measure: Measure) -> Result<(), Problem> {
        let (mut side, mut drive) = (Side::Nodes, false);
        let mut columns: Option<Vec<Coordinate>> = None;
        // The columns in each line of the head: a terminal may have wrapped it, and the rows.
        let mut widths = Vec::new();
        let mut values = Vec::new();
        let mut notes = Vec::new();
        let (mut rows, mut stray, mut expected) = (0, 0, 0);
        while self.at < self.text.len() {
            let line = self.line();
            let lower = line.to_ascii_lowercase();
            if line.is_empty() {
                self.at += 1;
                continue;
            }
            if Heading::of(&lower).is_some() || rows > 0 && Head::of(&line, drive).is_some() {
                break;
            }
            if let Some(head) = Head::of(&line, drive) {
                self.note_unit(&lower)?;
                let is_by_memory = is_by_memory_below(self.line_above(), &line);
                self.take();
                match head {
                    Head::Title(title) => drive = title == Side::Drive,
                    Head::Columns(rows, mut places) => {
                        side = if is_by_memory { Side::Memory } else { rows };
                        widths = vec![places.len()];
                        while let Some(more) = self.continued().and_then(|line| next_columns(&line, &places))
                        {
                            widths.push(more.len());
                            places.extend(more);
                            self.take();
                        }
                        columns = Some(places);
                    }
                }
                continue;
            }
            let width = columns.as_ref().map(Vec::len);
            let row = grouped(&line, width).filter(|_| measure == Measure::Bandwidth);
            match row.map_or_else(|| entry(&line, width, Some(expected)), Entry::Row) {
                // Another table's row, such as numactl's distances.
                Entry::Row(row)
                    if rows > 0
                        && row.label != expected
                        && columns.as_ref().is_some_and(|columns| row.tokens.len() > columns.len()) =>
                {
                    break;
                }
                Entry::Row(mut row) => {
                    let label = self.at;
                    self.take();
                    self.rest_of_row(&widths, &mut row)?;
                    let places = columns.get_or_insert_with(|| {
                        (0..row.tokens.len()).map(|rank| Coordinate::Number(rank as u64)).collect()
                    });
                    self.unit = unit::behind(&lower).or(self.unit);
                    self.row(label, &row, places, (measure, side), &mut values, &mut notes)?;
                    (rows, expected) = (rows + 1, row.label + 1);
                }
                Entry::Broken(found) => {
                    let expected = format!("a number in every column of the {}", measure.words());
                    return Err(Problem::at(self.at + 1, expected, found));
                }
                Entry::Joined => {
                    let expected =
                        "a line for the head and one for each row, or all their values in one line";
                    return Err(Problem::at(self.at + 1, expected, line));
                }
                Entry::Other if rows > 0 => break,
                Entry::Other => {
                    self.note_unit(&lower)?;
                    if self.surroundings(&line, &lower) {
                        continue;
                    }
                    stray += 1;
                    if stray > STRAY {
                        break;
                    }
                    self.at += 1;
                }
            }
        }
        if side == Side::Sockets && rows > 0 {
            self.harvest.tool_says("rows and columns are sockets, not nodes");
        }
        let experiment = match (measure, side) {
            (Measure::Bandwidth, _) => kinds::BANDWIDTH_MATRIX,
            (_, Side::Cpus) => kinds::CORE_LATENCY,
            _ => kinds::LATENCY_MATRIX,
        };
        notes.extend(self.wrong_unit());
        self.add(Block { experiment, values, warnings: notes });
        (self.unit, self.nanoseconds) = (None, None);
        Ok(())
    }

    /// The last line above that is not empty.
    fn line_above(&self) -> &str {
        (0..self.at).rev().map(|rank| self.text.line(rank)).find(|line| !line.is_empty()).unwrap_or_default()
    }

    /// The next line, unless the text ends.
    fn continued(&self) -> Option<String> {
        (self.at < self.text.len()).then(|| self.line())
    }

    /// Takes the lines onto which a terminal wrapped a row, as it did the head.
    ///
    /// # Errors
    /// When the row is wrapped elsewhere than the head, perhaps within a value.
    fn rest_of_row(&mut self, widths: &[usize], row: &mut Row) -> Result<(), Problem> {
        let [first, rest @ ..] = widths else { return Ok(()) };
        if rest.is_empty() {
            return Ok(());
        }
        let mut found = row.tokens.len();
        let mut is_whole = found == *first;
        for width in rest {
            if !is_whole {
                break;
            }
            let tokens: Vec<Token> =
                self.continued().unwrap_or_default().split_whitespace().map(Token::of).collect();
            found = tokens.len();
            is_whole = found == *width && !tokens.iter().any(|token| token.is_word());
            if is_whole {
                row.tokens.extend(tokens);
                self.take();
            }
        }
        if is_whole {
            return Ok(());
        }
        let widths: Vec<String> = widths.iter().map(ToString::to_string).collect();
        let expected = format!("rows that are wrapped as their head, after {} values", widths.join(", "));
        Err(Problem::at(self.at, expected, format!("{found} values")))
    }

    /// Takes the values of the row that begins in line `rank`.
    fn row(
        &mut self,
        rank: usize,
        row: &Row,
        columns: &[Coordinate],
        (measure, side): (Measure, Side),
        values: &mut Vec<Value>,
        notes: &mut Vec<Warning>,
    ) -> Result<(), Problem> {
        let found = row.tokens.len();
        if found > columns.len() {
            let expected = format!("{} values, one for each column", columns.len());
            return Err(Problem::at(rank + 1, expected, format!("{found} in {}", self.text.line(rank))));
        }
        if found < columns.len() {
            let what = format!(
                "line {}: the last {} of {} values are missing",
                self.text.number(rank),
                columns.len() - found,
                columns.len()
            );
            notes.push(Warning::NotImported { what });
        }
        for (token, column) in row.tokens.iter().zip(columns) {
            if is_summary(column) {
                continue;
            }
            let at = match side {
                Side::Memory => between(column.clone(), row.label),
                Side::Cpus => {
                    Coordinates::new().with(Axis::Cpu, row.label).with(Axis::Target, column.clone())
                }
                _ => between(row.label, column.clone()),
            };
            let at = match (self.invocation.traffic(), measure) {
                (Some(kernel), Measure::Bandwidth) => at.with(Axis::Kernel, kernel),
                _ => at,
            };
            match token {
                Token::Number(number) if measure == Measure::Bandwidth => {
                    let small = self.invocation.small_buffer_of_traffic();
                    values.push(Value::bandwidth(at, self.gigabytes(*number)).in_caches(small));
                }
                Token::Number(number) => {
                    let small = self.invocation.small_buffer();
                    let latency = Value::latency(at, self.in_nanoseconds(*number));
                    let buffer = small.unwrap_or(self.invocation.buffer);
                    values.push(latency.with_workers(1, buffer).in_caches(small));
                }
                Token::NotFinite => notes.push(not_finite(self.text.number(rank), &at)),
                Token::Gap | Token::Word => {}
            }
        }
        Ok(())
    }
}

/// That the value at a line of that number is none.
pub(super) fn not_finite(number: usize, at: &Coordinates) -> Warning {
    Warning::Implausible { reason: format!("line {number}: the value at {at} is not a number") }
}
