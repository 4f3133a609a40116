//! Bandwidths by read:write mix.

use zerohop_result::{Axis, ExperimentName};

use super::block::{Reader, not_finite};
use super::mix::mix;
use super::unit;
use crate::coordinates::whole_machine;
use crate::harvest::Value;
use crate::number::Token;
use crate::problem::Problem;

impl Reader<'_> {
    /// Bandwidths by read:write mix, a line each.
    pub(super) fn mixes(&mut self, experiment: ExperimentName) -> Result<(), Problem> {
        self.table(experiment, |reader, block, line| {
            // Some people write the unit behind each value.
            let own = unit::behind(&line.to_ascii_lowercase());
            let Some((mix, value)) = mix(line) else { return Ok(false) };
            let at = whole_machine(Axis::Mix, &mix);
            match Token::of(value) {
                Token::Number(number) => block.push(Value::bandwidth(at, reader.in_unit(number, own))),
                Token::NotFinite => block.warnings.push(not_finite(reader.at, &at)),
                Token::Gap => {}
                Token::Word => {
                    let expected = format!("the bandwidth of {mix} in MB/s");
                    return Err(Problem::at(reader.at + 1, expected, value));
                }
            }
            reader.take();
            Ok(true)
        })
    }
}
