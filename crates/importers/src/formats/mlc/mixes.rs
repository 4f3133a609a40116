//! Bandwidths by read:write mix.

use zerohop_result::{Axis, ExperimentName};

use super::block::{Reader, STRAY, not_finite};
use super::heading::Heading;
use super::mix::mix;
use crate::coordinates::whole_machine;
use crate::harvest::{Block, Value};
use crate::number::Token;
use crate::problem::Problem;

impl Reader<'_> {
    /// Bandwidths by read:write mix, a line each.
    pub(super) fn mixes(&mut self, experiment: ExperimentName) -> Result<(), Problem> {
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
            if let Some((mix, value)) = mix(&line) {
                let at = whole_machine(Axis::Mix, &mix);
                match Token::of(value) {
                    Token::Number(number) => block.push(Value::bandwidth(at, self.gigabytes(number))),
                    Token::NotFinite => block.warnings.push(not_finite(self.at, &at)),
                    Token::Gap => {}
                    Token::Word => {
                        return Err(Problem::at(
                            self.at + 1,
                            format!("the bandwidth of {mix} in MB/s"),
                            value,
                        ));
                    }
                }
                self.take();
            } else if !block.values.is_empty() {
                break;
            } else if !self.surroundings(&line, &lower) {
                stray += 1;
                if stray > STRAY {
                    break;
                }
                self.at += 1;
            }
        }
        self.harvest.add(block);
        Ok(())
    }
}
