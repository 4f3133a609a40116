//! Which file of a crate uses items of which other, read from its source.
//!
//! A re-export (`pub use`) is no use: `crate::Axis` leads to the file that defines `Axis`. Neither is a `mod` item. A module and an item may
//! have the same name: the end of a path leads to the item, all before it to the module. Unit tests are left out. The arguments of a macro
//! are searched for paths.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use syn::visit::{self, Visit};

use crate::circles::Uses;

/// Every use between two files of the crate whose sources lie in that folder.
pub(crate) fn uses(source: &Path) -> Uses {
    let root = ["lib.rs", "main.rs"].map(|name| source.join(name)).into_iter().find(|path| path.exists());
    let root = root.unwrap_or_else(|| panic!("{} has no root", source.display()));
    let mut modules = Modules { all: Vec::new() };
    modules.read_file(&root, source, None);
    modules.uses(source)
}

/// A module: what its names stand for, and the paths that occur in it.
struct Module {
    file: PathBuf,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    defined: BTreeSet<String>,
    /// Names that `use` items bring, each with its path.
    imports: BTreeMap<String, Vec<String>>,
    /// Those of `pub use`, which only pass a name on.
    passed_on: BTreeSet<String>,
    /// Paths of `use …::*`.
    globs: Vec<Vec<String>>,
    paths: Vec<Vec<String>>,
}

struct Modules {
    all: Vec<Module>,
}

/// What a path leads to.
enum Target {
    Item { module: usize, name: String },
    Module(usize),
}

impl Modules {
    fn read_file(&mut self, file: &Path, folder: &Path, parent: Option<usize>) -> usize {
        let text = fs::read_to_string(file).unwrap();
        let tree = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        self.read_items(&tree.items, file, folder, parent)
    }

    fn read_items(
        &mut self,
        items: &[syn::Item],
        file: &Path,
        folder: &Path,
        parent: Option<usize>,
    ) -> usize {
        let this = self.all.len();
        self.all.push(Module {
            file: file.to_owned(),
            parent,
            children: BTreeMap::new(),
            defined: BTreeSet::new(),
            imports: BTreeMap::new(),
            passed_on: BTreeSet::new(),
            globs: Vec::new(),
            paths: Vec::new(),
        });
        for item in items.iter().filter(|item| !is_for_tests(item)) {
            if let Some(name) = defined_name(item) {
                self.all[this].defined.insert(name);
            }
            match item {
                syn::Item::Mod(module) => {
                    let name = module.ident.to_string();
                    let inside = folder.join(&name);
                    if let Some((_, items)) = &module.content {
                        let child = self.read_items(items, file, &inside, Some(this));
                        self.all[this].children.insert(name, child);
                        continue;
                    }
                    // Of files for several processors, names lead to the last; all are read.
                    for path in module_files(module, file, folder) {
                        let child = self.read_file(&path, &inside, Some(this));
                        self.all[this].children.insert(name.clone(), child);
                    }
                }
                item => self.read_paths(this, item),
            }
        }
        this
    }

    /// The imports and paths of one item.
    fn read_paths(&mut self, this: usize, item: &syn::Item) {
        let mut reader = PathReader { module: &mut self.all[this] };
        reader.visit_item(item);
    }

    /// What a path of a module leads to, if it leads into this crate.
    fn target(&self, module: usize, path: &[String], depth: usize) -> Option<Target> {
        // Globs that import each other would be followed for ever.
        if depth > 16 {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let here = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(module),
            "super" => Target::Module(self.all[module].parent?),
            name if rest.is_empty() => self.end_of_path(module, name, depth)?,
            name => self.name(module, name, depth)?,
        };
        match here {
            Target::Module(next) if !rest.is_empty() => {
                if rest[0] == "super" || rest[0] == "self" {
                    return self.target(next, rest, depth + 1);
                }
                if rest.len() == 1 {
                    return self.end_of_path(next, &rest[0], depth);
                }
                match self.name(next, &rest[0], depth)? {
                    Target::Module(child) => {
                        let mut inner = vec!["self".to_owned()];
                        inner.extend_from_slice(&rest[1..]);
                        self.target(child, &inner, depth + 1)
                    }
                    found => Some(found),
                }
            }
            found => Some(found),
        }
    }

    /// What a name stands for in a module where more follows it.
    fn name(&self, module: usize, name: &str, depth: usize) -> Option<Target> {
        if let Some(&child) = self.all[module].children.get(name) {
            return Some(Target::Module(child));
        }
        self.end_of_path(module, name, depth)
    }

    /// What a name stands for in a module where nothing follows it.
    fn end_of_path(&self, module: usize, name: &str, depth: usize) -> Option<Target> {
        let scope = &self.all[module];
        let child = scope.children.get(name).copied();
        if scope.defined.contains(name) {
            return Some(Target::Item { module, name: name.to_owned() });
        }
        if let Some(path) = scope.imports.get(name) {
            // `use name;` and `use name::name` of another crate do not lead here.
            if path[0] != name || child.is_some() && path.len() > 1 {
                return self.target(module, path, depth + 1);
            }
            return child.map(Target::Module);
        }
        let of_globs = scope.globs.iter().find_map(|glob| match self.target(module, glob, depth + 1)? {
            Target::Module(from) if from != module => self.end_of_path(from, name, depth + 1),
            _ => None,
        });
        of_globs.or(child.map(Target::Module))
    }

    fn uses(&self, source: &Path) -> Uses {
        let short = |file: &Path| file.strip_prefix(source).unwrap().display().to_string();
        let mut uses = Uses::new();
        for (rank, module) in self.all.iter().enumerate() {
            let imported = module.imports.iter().filter(|(name, _)| !module.passed_on.contains(*name));
            for path in module.paths.iter().chain(imported.map(|(_, path)| path)) {
                let Some(Target::Item { module: defining, name }) = self.target(rank, path, 0) else {
                    continue;
                };
                let used = &self.all[defining].file;
                if *used != module.file {
                    uses.entry((short(&module.file), short(used))).or_default().insert(name);
                }
            }
        }
        uses
    }
}

/// Collects imports and paths, however deep they stand in an item.
struct PathReader<'a> {
    module: &'a mut Module,
}

impl PathReader<'_> {
    fn import(&mut self, tree: &syn::UseTree, before: &[String]) {
        let with = |ident: &syn::Ident| {
            let mut path = before.to_vec();
            path.push(ident.to_string());
            path
        };
        match tree {
            syn::UseTree::Path(path) => self.import(&path.tree, &with(&path.ident)),
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, before)),
            syn::UseTree::Glob(_) => self.module.globs.push(before.to_vec()),
            syn::UseTree::Name(name) if name.ident == "self" => {
                if let Some(last) = before.last() {
                    self.module.imports.insert(last.clone(), before.to_vec());
                }
            }
            syn::UseTree::Name(name) => {
                self.module.imports.insert(name.ident.to_string(), with(&name.ident));
            }
            syn::UseTree::Rename(rename) => {
                // `as _` brings no name, but is a use.
                let name = if rename.rename == "_" {
                    format!("_{}", rename.ident)
                } else {
                    rename.rename.to_string()
                };
                self.module.imports.insert(name, with(&rename.ident));
            }
        }
    }
}

impl<'ast> Visit<'ast> for PathReader<'_> {
    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        let before: BTreeSet<String> = self.module.imports.keys().cloned().collect();
        self.import(&item.tree, &[]);
        if !matches!(item.vis, syn::Visibility::Inherited) {
            let new = self.module.imports.keys().filter(|name| !before.contains(*name)).cloned();
            self.module.passed_on.extend(new.collect::<Vec<_>>());
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.module.paths.push(path.segments.iter().map(|segment| segment.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        let text = called.tokens.to_string().replace(" :: ", "::").replace("$ crate", "crate");
        let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == ':';
        for word in text.split(|character| !is_part(character)) {
            let path: Vec<String> =
                word.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
            if word.contains("::") && path.iter().all(|part| !part.contains(':')) {
                self.module.paths.push(path);
            }
        }
        visit::visit_macro(self, called);
    }
}

/// The files that a `mod name;` may stand for: those that `path` attributes name, or the one in its place.
fn module_files(module: &syn::ItemMod, file: &Path, folder: &Path) -> Vec<PathBuf> {
    let named = module.attrs.iter().filter_map(|attribute| {
        let text = match &attribute.meta {
            syn::Meta::List(list) if list.path.is_ident("cfg_attr") => list.tokens.to_string(),
            _ => return None,
        };
        let (_, path) = text.split_once("path = \"")?;
        Some(file.parent()?.join(path.split('"').next()?))
    });
    let named: Vec<PathBuf> = named.collect();
    if !named.is_empty() {
        return named;
    }
    let beside = folder.join(format!("{}.rs", module.ident));
    vec![if beside.exists() { beside } else { folder.join(module.ident.to_string()).join("mod.rs") }]
}

fn defined_name(item: &syn::Item) -> Option<String> {
    let name = match item {
        syn::Item::Const(item) => &item.ident,
        syn::Item::Enum(item) => &item.ident,
        syn::Item::Fn(item) => &item.sig.ident,
        syn::Item::Static(item) => &item.ident,
        syn::Item::Struct(item) => &item.ident,
        syn::Item::Trait(item) => &item.ident,
        syn::Item::Type(item) => &item.ident,
        syn::Item::Union(item) => &item.ident,
        syn::Item::Macro(item) => item.ident.as_ref()?,
        _ => return None,
    };
    Some(name.to_string())
}

/// Whether an item is compiled for tests alone.
fn is_for_tests(item: &syn::Item) -> bool {
    let attributes = match item {
        syn::Item::Mod(item) => &item.attrs,
        syn::Item::Fn(item) => &item.attrs,
        syn::Item::Use(item) => &item.attrs,
        syn::Item::Impl(item) => &item.attrs,
        syn::Item::Struct(item) => &item.attrs,
        syn::Item::Const(item) => &item.attrs,
        _ => return false,
    };
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => list
            .tokens
            .to_string()
            .split(|character: char| !character.is_alphanumeric())
            .any(|word| word == "test"),
        _ => false,
    })
}
