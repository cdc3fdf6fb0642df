//! The operators of a JSON plan in preorder, each with its fields; errors of numbers name their path.

use serde_json::{Map, Value};

/// Fields of a JSON object.
pub(crate) type Object = Map<String, Value>;

/// Largest number in a plan, see `crossover_query::validate`.
pub(crate) const LARGEST: f64 = 1e18;
/// Most operators of a plan.
const MOST_OPERATORS: usize = 100_000;
/// Steps of a path that a message shows; longer paths lose their beginning.
const STEPS_SHOWN: usize = 12;

/// The operators of one plan; an operator's id is its place.
pub(crate) struct Outline<'a> {
    /// Every operator before those below it.
    pub(crate) operators: Vec<Operator<'a>>,
    key: &'static str,
    root: &'static str,
}

/// One operator of a plan.
pub(crate) struct Operator<'a> {
    /// Its fields.
    pub(crate) fields: &'a Object,
    /// Id of the operator whose field has it.
    pub(crate) parent: Option<usize>,
    /// Ids of the operators below, in the file's order.
    pub(crate) children: Vec<usize>,
    position: usize,
}

impl<'a> Outline<'a> {
    /// The operators at and below `root`. Every operator has those below it in an array called `key`; `listing` gives
    /// the order in which they get their ids, as positions in that array.
    ///
    /// # Errors
    /// Something below an operator is no object, or there are more than 100,000 operators.
    pub(crate) fn new(
        root: (&'static str, &'a Object),
        key: &'static str,
        listing: fn(&Object, &[&Object]) -> Vec<usize>,
    ) -> Result<Self, String> {
        let (name, fields) = root;
        let mut outline = Self { operators: Vec::new(), key, root: name };
        let mut waiting: Vec<(&Object, Option<usize>, usize)> = vec![(fields, None, 0)];
        while let Some((fields, parent, position)) = waiting.pop() {
            let id = outline.operators.len();
            if id == MOST_OPERATORS {
                return Err(format!("more than {MOST_OPERATORS} operators; no plan has as many"));
            }
            outline.operators.push(Operator { fields, parent, children: Vec::new(), position });
            if let Some(parent) = parent {
                outline.operators[parent].children[position] = id;
            }
            let below: Vec<&Object> = match fields.get(key) {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(below)) => {
                    let objects: Option<Vec<&Object>> = below.iter().map(Value::as_object).collect();
                    objects.ok_or_else(|| format!("{}.{key}: expected objects only", outline.place(id)))?
                }
                Some(other) => {
                    return Err(format!("{}.{key} is {}; expected an array", outline.place(id), name_of(other)));
                }
            };
            outline.operators[id].children = vec![usize::MAX; below.len()];
            for position in listing(fields, &below).into_iter().rev() {
                waiting.push((below[position], Some(id), position));
            }
        }
        Ok(outline)
    }

    /// Path of an operator in the file, e.g. `Plan.Plans[0].Plans[1]`.
    pub(crate) fn place(&self, id: usize) -> String {
        let mut steps = Vec::new();
        let mut at = id;
        while let Some(parent) = self.operators[at].parent {
            if steps.len() == STEPS_SHOWN {
                steps.push("…".to_owned());
                break;
            }
            steps.push(format!("{}[{}]", self.key, self.operators[at].position));
            at = parent;
        }
        if steps.len() <= STEPS_SHOWN {
            steps.push(self.root.to_owned());
        }
        steps.reverse();
        steps.join(".")
    }

    /// The first of these fields that exists.
    ///
    /// # Errors
    /// It is not a number from 0 to 10¹⁸.
    pub(crate) fn number(&self, id: usize, keys: &[&str]) -> Result<Option<f64>, String> {
        let found = keys.iter().find_map(|key| Some((key, self.operators[id].fields.get(*key)?)));
        let Some((key, value)) = found.filter(|(_, value)| !value.is_null()) else { return Ok(None) };
        number(value).map(Some).map_err(|problem| format!("{}.{key} {problem}", self.place(id)))
    }

    /// The first of these fields that exists, as text.
    pub(crate) fn text(&self, id: usize, keys: &[&str]) -> Option<&'a str> {
        keys.iter().find_map(|key| self.operators[id].fields.get(*key)?.as_str())
    }
}

/// A number from 0 to 10¹⁸.
///
/// # Errors
/// The text after the field's name in a message.
pub(crate) fn number(value: &Value) -> Result<f64, String> {
    match value.as_f64() {
        Some(number) if (0.0..=LARGEST).contains(&number) => Ok(number),
        Some(number) => Err(format!("is {number}; allowed: 0 … 1e18")),
        None => Err(format!("is {}; expected a number", name_of(value))),
    }
}

/// What kind of JSON a value is.
pub(crate) fn name_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}
