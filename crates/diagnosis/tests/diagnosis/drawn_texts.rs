//! Faults in another tool's text: Intel MLC's two matrices of a model with parameters drawn at random, imported again, and judged
//! without the machine and beside it. Unlike the draws of `drawn.rs`, machines are drawn too, values have noise, faults are small or two at
//! once, and one concerns a single direction, which no model makes.

use zerohop_diagnosis::{Diagnosis, Finding, NamedCause};
use zerohop_machine_file::Hardware;
use zerohop_model::Solver;

use crate::bench::{MATRICES, judged, judged_beside, machine, result};
use crate::documented::documents;
use crate::drawn::{Random, words};
use crate::mlc_texts::{NOISE, Wrong, imported, lost, text, values, values_of};
use crate::twins::{RATES, Text, Twin};

/// Machines of a generation: settings of its template, and the values that a draw chooses from.
type Generation = (&'static str, &'static [(&'static str, &'static [&'static str])]);

const GENERATIONS: [Generation; 17] = [
    ("xeon-nehalem", &[("cores", &["4", "6"]), ("rate", &["1066 MT/s", "1333 MT/s"])]),
    ("xeon-ivy-bridge", &[("cores", &["8", "12"]), ("rate", &["1600 MT/s", "1866 MT/s"])]),
    ("xeon-haswell", &[("cores", &["10", "18"]), ("rate", &["1866 MT/s", "2133 MT/s"])]),
    ("xeon-broadwell", &[("cores", &["12", "20"]), ("nodes", &["1", "2"])]),
    ("xeon-skylake", &[("cores", &["16", "28"]), ("links", &["2", "3"])]),
    ("xeon-skylake,sockets=8,links=3", &[("cores", &["20", "24"])]),
    (
        "xeon-cascade-lake,sockets=4,links=3",
        &[("cores", &["16", "26"]), ("rate", &["2666 MT/s", "2933 MT/s"])],
    ),
    ("xeon-cascade-lake,nodes=2", &[("cores", &["20", "28"]), ("links", &["2", "3"])]),
    ("xeon-ice-lake", &[("cores", &["28", "40"]), ("rate", &["2933 MT/s", "3200 MT/s"])]),
    ("xeon-sapphire-rapids", &[("cores", &["32", "56"]), ("nodes", &["1", "4"]), ("links", &["3", "4"])]),
    ("xeon-emerald-rapids", &[("cores", &["32", "48"]), ("cxl", &["1", "2"])]),
    ("xeon-max,hbm=64 GiB", &[("cores", &["32", "56"])]),
    ("epyc-7001", &[("cores", &["24", "32"]), ("rate", &["2400 MT/s", "2666 MT/s"])]),
    ("epyc-7003", &[("cores", &["32", "64"]), ("nodes", &["1", "2", "4"]), ("links", &["3", "4"])]),
    ("epyc-9004", &[("cores", &["64", "96"]), ("nodes", &["1", "4"]), ("links", &["3", "4"])]),
    ("epyc-9005", &[("cores", &["96", "128"]), ("links", &["3", "4"])]),
    ("ampere-altra", &[("cores", &["64", "80"]), ("rate", &["2933 MT/s", "3200 MT/s"])]),
];

/// Machines of a draw.
const MACHINES: usize = 50;

/// The first of them get a fault each.
const FAULTS: usize = 40;

/// What a fault costs at least: those that cost less are drawn again.
const NOTICED: f64 = 0.08;

/// No fault that costs more may be missed beside the machine.
const GRAVE: f64 = 0.15;

/// A machine with what is wrong, and what MLC prints of it before and after.
struct Drawn {
    machine: String,
    wrong: Vec<Wrong>,
    loss: f64,
    healthy: String,
    faulty: String,
}

fn machine_name(random: &mut Random) -> String {
    let (base, choices) = GENERATIONS[random.below(GENERATIONS.len())];
    choices.iter().fold(base.to_owned(), |name, (key, values)| {
        format!("{name},{key}={}", values[random.below(values.len())])
    })
}

/// What is wrong; `None` where the machine cannot have what was drawn.
fn wrong(hardware: &Hardware, random: &mut Random) -> Option<Vec<Wrong>> {
    let with_cpus: Vec<u32> = hardware.machine.initiators().map(|node| node.id.0).collect();
    let own = with_cpus[random.below(with_cpus.len())];
    let others: Vec<u32> = with_cpus.iter().copied().filter(|node| *node != own).collect();
    let other = *others.get(random.below(others.len().max(1)))?;
    let memory = hardware.memories.iter().find(|memory| memory.node.0 == own)?;
    let channels = memory.channels.len();
    let rate =
        number(hardware, &format!("channel.{}.rate", hardware.channels[*memory.channels.first()?].kind));
    let fault = |text: String| Some(vec![Wrong::Fault(text)]);
    let fewer = |less: usize| (channels > less).then(|| format!("channels:node{own}={}", channels - less));
    match random.below(7) {
        0 => fault(fewer(1)?),
        1 => fault(format!("slow-dimm:node{own}={:.0}", lower_rate(rate?, random.between(0.78, 0.9)))),
        2 => fault(format!("link:{own}-{other}=x{}", [8, 12][random.below(2)])),
        3 => fault(format!("link:{own}-{other}=down")),
        4 => Some(vec![
            Wrong::Fault(fewer(channels.div_ceil(3))?),
            Wrong::Fault(format!("link:{own}-{other}=x8")),
        ]),
        5 => {
            let slow = lower_rate(rate?, random.between(0.6, 0.8));
            let every = with_cpus.iter().map(|node| Wrong::Fault(format!("slow-dimm:node{node}={slow:.0}")));
            Some(every.collect())
        }
        _ => {
            let (from, to) = (u64::from(own), u64::from(other));
            Some(vec![Wrong::Direction { from, to, share: random.between(0.5, 0.85) }])
        }
    }
}

/// The rate below this one that is nearest to a share of it.
fn lower_rate(rate: f64, share: f64) -> f64 {
    let far = |lower: &f64| (lower / rate - share).abs();
    let lower = RATES.into_iter().filter(|lower| *lower < 0.99 * rate);
    lower.min_by(|one, other| far(one).total_cmp(&far(other))).unwrap_or(rate * share)
}

/// A parameter of the machine in its own unit.
fn number(hardware: &Hardware, path: &str) -> Option<f64> {
    let parameter = hardware.parameters.iter().find(|parameter| parameter.path == path)?;
    parameter.value.split(' ').next()?.replace(',', "").parse().ok()
}

/// The first machines of a draw, and of them those that have a fault.
fn draw(seed: u64, machines: usize, faults: usize) -> Vec<Drawn> {
    let mut random = Random(seed);
    let mut drawn = Vec::new();
    while drawn.len() < machines {
        let name = machine_name(&mut random);
        let hardware = machine(&name);
        let healthy = values(&result(machine(&name), &MATRICES, Solver::Auto, 1));
        let sound = text(&healthy, &mut random, NOISE);
        let one = if drawn.len() < faults {
            // A machine that cannot have a fault that anybody notices is drawn again.
            let found = (0..8).find_map(|_| {
                let wrong = wrong(&hardware, &mut random)?;
                let values = values_of(&name, &wrong, Solver::Auto)?;
                let loss = lost(&healthy, &values);
                (loss >= NOTICED).then_some((wrong, values, loss))
            });
            let Some((wrong, values, loss)) = found else { continue };
            let faulty = text(&values, &mut random, NOISE);
            Drawn { machine: name, wrong, loss, healthy: sound, faulty }
        } else {
            Drawn { machine: name, wrong: Vec::new(), loss: 0.0, healthy: sound, faulty: String::new() }
        };
        drawn.push(one);
    }
    drawn
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// All that is wrong is named, and one part of it first.
    Found,
    /// The same, but a part is the second of two causes between which the finding says that it cannot decide.
    Either,
    /// Something else is named first, or a part is not.
    OtherCause,
    Missed,
}

fn outcome(wrong: &[Wrong], diagnosis: &Diagnosis) -> Outcome {
    let alarms: Vec<&Finding> = diagnosis.alarms().collect();
    let Some(first) = alarms.first() else { return Outcome::Missed };
    let is_said = |named: &dyn Fn(&Finding, &Wrong) -> bool| {
        let begins = wrong.iter().any(|one| named(first, one));
        begins && wrong.iter().all(|one| alarms.iter().any(|alarm| named(alarm, one)))
    };
    let is_first = |alarm: &Finding, one: &Wrong| names(alarm, alarm.causes.first(), one);
    let is_either = |alarm: &Finding, one: &Wrong| {
        let open = alarm.undecided().into_iter().flatten();
        is_first(alarm, one) || open.into_iter().any(|cause| names(alarm, Some(cause), one))
    };
    match () {
        () if is_said(&is_first) => Outcome::Found,
        () if is_said(&is_either) => Outcome::Either,
        () => Outcome::OtherCause,
    }
}

/// Whether this cause of an alarm is what is wrong.
pub(crate) fn names(alarm: &Finding, cause: Option<&NamedCause>, wrong: &Wrong) -> bool {
    match wrong {
        Wrong::Fault(fault) => {
            cause.is_some_and(|cause| words(fault).iter().any(|words| cause.words.contains(words)))
        }
        // Of clusters, other pairs use the same links and lose nothing in a draw: then the rule says that it is no link.
        Wrong::Direction { .. } => ["pair-direction", "disturbed-direction"].contains(&alarm.rule.as_str()),
    }
}

/// What became of the faults of a draw, without the machine or beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Counts {
    /// Faults that gave an alarm.
    alarms: usize,
    /// Those whose cause comes first.
    first: usize,
    /// The same, and those whose cause is one of two between which the first finding does not decide.
    either: usize,
    /// Of those whose cause does not come first: another fault would give a text that agrees in each value but for its noise, and what was found is
    /// right for it. Alone, so would a sound machine of another kind.
    same: usize,
    /// The same, if values of a kind may all be off by what predictions are known to be off.
    nearer: usize,
}

/// What a draw shows, without the machine and beside it.
#[derive(Debug)]
struct Shown {
    counts: [Counts; 2],
    /// Those whose cause does not come first, and those without any alarm.
    others: [Vec<String>; 2],
    false_alarms: Vec<String>,
    /// Faults that cost much and are missed beside the machine.
    grave: Vec<String>,
}

fn shown(seed: u64, machines: usize, faults: usize) -> Shown {
    let none = Counts { alarms: 0, first: 0, either: 0, same: 0, nearer: 0 };
    let mut shown =
        Shown { counts: [none; 2], others: Default::default(), false_alarms: Vec::new(), grave: Vec::new() };
    for drawn in draw(seed, machines, faults) {
        let judge = |text: &str| {
            let file = imported(text);
            [judged("mlc.txt", &file), judged_beside(&drawn.machine, &file, true)]
        };
        for (rank, diagnosis) in judge(&drawn.healthy).iter().enumerate() {
            let alarms = diagnosis.alarms().map(|alarm| format!("{} {rank}: {}", drawn.machine, alarm.title));
            shown.false_alarms.extend(alarms);
        }
        if drawn.wrong.is_empty() {
            continue;
        }
        for (rank, diagnosis) in judge(&drawn.faulty).iter().enumerate() {
            let outcome = outcome(&drawn.wrong, diagnosis);
            let counts = &mut shown.counts[rank];
            counts.alarms += usize::from(outcome != Outcome::Missed);
            counts.first += usize::from(outcome == Outcome::Found);
            counts.either += usize::from(matches!(outcome, Outcome::Found | Outcome::Either));
            if outcome == Outcome::Found {
                continue;
            }
            let file = imported(&drawn.faulty);
            let text =
                Text { machine: &drawn.machine, wrong: &drawn.wrong, values: values(&file), file: &file };
            // A sound machine gives no alarm, and every other one gives some.
            let mut twins = if outcome == Outcome::Missed { Vec::new() } else { text.twins(rank == 1) };
            if rank == 0 {
                twins.extend(text.other_machines());
            }
            twins.retain(|twin| outcome_of(twin, diagnosis) == Outcome::Found);
            counts.same += usize::from(twins.iter().any(|twin| twin.is_same));
            counts.nearer += usize::from(!twins.is_empty());
            let first = diagnosis.alarms().next().map(|first| (&first.rule, &first.causes));
            let line = format!(
                "{} {:?} {:.0} %, {outcome:?}: {first:?}; {:?}",
                drawn.machine,
                drawn.wrong,
                100.0 * drawn.loss,
                twins.first().map(|twin| (&twin.machine, &twin.wrong))
            );
            if rank == 1 && outcome == Outcome::Missed && drawn.loss > GRAVE {
                shown.grave.push(line.clone());
            }
            shown.others[rank].push(line);
        }
    }
    shown
}

/// Whether a finding is right for a twin. What is right for a sound machine is no alarm.
fn outcome_of(twin: &Twin, diagnosis: &Diagnosis) -> Outcome {
    match (twin.wrong.is_empty(), diagnosis.alarms().next()) {
        (true, None) => Outcome::Found,
        (true, Some(_)) => Outcome::OtherCause,
        (false, _) => outcome(&twin.wrong, diagnosis),
    }
}

/// The seed of a draw, and what became of its faults without the machine and beside it. Rules were mended for the first two, and for one fault of
/// the last one.
const DRAWS: [(u64, [Counts; 2]); 4] = [
    (21, [counts([24, 19, 22, 12, 12]), counts([40, 33, 39, 1, 5])]),
    (22, [counts([30, 20, 27, 11, 11]), counts([40, 28, 39, 4, 7])]),
    (31, [counts([28, 21, 27, 14, 14]), counts([40, 34, 38, 4, 4])]),
    (32, [counts([29, 22, 26, 12, 12]), counts([40, 32, 38, 2, 5])]),
];

const fn counts([alarms, first, either, same, nearer]: [usize; 5]) -> Counts {
    Counts { alarms, first, either, same, nearer }
}

#[test]
fn of_a_few_faults_in_another_tool_s_text_each_gives_an_alarm_and_no_sound_machine_does() {
    let (seed, _) = DRAWS[0];
    let shown = shown(seed, 7, 5);
    assert_eq!((&shown.false_alarms, &shown.grave), (&Vec::new(), &Vec::new()));
    assert_eq!(shown.counts[1].alarms, 5, "{shown:#?}");
}

/// docs/diagnosis.md has them.
#[test]
#[ignore = "long: draws 200 machines and simulates each with and without its fault"]
fn faults_in_another_tool_s_text_are_found_alone_and_beside_the_machine() {
    let all = std::thread::scope(|scope| {
        DRAWS
            .map(|(seed, ..)| scope.spawn(move || shown(seed, MACHINES, FAULTS)))
            .map(|one| one.join().unwrap())
    });
    assert_eq!(all.each_ref().map(|shown| shown.counts), DRAWS.map(|(_, counts)| counts), "{all:#?}");
    for shown in &all {
        assert_eq!((&shown.false_alarms, &shown.grave), (&Vec::new(), &Vec::new()));
    }
    for (seed, counts) in DRAWS {
        for (how, counts) in ["alone", "with the machine stated"].into_iter().zip(counts) {
            let Counts { alarms, first, either, same, nearer } = counts;
            documents(&format!("| seed {seed}, {how} | {alarms} | {first} | {either} | {same} | {nearer} |"));
        }
    }
}
