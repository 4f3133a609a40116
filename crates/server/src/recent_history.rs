//! The part of a history that began at some time.

use zerohop_result::{Course, History, Timestamp};

/// The results since then, with their values. Results without a time are left out.
pub(crate) fn since(history: History, time: Timestamp) -> History {
    let kept: Vec<bool> =
        history.runs.iter().map(|run| run.listed.began_at.is_some_and(|began| began >= time)).collect();
    // The new rank of each run that is kept.
    let ranks: Vec<usize> = kept
        .iter()
        .scan(0, |next, kept| {
            let rank = *next;
            *next += usize::from(*kept);
            Some(rank)
        })
        .collect();
    let course = |Course { series, readings }: Course| {
        let readings = readings.into_iter().filter(|(run, _)| kept[*run]);
        let readings: Vec<_> = readings.map(|(run, reading)| (ranks[run], reading)).collect();
        (!readings.is_empty()).then_some(Course { series, readings })
    };
    let runs = history.runs.into_iter().zip(&kept).filter_map(|(run, kept)| kept.then_some(run)).collect();
    History {
        machine: history.machine,
        runs,
        courses: history.courses.into_iter().filter_map(course).collect(),
    }
}

#[cfg(test)]
mod tests {
    use zerohop_result::{HistoricRun, ListedResult, Measure, Reading, Role, Series};

    use super::*;

    #[test]
    fn values_stay_with_their_results() {
        let run = |day: usize| HistoricRun {
            listed: ListedResult {
                id: day.to_string(),
                machine: "node-01".to_owned(),
                began_at: format!("2026-11-0{day}T03:00:00Z").parse().ok(),
                stated_at: None,
                origin: String::new(),
                completion: "complete".to_owned(),
                grade: None,
                unusable: None,
                produced_by: String::new(),
                experiments: Vec::new(),
                cells: 1,
            },
            traits: Vec::new(),
        };
        let course = |runs: &[usize]| Course {
            series: Series {
                role: Role::Headline,
                experiment: "stream".parse().unwrap(),
                measure: Measure::Bandwidth,
                place: String::new(),
            },
            readings: runs
                .iter()
                .map(|run| (*run, Reading { value: *run as f64, low: 0.0, high: 9.0, doubtful: false }))
                .collect(),
        };
        let all = History {
            machine: "node-01".to_owned(),
            runs: (1..=4).map(run).collect(),
            courses: vec![course(&[0, 2, 3]), course(&[0, 1])],
        };
        let part = since(all, "2026-11-03T00:00:00Z".parse().unwrap());
        assert_eq!(part.runs.iter().map(|run| run.listed.id.as_str()).collect::<Vec<_>>(), ["3", "4"]);
        let readings: Vec<_> = part.courses[0].readings.iter().map(|(run, one)| (*run, one.value)).collect();
        assert_eq!(readings, [(0, 2.0), (1, 3.0)]);
        assert_eq!(part.courses.len(), 1);
    }
}
