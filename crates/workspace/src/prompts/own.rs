//! Templates that a person has put in the place of ours, in the folder `prompts/`.
//!
//! Each is read when it is needed, so that a change holds from the next turn on,
//! and looked through before it is used: a variable that nobody gives, or a loop
//! without an end, is told of at once and ours is used meanwhile.

use super::plain;
use minijinja::value::ValueKind;
use minijinja::{Environment, Error, Template, UndefinedBehavior, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(super) struct Own {
    folder: PathBuf,
    known: Mutex<HashMap<&'static str, Known>>,
}

/// A file as it was read last.
struct Known {
    text: String,
    template: Result<Arc<Environment<'static>>, String>,
    /// Why it could not be used once, although nothing was found wrong with it.
    failed: Option<String>,
}

/// More instructions than any prompt needs.
const FUEL: u64 = 100_000;
const LARGEST: u64 = 256 * 1024;
const COMES_TO_NOTHING: &str = "it comes to nothing: write something in it, or remove it";

impl Own {
    pub(super) fn new(folder: PathBuf) -> Own {
        Own { folder, known: Mutex::default() }
    }

    /// What the person's own says; `None` where there is none that can be used.
    pub(super) fn render(
        &self,
        name: &'static str,
        sample: fn(&str) -> Value,
        values: &Value,
    ) -> Option<String> {
        let template = self.look(name, sample)?.ok()?;
        let why = match template.get_template(name).and_then(|own| rendered(&own, values.clone())) {
            Ok(text) if !text.trim().is_empty() => return Some(text),
            Ok(_) => COMES_TO_NOTHING.to_owned(),
            Err(error) => format!("{error:#}"),
        };
        let why = format!("{}: {why}", self.path(name).display());
        tracing::warn!("{why}; the one that Coterie brings is used");
        if let Some(known) = self.lock().get_mut(name) {
            known.failed = Some(why);
        }
        None
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.md"))
    }

    /// Why the person's own cannot be used, if it cannot.
    pub(super) fn problem(&self, name: &'static str, sample: fn(&str) -> Value) -> Option<String> {
        let wrong = self.look(name, sample)?.err();
        wrong.or_else(|| self.lock().get(name)?.failed.clone())
    }

    /// `sample` is what is given to it, with something to try it with.
    fn look(
        &self,
        name: &'static str,
        sample: fn(&str) -> Value,
    ) -> Option<Result<Arc<Environment<'static>>, String>> {
        let path = self.path(name);
        let told = |why: String| format!("{}: {why}", path.display());
        let text = match fs::metadata(&path) {
            // A pipe would be waited for, and a device never ends.
            Ok(found) if !found.is_file() => return Some(Err(told("it is no file".to_owned()))),
            Ok(found) if found.len() > LARGEST => {
                return Some(Err(told(format!("it has more than {} KiB", LARGEST / 1024))));
            }
            Ok(_) => match fs::read_to_string(&path) {
                Ok(text) => text,
                Err(error) => return Some(Err(told(error.to_string()))),
            },
            Err(error) if error.kind() == ErrorKind::NotFound => return None,
            Err(error) => return Some(Err(told(error.to_string()))),
        };
        let mut known = self.lock();
        if let Some(before) = known.get(name).filter(|before| before.text == text) {
            return Some(before.template.clone());
        }
        let template = checked(name, &sample(name), &text).map(Arc::new).map_err(told);
        if let Err(problem) = &template {
            tracing::warn!("{problem}; the one that Coterie brings is used");
        }
        known.insert(name, Known { text, template: template.clone(), failed: None });
        Some(template)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<&'static str, Known>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The template, if it can be read and asks for nothing that is not given.
fn checked(name: &'static str, sample: &Value, text: &str) -> Result<Environment<'static>, String> {
    let mut templates = Environment::new();
    templates.set_undefined_behavior(UndefinedBehavior::Strict);
    templates.set_fuel(Some(FUEL));
    plain::check(text)?;
    plain::limit(&mut templates);
    templates.add_template_owned(name, text.to_owned()).map_err(|error| format!("{error:#}"))?;
    let template = templates.get_template(name).map_err(|error| format!("{error:#}"))?;
    let given: BTreeSet<String> =
        sample.try_iter().into_iter().flatten().map(|name| name.to_string()).collect();
    let asked = template.undeclared_variables(false);
    let is_function = |name: &String| templates.globals().any(|(global, _)| global == name);
    let unknown: BTreeSet<&String> =
        asked.iter().filter(|name| !given.contains(*name) && !is_function(name)).collect();
    if let Some(name) = unknown.first() {
        let given = given.iter().cloned().collect::<Vec<_>>().join(", ");
        return Err(format!("it speaks of {name}, which is not given; there are: {given}"));
    }
    for (nth, values) in shapes(sample).into_iter().enumerate() {
        let rendered = rendered(&template, values).map_err(|error| format!("{error:#}"))?;
        // The first has something of everything.
        if nth == 0 && rendered.trim().is_empty() {
            return Err(COMES_TO_NOTHING.to_owned());
        }
    }
    Ok(templates)
}

/// What it comes to, as far as anybody reads that.
fn rendered(template: &Template<'_, '_>, values: impl Into<Value>) -> Result<String, Error> {
    let mut text = Bounded::default();
    let done = template.render_captured_to(values, &mut text).map(drop);
    if text.is_full {
        return Err(plain::too_long());
    }
    done?;
    Ok(String::from_utf8_lossy(&text.bytes).into_owned())
}

/// Takes no more than a prompt can have.
#[derive(Default)]
struct Bounded {
    bytes: Vec<u8>,
    is_full: bool,
}

impl Write for Bounded {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        self.is_full |= self.bytes.len() + more.len() > plain::MOST_BYTES;
        if self.is_full {
            return Err(io::Error::other("it is full"));
        }
        self.bytes.write(more)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The sample, and each way in which some of it can be empty: what is wrong in a branch
/// that nothing goes into for now is found too.
fn shapes(sample: &Value) -> Vec<BTreeMap<String, Value>> {
    let mut shapes = vec![BTreeMap::new()];
    for name in sample.try_iter().into_iter().flatten() {
        let Ok(value) = sample.get_item(&name) else { continue };
        let with = |shape: &BTreeMap<String, Value>, value: Value| {
            let mut shape = shape.clone();
            shape.insert(name.to_string(), value);
            shape
        };
        let forms = forms(&value);
        shapes = shapes
            .iter()
            .flat_map(|shape| forms.iter().map(|value| with(shape, value.clone())))
            .collect();
    }
    shapes
}

/// A text or nothing; some things, some of which nothing is said, or none.
fn forms(value: &Value) -> Vec<Value> {
    match value.kind() {
        ValueKind::String => vec![value.clone(), Value::from("")],
        ValueKind::Seq => {
            let bare = value.try_iter().into_iter().flatten().map(|item| emptied(&item));
            vec![value.clone(), bare.collect(), Value::from(Vec::<Value>::new())]
        }
        _ => vec![value.clone()],
    }
}

fn emptied(value: &Value) -> Value {
    match value.kind() {
        ValueKind::String => Value::from(""),
        ValueKind::Map => {
            let names = value.try_iter().into_iter().flatten();
            let field = |name: Value| {
                let field = value.get_item(&name).ok()?;
                Some((name.to_string(), emptied(&field)))
            };
            Value::from(names.filter_map(field).collect::<BTreeMap<String, Value>>())
        }
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use minijinja::context;
    use tempfile::TempDir;

    fn check(text: &str, expected: Result<&str, &str>) {
        let folder = TempDir::new().unwrap();
        fs::write(folder.path().join("reply.md"), text).unwrap();
        let own = Own::new(folder.path().to_owned());
        let sample = |_: &str| context! { name => "x" };
        let rendered = own.render("reply", sample, &context! { name => "Ada" });
        let problem = own.problem("reply", sample);
        match expected {
            Ok(words) => assert_eq!((rendered.as_deref(), problem), (Some(words), None), "{text}"),
            Err(part) => {
                assert_eq!(rendered, None, "{text}");
                assert!(problem.as_deref().is_some_and(|why| why.contains(part)), "{problem:?}");
            }
        }
    }

    #[test]
    fn what_is_wrong_with_a_template_is_told_before_it_is_used() {
        check("Write as {{ name }}.", Ok("Write as Ada."));
        check("{% for n in range(3) %}{{ n }}{% endfor %}", Ok("012"));
        check("{{ name }}{{ debug() }}", Err("it speaks of debug"));
        check("Write as {{ nmae }}.", Err("it speaks of nmae"));
        check("{% if never %}{{ name }}{% endif %}", Err("it speaks of never"));
        check("", Err("it comes to nothing"));
        check(" \n{# later #}\n", Err("it comes to nothing"));
        check("{% if not name %}Write.{% endif %}", Err("it comes to nothing"));
        check("{% if name %}", Err("unexpected end"));
        check("{% if name %}{{ name }}{% else %}{{ name.first }}{% endif %}", Err("undefined"));
        check("{% if not name %}{{ name | nothing }}{% endif %}x", Err("unknown filter"));
        check("{{ name | indent(1000000000000000) }}", Err("unknown filter"));
        check("{{ \"%1000000000000d\" | format(3) }}", Err("unknown filter"));
        check("{{ name * 50000000 }}", Err("it multiplies"));
        check("{% set a = name ~ name %}{{ a }}", Err("it uses set"));
        check(
            "{% for a in range(9000) %}{{ name | replace('x', \"-\") }}{% endfor %}",
            Ok(&"Ada".repeat(9000)[..]),
        );
        check("{{ (\"x\" | list) | join(', ') }} {{ name }}", Ok("x Ada"));
        let long = "a".repeat(2_000);
        let too_long = format!("{{% for a in range(1000) %}}{long}{{% endfor %}}{{{{ name }}}}");
        check(&too_long, Err("too long a text"));
        let much = format!("{{{{ \"{long}\" | replace(\"a\", \"{long}\") }}}}{{{{ name }}}}");
        check(&much, Err("too long a text"));
        check(
            "{% for a in range(9000) %}{% for b in range(9000) %}{% endfor %}{% endfor %}",
            Err("fuel"),
        );
    }

    #[test]
    fn a_branch_that_only_some_use_takes_is_looked_through_before() {
        let member = |name: &str, role: &str| context! { name, role };
        let sample = context! { name => "Ada", members => vec![member("Bo", "sceptic")] };
        let check = |text: &str, fits: bool| {
            assert_eq!(checked("reply", &sample, text).is_ok(), fits, "{text}");
        };
        check("{{ name }}{% for one in members %}{{ one.name }}{% endfor %}", true);
        check("{% if not members %}{{ name.first }}{% endif %}", false);
        check("{{ members[0].name }}", false);
        check("{% for m in members %}{% if not m.role %}{{ m.age }}{% endif %}{% endfor %}", false);
        check("{% if name and not members %}{{ name.first }}{% endif %}", false);
    }

    #[test]
    fn what_fails_only_when_it_is_used_is_told_of_until_it_is_changed() {
        let folder = TempDir::new().unwrap();
        let own = Own::new(folder.path().to_owned());
        let sample = |_: &str| context! { name => "x" };
        let write = |text: &str| fs::write(folder.path().join("reply.md"), text).unwrap();
        write("x{% for letter in name %}{% for a in range(9000) %}{% endfor %}{% endfor %}");
        assert_eq!(own.problem("reply", sample), None);
        let values = context! { name => "x".repeat(1_000) };
        assert_eq!(own.render("reply", sample, &values), None);
        let problem = own.problem("reply", sample).unwrap();
        assert!(problem.contains("reply.md") && problem.contains("fuel"), "{problem}");
        write("Hello {{ name }}");
        assert_eq!(own.problem("reply", sample), None);
    }

    #[cfg(unix)]
    #[test]
    fn what_never_ends_is_not_read() {
        let folder = TempDir::new().unwrap();
        std::os::unix::fs::symlink("/dev/zero", folder.path().join("reply.md")).unwrap();
        let own = Own::new(folder.path().to_owned());
        let sample = |_: &str| context! { name => "x" };
        assert_eq!(own.render("reply", sample, &context! { name => "Ada" }), None);
        let problem = own.problem("reply", sample).unwrap();
        assert!(problem.ends_with("it is no file"), "{problem}");
    }

    #[test]
    fn a_change_holds_from_the_next_use_on() {
        let folder = TempDir::new().unwrap();
        let own = Own::new(folder.path().to_owned());
        let sample = |_: &str| context! { name => "x" };
        let render = || own.render("reply", sample, &context! { name => "Ada" });
        assert_eq!(render(), None);
        fs::write(folder.path().join("reply.md"), "One {{ name }}").unwrap();
        assert_eq!(render().as_deref(), Some("One Ada"));
        fs::write(folder.path().join("reply.md"), "Two {{ name }}").unwrap();
        assert_eq!(render().as_deref(), Some("Two Ada"));
        fs::remove_file(folder.path().join("reply.md")).unwrap();
        assert_eq!(render(), None);
    }
}
