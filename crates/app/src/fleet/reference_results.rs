//! Reference results for a node: those of the best machines of its group.

use zerohop_diagnosis::ReferenceResult;
use zerohop_fleet::{Added, GroupBy, Observation, Roster, UnknownFact, analyse};

use super::NamedResult;

/// Results of one call that are each compared with the others.
#[derive(Debug)]
pub struct Sisters<'a> {
    all: &'a [NamedResult],
    /// For each result, the number of its machine; absent where none of its values can be judged.
    machines: Vec<Option<usize>>,
    /// For each machine, the rank of its first result and its group.
    firsts: Vec<(usize, usize)>,
    /// For each group, the numbers of its soundest machines.
    sound: Vec<Vec<usize>>,
}

impl<'a> Sisters<'a> {
    /// Determines which results are from machines that should be alike, and which of these are good.
    ///
    /// # Errors
    /// Never: machines are grouped by their kinds.
    pub fn of(all: &'a [NamedResult]) -> Result<Self, UnknownFact> {
        let mut roster = Roster::default();
        let mut firsts = Vec::new();
        let mut machines = Vec::new();
        for (rank, NamedResult { result, machine, .. }) in all.iter().enumerate() {
            machines.push(match roster.add(Observation::of(machine.clone(), result)) {
                Added::Node(number) => {
                    firsts.push((rank, 0));
                    Some(number)
                }
                Added::Repeat { number, .. } | Added::Copy(number) => Some(number),
                Added::Empty => None,
            });
        }
        let fleet = analyse(&roster, &GroupBy::Kind, Vec::new())?;
        for (group, members) in fleet.members.iter().enumerate() {
            members.iter().for_each(|member| firsts[*member].1 = group);
        }
        Ok(Self { all, machines, firsts, sound: fleet.sound })
    }

    /// Results of other machines that the result of this rank is compared with.
    pub fn fellows(&self, of: usize) -> Vec<ReferenceResult<'a>> {
        let Some(own) = self.machines[of] else { return Vec::new() };
        let sound = self.sound[self.firsts[own].1].iter().filter(|number| **number != own);
        let fellow = |number: &usize| {
            let NamedResult { name, result, .. } = &self.all[self.firsts[*number].0];
            ReferenceResult { name, file: result }
        };
        sound.map(fellow).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(machine: &str, last: f64) -> NamedResult {
        let text = format!(
            "Intel(R) Memory Latency Checker - v3.9\nMeasuring idle latencies (in ns)...\n\
             \t\tNuma node\nNuma node\t     0\t     1\n       0\t  80.0\t 140.0\n       1\t 140.0\t  {last}\n"
        );
        let mut imported = zerohop_importers::import("mlc.txt", &text, None).unwrap();
        NamedResult {
            name: format!("{machine}: {last}"),
            result: imported.remove(0).result,
            machine: machine.to_owned(),
        }
    }

    #[test]
    fn a_result_is_held_against_the_sound_ones_of_other_machines_and_against_none_of_its_own() {
        let all = [
            read("a", 80.0),
            read("a", 81.0),
            read("b", 80.0),
            read("c", 82.0),
            read("d", 160.0),
            read("e", 83.0),
        ];
        let sisters = Sisters::of(&all).unwrap();
        let names = |of| {
            let mut names: Vec<&str> = sisters.fellows(of).into_iter().map(|fellow| fellow.name).collect();
            names.sort_unstable();
            names
        };
        assert_eq!(names(0), ["b: 80", "c: 82", "e: 83"], "two machines may have equal values");
        assert_eq!(names(2), ["a: 80", "c: 82", "e: 83"]);
        assert_eq!(names(4), ["a: 80", "b: 80", "c: 82", "e: 83"], "the bad one has sisters");
    }

    #[test]
    fn there_are_no_more_sisters_however_many_machines_there_are() {
        let all: Vec<NamedResult> =
            (0..40).map(|rank| read(&format!("n{rank}"), 80.0 + 0.01 * f64::from(rank))).collect();
        let sisters = Sisters::of(&all).unwrap();
        assert!((7..=8).contains(&sisters.fellows(0).len()));
    }
}
