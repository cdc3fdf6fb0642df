//! The words of the program: phrases that its texts do not use, each with what to write instead, and how long its sentences are.

use crate::texts::{Kind, Text};

/// A phrase, in lower case, and what to write instead.
type Banned = (&'static str, &'static str);

/// Phrases that made readers stop.
const BANNED: &[Banned] = &[
    // Persons who do not exist.
    ("nobody", "name the role, or use the passive"),
    ("somebody", "name the role, or use the passive"),
    ("is asked whether", "name what is checked"),
    ("is told", "“receives”, “is shown”"),
    ("are told", "“receive”, “are shown”"),
    ("takes after", "the name of the method"),
    ("by heart", "“from memory”"),
    // Allocation.
    ("given away", "“allocated”"),
    ("gives away", "“allocates”"),
    ("turned away", "“rejected”"),
    ("turns away", "“rejects”"),
    ("gpus asked for", "“requested GPUs”"),
    ("are asked for", "“are requested”"),
    ("what is asked for", "“the request”"),
    ("late tasks", "“SLO violations”"),
    // Placement.
    ("the gpu pays", "“the GPU is faster”, “the GPU is cheaper”"),
    ("gpus pay", "“GPUs are faster”, “GPUs are cheaper”"),
    ("starts to pay", "“becomes faster”, “becomes cheaper”"),
    ("it pays", "“it is faster”, “it is cheaper”"),
    ("changes sides", "“moves between CPU and GPU”"),
    ("change sides", "“move between CPU and GPU”"),
    ("each by itself", "the name of the baseline, such as “per-operator greedy placement”"),
    ("clearing memory", "“GC time”"),
    ("free slots", "“idle task slots”"),
    ("rows given", "“output rows”"),
    ("bytes given", "“output bytes”"),
    // Tools.
    ("hangs on", "“depends most on”"),
    ("hang on", "“depend most on”"),
    ("nine of ten", "“90 % interval”"),
    ("99 of 100", "“p99”"),
    ("none beats", "“Pareto front”"),
    ("not beaten", "“non-dominated”"),
    ("keeps every limit", "“feasible”"),
    ("keep every limit", "“feasible”"),
    ("must hold", "“constraint”"),
    ("may be others", "“free parameters”"),
    ("end of its values", "“optimum at the bound of its range”"),
    ("not known exactly", "“uncertain”"),
    // Preemption, fleet, measuring.
    ("time in switches", "“context-switch time”"),
    ("thrown away", "“wasted”"),
    ("pays up to", "“break-even at”"),
    ("of a house", "“of an organisation”"),
    ("called off", "“cancelled”"),
    ("call off", "“cancel”"),
    ("to disks", "“to disk”"),
];

/// Every text with a phrase of the list: where it is, the phrase, and what to write instead.
pub(crate) fn complaints(texts: &[Text]) -> Vec<String> {
    let complaints = texts.iter().flat_map(|text| {
        let words = words(&text.content);
        let found: Vec<_> = BANNED.iter().filter(|(phrase, _)| contains(&words, phrase)).collect();
        found.into_iter().map(|(phrase, instead)| {
            format!("{}:{}: “{phrase}”; write {instead}: {}", text.file, text.line, text.content)
        })
    });
    complaints.collect()
}

/// Words in lower case, without the signs around them.
fn words(text: &str) -> Vec<String> {
    let parts = text.split(|c: char| c.is_whitespace() || "/()[]{}".contains(c));
    let bare = parts.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    bare.filter(|word| !word.is_empty()).collect()
}

fn contains(words: &[String], phrase: &str) -> bool {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    words.windows(phrase.len()).any(|window| window == phrase)
}

/// Words from which a sentence is long.
const LONG: usize = 25;
/// Words below which a text is a label.
const LABEL: usize = 4;

/// Sentences of texts: how many, how long on average, how many of them are long.
pub(crate) fn readability(texts: &[Text], kind: Kind) -> String {
    let texts = texts.iter().filter(|text| text.kind == kind);
    let lengths: Vec<usize> =
        texts.flat_map(|text| sentences(&text.content)).filter(|length| *length >= LABEL).collect();
    let long = lengths.iter().filter(|length| **length > LONG).count();
    let [count, sum] = [lengths.len(), lengths.iter().sum()].map(|value: usize| value as f64);
    let share = 100.0 * long as f64 / count.max(1.0);
    format!("{count} sentences of {:.1} words, {share:.1} % over {LONG}", sum / count.max(1.0))
}

/// The number of words of each sentence.
fn sentences(text: &str) -> Vec<usize> {
    let mut lengths = vec![0];
    for word in text.split_whitespace() {
        *lengths.last_mut().expect("one at least") += 1;
        if word.ends_with(['.', '!', '?', ':', ';']) {
            lengths.push(0);
        }
    }
    lengths.retain(|length| *length > 0);
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Text {
        Text { file: "a.rs".to_owned(), line: 3, kind: Kind::Program, content: text.to_owned() }
    }

    #[test]
    fn a_phrase_is_found_as_whole_words_in_any_case() {
        let found = |of: &str| complaints(&[text(of)]).len();
        assert_eq!(found("Given away: 3 GPUs"), 1);
        assert_eq!(found("what (somebody) is told."), 2);
        assert_eq!(found("forgiven away, unasked for"), 0);
        let complaint = complaints(&[text("2 tasks turned away")]);
        assert_eq!(complaint, ["a.rs:3: “turned away”; write “rejected”: 2 tasks turned away"]);
    }

    #[test]
    fn sentences_are_counted_in_words() {
        assert_eq!(sentences("One two. Three four five; six?"), [2, 3, 1]);
        let texts = [text("One two three four."), text("label"), text(&"word ".repeat(26))];
        assert_eq!(readability(&texts, Kind::Program), "2 sentences of 15.0 words, 50.0 % over 25");
        assert_eq!(readability(&[], Kind::Page), "0 sentences of 0.0 words, 0.0 % over 25");
    }
}
