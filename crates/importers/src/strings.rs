//! Output inside the strings of JSON, as automation and loggers keep it.
//!
//! Ansible prints a list of lines (`"stdout_lines": [...]`), or one string (`"stdout": "...\n..."`); Docker and journald write an object for
//! each line. Tools whose own output is JSON have no such members.

use serde_json::Value;

/// Members that hold output.
const MEMBERS: [&str; 11] = [
    "stdout_lines",
    "stdout",
    "output",
    "log",
    "message",
    "MESSAGE",
    "msg",
    "text",
    "body",
    "content",
    "textPayload",
];

/// Fewer lines than this are a coincidence.
const FEWEST: usize = 3;

/// The output inside a text's strings; `None` if it has none. Lines keep their numbers, unless a string holds several.
pub(crate) fn inside(text: &str) -> Option<String> {
    if !text.contains(['"', '\'']) {
        return None;
    }
    of_objects(text).or_else(|| of_list(text)).or_else(|| of_members(text)).or_else(|| of_literals(text))
}

/// Strings of source code with several lines each, of which every other line of the text is kept.
fn of_literals(text: &str) -> Option<String> {
    if text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let lines: Vec<Option<String>> = text.lines().map(literal).collect();
    let of_text = text.lines().map(str::to_owned);
    lines
        .iter()
        .any(Option::is_some)
        .then(|| joined(lines.into_iter().zip(of_text).map(|(inside, line)| inside.unwrap_or(line))))
}

/// The first string of a line that has several lines, among as many as code has in a line.
fn literal(line: &str) -> Option<String> {
    const MOST: usize = 32;
    let starts = line.match_indices('"').map(|(at, _)| &line[at..]).take(MOST);
    let strings = starts.filter_map(|rest| {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter::<String>();
        values.next()?.ok()
    });
    let mut several = strings.filter(|text| text.trim_end().matches('\n').count() >= FEWEST);
    several.next()
}

/// An object for each line.
fn of_objects(text: &str) -> Option<String> {
    let full = text.lines().filter(|line| !line.trim().is_empty()).count();
    let lines: Vec<Option<String>> = text.lines().map(line_of_object).collect();
    let known = lines.iter().flatten().count();
    (known >= FEWEST && 10 * known >= 8 * full).then(|| {
        let of_text = text.lines().map(str::to_owned);
        joined(lines.into_iter().zip(of_text).map(|(inside, line)| inside.unwrap_or(line)))
    })
}

fn line_of_object(line: &str) -> Option<String> {
    let line = line.trim();
    if !line.starts_with('{') {
        return None;
    }
    let object: Value = serde_json::from_str(line).ok()?;
    let text = MEMBERS.iter().find_map(|member| object.get(member)?.as_str())?;
    Some(text.trim_end().replace('\n', " "))
}

/// A list of lines, a string each.
fn of_list(text: &str) -> Option<String> {
    let full = text.lines().filter(|line| !line.trim().is_empty()).count();
    let lines: Vec<Option<String>> = text.lines().map(line_of_list).collect();
    let known = lines.iter().flatten().count();
    // A list of words or of numbers is no output.
    let several = lines.iter().flatten().filter(|line| line.trim().contains(char::is_whitespace)).count();
    (several >= FEWEST && 2 * known >= full && 2 * several >= known).then(|| {
        let of_text = text.lines().map(str::to_owned);
        joined(lines.into_iter().zip(of_text).map(|(inside, line)| inside.unwrap_or(line)))
    })
}

fn line_of_list(line: &str) -> Option<String> {
    let line = line.trim();
    // Java and C join strings: `+ "0 78.5\\n"`.
    let line = line.strip_prefix('+').map_or(line, str::trim_start);
    let line = line.trim_end_matches([',', ';', ')', '+', '\\']).trim_end();
    // Python writes single quotation marks.
    let single = line
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
        .filter(|inside| !inside.contains('\''));
    let text: String = match single {
        Some(inside) => inside.replace("\\t", "\t"),
        None => line.starts_with('"').then(|| serde_json::from_str(line).ok())??,
    };
    (!text.trim_end().contains('\n')).then(|| text.trim_end().to_owned())
}

/// An object that cannot be read is looked for this often: each may go on to the end of the text.
const MOST_TRIES: usize = 16;

/// Strings of several lines that are members of an object.
fn of_members(text: &str) -> Option<String> {
    let mut at = 0;
    let mut found = Vec::new();
    let mut tries = 0;
    for line in text.split_inclusive('\n') {
        let start = line.trim_start();
        // Ansible: `node07 | CHANGED => {`.
        let opens = if start.starts_with(['{', '[']) { Some(0) } else { start.find("=> {").map(|at| at + 3) };
        if let Some(inside) = opens {
            let start = at + (line.len() - start.len()) + inside;
            let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
            if let Some(Ok(value)) = values.next() {
                collect(&value, &mut found, |name| MEMBERS.contains(&name));
                if found.is_empty() {
                    collect(&value, &mut found, |_| true);
                    // Strings under other names are output if they are most of the text.
                    if 2 * found.iter().map(String::len).sum::<usize>() < text.len() {
                        found.clear();
                    }
                }
                break;
            }
            tries += 1;
            if tries == MOST_TRIES {
                break;
            }
        }
        at += line.len();
    }
    (!found.is_empty()).then(|| joined(found.into_iter()))
}

/// The strings of several lines of the members that are asked for.
fn collect(value: &Value, found: &mut Vec<String>, holds: fn(&str) -> bool) {
    match value {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(text) if holds(name) && text.matches('\n').count() >= 2 => {
                        found.push(text.clone());
                    }
                    other => collect(other, found, holds),
                }
            }
        }
        Value::Array(values) => values.iter().for_each(|value| collect(value, found, holds)),
        _ => {}
    }
}

fn joined(lines: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for line in lines {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_found_in_lists_in_objects_and_in_members() {
        let list = "{\n \"stdout_lines\": [\n  \"Numa node\\t0 1\",\n  \"0 78.5 119.4\",\n  \"\",\n  \"1 120.8 76.6\"\n ]\n}\n";
        assert_eq!(
            inside(list).as_deref(),
            Some("{\n \"stdout_lines\": [\nNuma node\t0 1\n0 78.5 119.4\n\n1 120.8 76.6\n ]\n}\n")
        );
        let python =
            "lines = [\n  'node 0 cpus: 0 1',\n  'node 0 size: 1 MB', \n  'node 0\\tfree: 1 MB'\n]\n";
        let java = "String out = \"\"\n    + \"0 78.5\\n\\t\"\n    + \"1 120.8\\n\"\n    + \"2 120.5\";\n";
        assert_eq!(inside(java).as_deref(), Some("String out = \"\"\n0 78.5\n1 120.8\n2 120.5\n"));
        let literal = "show(\"mlc\", \"0 78.5\\n1 120.8\\n2 120.5\\n3 1.5\");\n";
        assert_eq!(inside(literal).as_deref(), Some("0 78.5\n1 120.8\n2 120.5\n3 1.5\n"));
        assert_eq!(
            inside(python).as_deref(),
            Some("lines = [\nnode 0 cpus: 0 1\nnode 0 size: 1 MB\nnode 0\tfree: 1 MB\n]\n")
        );
        let objects = "{\"log\":\"a b\\n\",\"stream\":\"stdout\"}\n{\"log\":\"\\n\"}\n{\"log\":\"c\"}\n";
        assert_eq!(inside(objects).as_deref(), Some("a b\n\nc\n"));
        let member = "n1 | CHANGED => {\n \"rc\": 0,\n \"stdout\": \"a\\nb\\nc\"\n}\n";
        assert_eq!(inside(member).as_deref(), Some("a\nb\nc\n"));
        let named = "[{\"host\": \"n1\", \"mlc\": \"0 78.5 119.4\\n1 120.8 76.6\\n2 120.8 76.6\"}]\n";
        assert_eq!(inside(named).as_deref(), Some("0 78.5 119.4\n1 120.8 76.6\n2 120.8 76.6\n"));
    }

    #[test]
    fn results_of_tools_are_no_wrapping() {
        for text in [
            "{\"nvbandwidth\": {\"bandwidth_matrix\": [[\n\"1.5\",\n\"2.5\",\n\"3.5\",\n\"4.5\"\n]]}}",
            "{\"50\": [[101.5, 690.25], [25.25, 201.5]]}",
            "a,\"b c\"\n\"0 1\",\"2\"\n",
            "\"stride=64\n0.00049 1.5\n0.00098 1.5\n",
        ] {
            assert_eq!(inside(text), None, "{text}");
        }
    }
}
