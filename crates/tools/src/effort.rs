//! What it takes to check something by a schema that somebody else wrote.
//!
//! A schema can name its parts any number of times, and itself: a short one can take more
//! steps than there is time for, and more of the stack than there is. So the steps are
//! counted first, up to a limit and rather too many, and what is over it is never checked.
//!
//! Pure. Parts elsewhere than in the schema itself are not looked for.

use serde_json::{Map, Value};
use std::collections::{HashMap, HashSet};

/// With one value, what lies in it left out.
const MOST_OF_ONE_VALUE: usize = 10_000;
/// With a value and all that lies in it.
const MOST_STEPS: usize = 200_000;
/// How far parts lie in each other, and values in a value.
const MOST_LEVELS: usize = 256;
/// What is read forwards and backwards, as patterns that look ahead are.
const STEPS_OF_A_PATTERN: usize = 100;
/// Which members nothing else has looked at is found out by looking at all again.
const TIMES_AGAIN: usize = 3;

const TOO_MUCH: &str = "checking by it takes too many steps";

/// Why nothing should ever be checked by a schema, if so.
pub fn check(schema: &Value) -> Result<(), String> {
    let schema = Schema::read(schema)?;
    let (mut weights, mut seen) = (HashMap::new(), HashSet::new());
    let mut open = vec![schema.root];
    while let Some(part) = open.pop() {
        let Value::Object(words) = part else { continue };
        if seen.insert(std::ptr::from_ref(part)) {
            schema.weight(part, &mut weights, 0)?;
            open.extend(schema.beside(words)?);
            open.extend(within(words).into_iter().map(|(_, part)| part));
        }
    }
    Ok(())
}

/// Whether a value can be checked by a schema in the time that there is.
pub fn fits(schema: &Value, value: &Value) -> bool {
    let Ok(schema) = Schema::read(schema) else { return false };
    Count { schema: &schema, left: MOST_STEPS }.visit(schema.root, value, 0).is_some()
}

type Words = Map<String, Value>;

struct Schema<'s> {
    root: &'s Value,
    /// Its parts that have a name, by which they can be referred to.
    named: HashMap<&'s str, Vec<&'s Value>>,
}

impl<'s> Schema<'s> {
    fn read(root: &'s Value) -> Result<Self, String> {
        let mut schema = Schema { root, named: HashMap::new() };
        let version = root.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let address = if version.contains("draft-04") { "id" } else { "$id" };
        schema.look(root, address)?;
        Ok(schema)
    }

    fn look(&mut self, part: &'s Value, address: &str) -> Result<(), String> {
        let Value::Object(words) = part else {
            let items = part.as_array().into_iter().flatten();
            return items.into_iter().try_for_each(|item| self.look(item, address));
        };
        // What refers to `#` in there means another beginning.
        if words.get(address).is_some_and(Value::is_string) && !std::ptr::eq(part, self.root) {
            return Err("a part of it has an address of its own".to_owned());
        }
        for (word, inner) in words {
            match word.as_str() {
                "$anchor" | "$dynamicAnchor" => {
                    if let Some(name) = inner.as_str() {
                        self.named.entry(name).or_default().push(part);
                    }
                }
                "const" | "enum" | "default" | "example" | "examples" => {}
                _ => self.look(inner, address)?,
            }
        }
        Ok(())
    }

    fn referred(&self, reference: &str) -> Result<Vec<&'s Value>, String> {
        let nowhere = || format!("it refers to {reference:?}, which is not in it");
        let place = reference.strip_prefix('#').ok_or_else(nowhere)?;
        let found = match place {
            "" => vec![self.root],
            // A `%` would be read as another sign.
            _ if place.starts_with('/') && !place.contains('%') => {
                self.root.pointer(place).into_iter().collect()
            }
            name => self.named.get(name).cloned().unwrap_or_default(),
        };
        if found.is_empty() { Err(nowhere()) } else { Ok(found) }
    }

    /// The parts that look at the same value.
    fn beside(&self, words: &'s Words) -> Result<Vec<&'s Value>, String> {
        let mut parts = Vec::new();
        for (word, part) in words {
            match (word.as_str(), part) {
                ("not" | "if" | "then" | "else", part) => parts.push(part),
                ("allOf" | "anyOf" | "oneOf", Value::Array(all)) => parts.extend(all),
                ("dependentSchemas" | "dependencies", Value::Object(all)) => {
                    parts.extend(all.values());
                }
                ("$ref" | "$dynamicRef" | "$recursiveRef", Value::String(reference)) => {
                    parts.extend(self.referred(reference)?);
                }
                _ => {}
            }
        }
        Ok(parts)
    }

    /// The steps that a part takes with one value. An error says why they have no end, or
    /// are too many.
    fn weight(
        &self,
        part: &'s Value,
        known: &mut HashMap<*const Value, Option<usize>>,
        level: usize,
    ) -> Result<usize, String> {
        let Value::Object(words) = part else { return Ok(1) };
        match known.get(&std::ptr::from_ref(part)) {
            Some(Some(weight)) => return Ok(*weight),
            Some(None) => return Err("a part of it is itself over again".to_owned()),
            None if level > MOST_LEVELS => return Err(TOO_MUCH.to_owned()),
            None => {}
        }
        known.insert(part, None);
        let mut weight = own_steps(words);
        for beside in self.beside(words)? {
            weight += self.weight(beside, known, level + 1)? * times(words);
        }
        if weight > MOST_OF_ONE_VALUE {
            return Err(TOO_MUCH.to_owned());
        }
        known.insert(part, Some(weight));
        Ok(weight)
    }
}

/// Which of the values in a value a part looks at.
enum In<'s> {
    Member(&'s str),
    EveryMember,
    EveryName,
    Item(usize),
    EveryItem,
}

/// The parts that look at what lies in the value.
fn within(words: &Words) -> Vec<(In<'_>, &Value)> {
    let mut parts = Vec::new();
    for (word, part) in words {
        match (word.as_str(), part) {
            ("properties", Value::Object(all)) => {
                parts.extend(all.iter().map(|(name, part)| (In::Member(name), part)));
            }
            ("patternProperties", Value::Object(all)) => {
                parts.extend(all.values().map(|part| (In::EveryMember, part)));
            }
            ("additionalProperties" | "unevaluatedProperties", part) => {
                parts.push((In::EveryMember, part));
            }
            ("propertyNames", part) => parts.push((In::EveryName, part)),
            ("items" | "prefixItems", Value::Array(all)) => {
                parts.extend(all.iter().enumerate().map(|(nth, part)| (In::Item(nth), part)));
            }
            ("items" | "additionalItems" | "unevaluatedItems" | "contains", part) => {
                parts.push((In::EveryItem, part));
            }
            _ => {}
        }
    }
    parts
}

struct Count<'c, 's> {
    schema: &'c Schema<'s>,
    left: usize,
}

impl<'s> Count<'_, 's> {
    /// Nothing when there are more steps than may be.
    fn visit(&mut self, part: &'s Value, value: &Value, level: usize) -> Option<()> {
        let Value::Object(words) = part else { return self.take(1) };
        self.take(own_steps(words))?;
        if level > MOST_LEVELS {
            return None;
        }
        for beside in self.schema.beside(words).ok()? {
            for _ in 0..times(words) {
                self.visit(beside, value, level + 1)?;
            }
        }
        for (of, part) in within(words) {
            match (of, value) {
                (In::Member(name), Value::Object(members)) => {
                    if let Some(member) = members.get(name) {
                        self.visit(part, member, level + 1)?;
                    }
                }
                (In::EveryMember, Value::Object(members)) => {
                    members.values().try_for_each(|one| self.visit(part, one, level + 1))?;
                }
                // A name has nothing in it, like null.
                (In::EveryName, Value::Object(members)) => {
                    members.iter().try_for_each(|_| self.visit(part, &Value::Null, level + 1))?;
                }
                (In::Item(nth), Value::Array(items)) => {
                    if let Some(item) = items.get(nth) {
                        self.visit(part, item, level + 1)?;
                    }
                }
                (In::EveryItem, Value::Array(items)) => {
                    items.iter().try_for_each(|one| self.visit(part, one, level + 1))?;
                }
                _ => {}
            }
        }
        Some(())
    }

    fn take(&mut self, steps: usize) -> Option<()> {
        self.left = self.left.checked_sub(steps)?;
        Some(())
    }
}

fn own_steps(words: &Words) -> usize {
    let length = |word: &str| match words.get(word) {
        Some(Value::Array(all)) => all.len(),
        Some(Value::Object(all)) => all.len(),
        _ => 0,
    };
    let lists: usize =
        ["enum", "required", "properties", "patternProperties"].map(length).iter().sum();
    let patterns = words.get("patternProperties").and_then(Value::as_object);
    let patterns = patterns.into_iter().flat_map(Map::keys).map(String::as_str);
    let all = patterns.chain(words.get("pattern").and_then(Value::as_str));
    1 + lists + all.filter(|pattern| goes_back(pattern)).count() * STEPS_OF_A_PATTERN
}

/// Whether a pattern may be read backwards, too: it looks around, or names what it has read.
fn goes_back(pattern: &str) -> bool {
    let names = |pair: &[u8]| pair[0] == b'\\' && (pair[1].is_ascii_digit() || pair[1] == b'k');
    pattern.contains("(?") || pattern.as_bytes().windows(2).any(names)
}

fn times(words: &Words) -> usize {
    let again = ["unevaluatedProperties", "unevaluatedItems"];
    if again.iter().any(|word| words.contains_key(*word)) { TIMES_AGAIN } else { 1 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_schema_that_takes_more_steps_than_there_is_time_for_is_none() {
        let chain = |many: usize, link: fn(String) -> Value, end: Value| {
            let mut parts = Map::new();
            for nth in 0..many {
                parts.insert(format!("p{nth}"), link(format!("#/$defs/p{}", nth + 1)));
            }
            parts.insert(format!("p{many}"), end);
            json!({"type": "object", "$ref": "#/$defs/p0", "$defs": parts})
        };
        let twice = |next: String| json!({"anyOf": [{"$ref": next}, {"$ref": next}]});
        let once = |next: String| json!({"$ref": next});
        let again =
            |next: String| json!({"allOf": [{"$ref": next}], "unevaluatedProperties": false});
        let check = |schema: Value, expected: Result<(), &str>| {
            assert_eq!(check(&schema), expected.map_err(str::to_owned));
        };
        check(chain(8, twice, json!({"type": "object"})), Ok(()));
        check(chain(60, twice, json!({"type": "object"})), Err(TOO_MUCH));
        check(chain(60, again, json!({"type": "object"})), Err(TOO_MUCH));
        check(chain(60, once, json!({"type": "object"})), Ok(()));
        check(chain(5000, once, json!({"type": "object"})), Err(TOO_MUCH));
        let mut nested = json!({"type": "object"});
        for _ in 0..40 {
            nested = json!({"oneOf": [nested.clone(), {"not": nested}]});
            if nested.to_string().len() > 2_000_000 {
                break;
            }
        }
        check(nested, Err(TOO_MUCH));
        let endless = "a part of it is itself over again";
        check(json!({"$ref": "#"}), Err(endless));
        check(chain(3, once, json!({"allOf": [{"$ref": "#/$defs/p1"}]})), Err(endless));
        let named =
            json!({"$ref": "#me", "$defs": {"a": {"$anchor": "me", "not": {"$ref": "#me"}}}});
        check(named, Err(endless));
        let apart = json!({"properties": {"a": {"$id": "https://a/", "$ref": "#"}}});
        check(apart, Err("a part of it has an address of its own"));
        let elsewhere = json!({"properties": {"a": {"$ref": "b.json"}}});
        check(elsewhere, Err("it refers to \"b.json\", which is not in it"));
        // A tree is a part of itself, and not over again.
        let tree = json!({"properties": {"left": {"$ref": "#"}, "right": {"$ref": "#"}}});
        check(tree, Ok(()));
        let id = json!({"$id": "https://a/", "properties": {"$id": {"type": "string"}, "a": {"const": {"$id": "b"}}}});
        check(id, Ok(()));
    }

    #[test]
    fn what_takes_too_many_steps_to_check_is_not_checked() {
        let deep = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({"a": inner}));
        let tree = json!({"properties": {"a": {"$ref": "#"}, "b": {"$ref": "#"}}});
        assert!(fits(&tree, &deep(100)));
        let both = json!({"anyOf": [
            {"properties": {"a": {"$ref": "#"}}},
            {"properties": {"a": {"$ref": "#"}}},
        ]});
        assert_eq!(check(&both), Ok(()));
        assert!(fits(&both, &deep(8)));
        assert!(!fits(&both, &deep(60)));
        let list = json!({"type": "array", "items": {"enum": (0..100).collect::<Vec<_>>()}});
        assert!(fits(&list, &json!(vec![1; 1000])));
        assert!(!fits(&list, &json!(vec![1; 10_000])));
        let mails = json!({"items": {"pattern": "^(?!\\.).*@.*$"}});
        assert!(fits(&mails, &json!(vec!["a@b"; 1000])));
        assert!(!fits(&mails, &json!(vec!["a@b"; 10_000])));
    }
}
