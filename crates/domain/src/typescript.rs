//! Writes the window's types, so that no type is written twice.
//!
//! The file is committed; the test fails once after a change, having renewed
//! it.

use crate::{Call, FromOwner, ToOwner};
use std::any::TypeId;
use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;
use std::path::Path;
use ts_rs::{Config, TS, TypeVisitor};

struct Declarations {
    config: Config,
    seen: HashSet<TypeId>,
    by_name: BTreeMap<String, String>,
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if T::output_path().is_none() || !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        self.by_name.insert(T::ident(&self.config), T::decl(&self.config));
        T::visit_dependencies(self);
    }
}

#[test]
fn the_windows_types_are_up_to_date() {
    let config = Config::new().with_large_int("number");
    let mut all = Declarations { config, seen: HashSet::new(), by_name: BTreeMap::new() };
    all.visit::<Call>();
    all.visit::<ToOwner>();
    all.visit::<FromOwner>();

    let mut text = String::from(
        "// Generated from crates/domain by its test `the_windows_types_are_up_to_date`.\n",
    );
    for declaration in all.by_name.values() {
        write!(text, "\nexport {declaration}\n").expect("writing to a string cannot fail");
    }

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/src/api/generated.ts");
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    if committed != text {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
        panic!("ui/src/api/generated.ts was out of date and has been written anew: commit it");
    }
}
