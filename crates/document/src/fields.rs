//! Reading the keys of a declared table.

use crate::declaration::Sort;
use crate::declared_key::{Bounded, Bounds, Defaulted, Key};
use crate::parameter::KeyValue;
use crate::quantity::Quantity;
use crate::reader::{At, Read, Reader};
use crate::tree::VALUE;
use crate::write::bare;

impl Reader {
    /// Reads the value of a key of a table.
    pub fn field<K: Key>(&mut self, at: &At<'_>, key: &'static str) -> Option<K::Written> {
        if at.value.entry(key).is_some() {
            return self.present::<K>(at, key);
        }
        let absent = K::Written::absent();
        if absent.is_none() {
            let example = K::Written::EXAMPLE.map_or_else(
                || format!("add the table `[{}]`", at.child(key)),
                |example| format!("write, for example, `{key} = {example}`"),
            );
            self.problems.add_with_hint(at.key, format!("{} has no `{key}`", at.name()), example);
        } else if !matches!(K::sort(), Sort::Tables(_) | Sort::List(_)) {
            self.keys.push(KeyValue { path: at.child(key), value: None, written: false });
        }
        absent
    }

    /// Reads the value of a key that has a default.
    pub fn field_or<K: Defaulted>(
        &mut self,
        at: &At<'_>,
        key: &'static str,
        default: K,
    ) -> Option<K::Written> {
        if at.value.entry(key).is_some() {
            return self.present::<K>(at, key);
        }
        let value = Some(default.shown().trim_matches('"').to_owned());
        self.keys.push(KeyValue { path: at.child(key), value, written: false });
        Some(default.written(at.key))
    }

    fn present<K: Key>(&mut self, at: &At<'_>, key: &'static str) -> Option<K::Written> {
        let entry = at.value.entry(key)?;
        let bare_value = entry.value.entry(VALUE).map_or(&entry.value, |entry| &entry.value);
        if bare_value.entries().is_none() {
            let value = Some(bare(bare_value));
            self.keys.push(KeyValue { path: at.child(key), value, written: true });
        }
        K::Written::read(self, &at.inner(key, entry))
    }

    /// Checks a number against the bounds that its key declares.
    pub fn within<K: Bounded>(
        &mut self,
        path: &str,
        written: K::Written,
        bounds: &Bounds<K>,
    ) -> Option<K::Written> {
        let outside = K::number(&written).filter(|number| !bounds.contains(&number.value));
        if let Some(number) = outside {
            let message = format!("`{path}` cannot be {}", Quantity::shown(&number.value));
            let [least, most] = [bounds.start(), bounds.end()].map(Quantity::shown);
            self.problems.add_with_hint(
                number.place,
                message,
                format!("write a value between {least} and {most}"),
            );
            return None;
        }
        Some(written)
    }
}
