//! Machines and texts made up at random.

use proptest::prelude::*;

use super::{CHIPLETS, LIBRARY, MESH, OPTIONS, SQUARE, machine};
use crate::{Hardware, MachineFile};

/// A machine file of nodes joined by links, with the square's parts.
fn connected(nodes: usize, links: &[(usize, usize)]) -> String {
    let (before, _) = SQUARE.split_once("[link]").unwrap();
    let mut text = before.to_owned();
    for (rank, (from, to)) in links.iter().enumerate() {
        text.push_str(&format!("[link.l{rank}]\nends = [\"{from}\", \"{to}\"]\nwire = \"ht1000\"\n"));
    }
    for node in 0..nodes {
        text.push_str(&format!(
            "[node.{node}]\npackage = {node}\ncores = {{ kind = \"k8\", count = 2 }}\nmemory = \"2 GiB\"\n\
             channels = {{ kind = \"ddr400\" }}\nhomes = {{ kind = \"k8\" }}\n"
        ));
    }
    text.push_str("[routing]\nkind = \"shortest\"\ntraversal = \"5 ns\"\n");
    text.push_str("[coherence]\nkind = \"directory\"\nlookup = \"1 ns\"\n");
    text.push_str("[system]\nnumbering = \"core\"\npage = \"4 KiB\"\n");
    text
}

prop_compose! {
    /// Up to 16 nodes: a tree, and some links more.
    fn graphs()(nodes in 1usize..=16)(
        parents in prop::collection::vec(any::<prop::sample::Index>(), nodes - 1),
        more in prop::collection::vec((0..nodes, 0..nodes), 0..10),
        nodes in Just(nodes),
    ) -> (usize, Vec<(usize, usize)>) {
        let tree = parents.iter().enumerate().map(|(at, parent)| (at + 1, parent.index(at + 1)));
        let links = tree.chain(more.into_iter().filter(|(from, to)| from != to)).collect();
        (nodes, links)
    }
}

/// That a path is one: links that join on to one another from the first router to the last.
fn assert_path(hardware: &Hardware, from: usize, to: usize) -> usize {
    let path = hardware.path(from, to);
    let mut at = from;
    for link in &path {
        let ends = hardware.links[link.link()].ends;
        assert_eq!(ends[link.direction()], at);
        at = ends[1 - link.direction()];
        // Whoever asks on the way is told the same.
        assert!(hardware.path(at, to).len() < path.len());
    }
    assert_eq!(at, to);
    path.len()
}

/// Fewest links between two routers, by trying all ways.
fn fewest(nodes: usize, links: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let mut far = vec![vec![usize::MAX / 2; nodes]; nodes];
    (0..nodes).for_each(|node| far[node][node] = 0);
    for &(from, to) in links {
        (far[from][to], far[to][from]) = (1, 1);
    }
    for over in 0..nodes {
        for from in 0..nodes {
            for to in 0..nodes {
                far[from][to] = far[from][to].min(far[from][over] + far[over][to]);
            }
        }
    }
    far
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn shortest_paths_are_shortest((nodes, links) in graphs()) {
        let hardware = machine("random.toml", &connected(nodes, &links));
        let fewest = fewest(nodes, &links);
        for (from, row) in fewest.iter().enumerate() {
            for (to, &fewest) in row.iter().enumerate() {
                prop_assert_eq!(assert_path(&hardware, from, to), fewest);
            }
        }
        let distances = hardware.machine.distances.as_ref().unwrap();
        prop_assert!(distances.is_symmetric());
    }

    /// A tree has one way between any two routers, and nothing can wait in a circle on it.
    #[test]
    fn trees_are_free_of_cycles((nodes, links) in graphs()) {
        let hardware = machine("random.toml", &connected(nodes, &links[..nodes - 1]));
        prop_assert!(hardware.routes.are_free_of_cycles(&hardware.links));
    }

    #[test]
    fn meshes_turn_once_and_are_free_of_cycles(columns in 1i32..6, rows in 1i32..6) {
        let routers: String = (0..columns * rows)
            .map(|rank| format!("t{rank} = {{ position = [{}, {}] }}\n", rank % columns, rank / columns))
            .collect();
        let (before, rest) = MESH.split_once("a0 = {").unwrap();
        let (_, rest) = rest.split_once("[mesh]").unwrap();
        let (mesh, _) = rest.split_once("[node.0]").unwrap();
        let (_, after) = MESH.split_once("[routing]").unwrap();
        let (after, _) = after.split_once("distances").unwrap();
        let node = "[node.0]\npackage = 0\nrouter = \"t0\"\ncores = { kind = \"little\", count = 2 }\n\
                    memory = \"1 GiB\"\nchannels = { kind = \"ddr4\" }\nhomes = { kind = \"tile\" }\n";
        let hardware =
            machine("mesh.toml", &format!("{before}{routers}[mesh]{mesh}{node}[routing]{after}"));
        let position = |router: usize| hardware.routers[router].position.unwrap();
        for from in 0..hardware.routers.len() {
            for to in 0..hardware.routers.len() {
                let links = assert_path(&hardware, from, to);
                let (here, there) = (position(from), position(to));
                prop_assert_eq!(links as u32, here[0].abs_diff(there[0]) + here[1].abs_diff(there[1]));
                let vertical: Vec<bool> = hardware.path(from, to).iter().map(|link| {
                    let [a, b] = hardware.links[link.link()].ends;
                    position(a)[0] == position(b)[0]
                }).collect();
                prop_assert!(vertical.is_sorted_by(|before, after| before >= after), "column first: {:?}", vertical);
            }
        }
        prop_assert!(hardware.routes.are_free_of_cycles(&hardware.links));
    }

    #[test]
    fn what_is_written_out_is_the_same_machine((nodes, links) in graphs()) {
        let file = MachineFile::parse("random.toml", &connected(nodes, &links), &()).unwrap();
        let again = MachineFile::parse("random.toml", &file.to_toml(), &()).unwrap();
        prop_assert_eq!(again.hardware().unwrap(), file.hardware().unwrap());
    }
}

/// A ring of four with routes that all go the same way round: packets can wait in a circle.
#[test]
fn a_ring_that_goes_one_way_round_has_a_cycle() {
    let text = SQUARE
        .replace("0 = { 3 = \"1\" }", "0 = { 3 = \"1\", 2 = \"1\" }")
        .replace("3 = { 0 = \"2\" }", "3 = { 0 = \"2\", 1 = \"2\" }")
        .replace("1 = { 2 = \"0\" }", "1 = { 2 = \"3\", 0 = \"3\" }")
        .replace("2 = { 1 = \"3\" }", "2 = { 1 = \"0\", 3 = \"0\" }");
    let ring = machine("ring.toml", &text);
    assert_eq!(ring.path(1, 0).len(), 3);
    assert!(!ring.routes.are_free_of_cycles(&ring.links));
}

/// Texts that are nearly machine files: each piece of one is left out, doubled, or replaced by something odd.
fn nearly() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "",
        "0",
        "-1",
        "\"\"",
        "[]",
        "{}",
        "= ",
        "[[",
        "\"0 B\"",
        "\"4 GB/s\"",
        "source",
        "value",
        "µ",
        "\u{feff}",
        "extend = \"square\"\n",
        "[node.9]\n",
        "1e99",
        "999999999999",
        "\"mesh\"",
        "\"4\"",
        "true",
        "[[when]]\n",
        "\n",
    ]);
    let text = prop::sample::select(vec![SQUARE, MESH, CHIPLETS, OPTIONS]);
    (text, prop::collection::vec((any::<prop::sample::Index>(), 0usize..3, odd), 1..4)).prop_map(
        |(text, changes)| {
            let mut pieces: Vec<String> = text.split_inclusive(' ').map(str::to_owned).collect();
            for (at, how, odd) in changes {
                let at = at.index(pieces.len());
                match how {
                    0 => pieces[at].clear(),
                    1 => pieces[at] = pieces[at].repeat(2),
                    _ => pieces[at] = format!("{odd} "),
                }
            }
            pieces.concat()
        },
    )
}

/// Whatever a text is, it is a machine that can be written out, or what is wrong with it is said.
fn assert_answered(text: &str) {
    let error = match MachineFile::parse("x.toml", text, &LIBRARY) {
        Err(error) => error,
        Ok(file) => match file.hardware() {
            Err(error) => error,
            Ok(hardware) => {
                let again = MachineFile::parse("x.toml", &file.to_toml(), &()).unwrap().hardware().unwrap();
                assert_eq!(again, hardware);
                return;
            }
        },
    };
    assert!(!error.problems().is_empty());
    assert!(error.problems().iter().all(|problem| problem.line > 0 && !problem.message.is_empty()));
    assert!(!error.to_string().is_empty());
}

proptest! {
    #[test]
    fn what_is_nearly_a_machine_file_is_answered(text in nearly()) {
        assert_answered(&text);
    }

    #[test]
    fn garbage_is_answered(text in "[a-z\\[\\]={}\"'.,0-9\n #µ-]{0,200}") {
        assert_answered(&text);
    }
}
