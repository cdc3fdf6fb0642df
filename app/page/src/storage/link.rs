//! Links to a view: the text of a scenario with the settings of its tools, and what of it is in front.
//!
//! `crossover://view/1/DATA`: `DATA` is base64url without padding (RFC 4648, section 5) of a zlib stream (RFC 1950), whose
//! checksum reveals damage. The first line of its text is what is in front, and the rest is a scenario file. A link
//! carries all that it shows: opening one reads no file and starts no program.

use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use crossover_quantity::text::shortened;
use crossover_scenario::Scenario;
use crossover_scenario::views::CompareView;
use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};

/// What links of all versions begin with.
pub const BEGINNING: &str = "crossover://view/";
/// Version of the links that this program writes and reads.
const VERSION: &str = "1";
/// The scheme of links: a path with it is none of a file.
const SCHEME: &str = "crossover:";
/// Most characters of a link: half of what Linux allows for an argument of a program, and what most programs keep whole.
pub const MOST_CHARACTERS: usize = 65_536;
/// What is wrong with a longer one.
const TOO_LONG: &str = "it has more than 65,536 characters";
/// Most bytes of the text in a link: a few kilobytes can unpack to a thousand times as many.
const MOST_BYTES: usize = 1_000_000;
/// Bytes of most texts in links.
const USUAL_BYTES: usize = 16_384;
/// Longest version that a message shows.
const LONGEST_VERSION: usize = 20;

/// What is wrong with a link that ends too early or was changed.
const DAMAGED: &str = "it is incomplete or damaged; copy it again as a whole";
/// What to do instead of a link to a large scenario.
const TOO_LARGE: &str = "the scenario is too large for a link; save it and send the file";
/// Why the application of a query has no queries in a link.
const ONE_QUERY: &str = "a link carries one query only; open the file of the scenario, or import the log";
/// What to do instead of a link to a scenario with recorded tasks.
const NAMES_FILES: &str = "the scenario names files of recorded tasks, which a link does not carry; send the files";

/// What a link shows.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// The scenario with the settings of its tools.
    pub scenario: Scenario,
    /// What of it is in front.
    pub front: Front,
}

/// What of a scenario is in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Front {
    /// Its page, with the content of this name if the page has several.
    Page(Option<String>),
    /// The tool with this title.
    Tool(String),
}

impl Front {
    fn write(&self) -> String {
        match self {
            Self::Page(None) => "page".to_owned(),
            Self::Page(Some(content)) => format!("page {content}"),
            Self::Tool(title) => format!("tool {title}"),
        }
    }

    fn read(line: &str) -> Option<Self> {
        match line.split_once(' ') {
            None => (line == "page").then_some(Self::Page(None)),
            Some(("page", content)) => Some(Self::Page(Some(content.to_owned()))),
            Some(("tool", title)) => Some(Self::Tool(title.to_owned())),
            Some(_) => None,
        }
    }
}

/// The link, if a path is one.
#[must_use]
pub fn as_link(path: &Path) -> Option<&str> {
    let text = path.to_str()?.trim_start();
    text.get(..SCHEME.len()).filter(|scheme| scheme.eq_ignore_ascii_case(SCHEME)).map(|_| text)
}

/// The link to a scenario, without the scenarios that it is compared with, and without the other queries of its application.
///
/// # Errors
/// A scenario that is too large, or that names files; the message says what to do.
pub fn write(scenario: &Scenario, front: &Front) -> Result<String> {
    written(scenario, front).context("cannot copy a link")
}

fn written(scenario: &Scenario, front: &Front) -> Result<String> {
    ensure!(scenario.study.named_trace().is_none(), NAMES_FILES);
    let mut carried = scenario.clone();
    forget_others(&mut carried);
    let text = format!("{}\n{}", front.write(), carried.to_ron());
    ensure!(text.len() <= MOST_BYTES, TOO_LARGE);
    let link = of_text(&text)?;
    ensure!(link.len() <= MOST_CHARACTERS, TOO_LARGE);
    Ok(link)
}

/// The link with this text.
fn of_text(text: &str) -> Result<String> {
    let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
    packer.write_all(text.as_bytes())?;
    Ok(format!("{BEGINNING}{VERSION}/{}", URL_SAFE_NO_PAD.encode(packer.finish()?)))
}

/// The scenario of a link, and what of it is in front.
///
/// # Errors
/// A text that is no link, a link of a newer version, a damaged one, and one whose scenario is not valid or names files.
pub fn open(text: &str) -> Result<Link> {
    opened(text).context("cannot open the link")
}

/// Checks the form of a link, not what it carries.
///
/// # Errors
/// As [`open`].
pub fn check(text: &str) -> Result<()> {
    data(text).map(drop).context("cannot open the link")
}

fn opened(text: &str) -> Result<Link> {
    let packed = URL_SAFE_NO_PAD.decode(data(text)?).ok().context(DAMAGED)?;
    let text = String::from_utf8(unpacked(&packed)?).ok().context(DAMAGED)?;
    let (front, text) = text.split_once('\n').context(DAMAGED)?;
    let front = Front::read(front).context(DAMAGED)?;
    let mut scenario = crossover_scenario::read(text).map_err(|problem| anyhow!("its scenario: {problem}"))?;
    ensure!(scenario.study.named_trace().is_none(), NAMES_FILES);
    forget_others(&mut scenario);
    Ok(Link { scenario, front })
}

/// The data of a link, which has only characters of base64url.
fn data(text: &str) -> Result<String> {
    let parts = text.trim().split_at_checked(BEGINNING.len());
    let Some((_, rest)) = parts.filter(|(beginning, _)| beginning.eq_ignore_ascii_case(BEGINNING)) else {
        bail!("it does not begin with {BEGINNING}");
    };
    // Mail programs break long lines.
    let rest: String = rest.chars().filter(|c| !c.is_whitespace()).take(MOST_CHARACTERS).collect();
    ensure!(BEGINNING.len() + rest.len() <= MOST_CHARACTERS, TOO_LONG);
    let (version, data) = rest.split_once('/').context(DAMAGED)?;
    if version != VERSION {
        let is_newer = version.starts_with(|c: char| ('1'..='9').contains(&c));
        let version = shortened(version, LONGEST_VERSION);
        ensure!(!is_newer, "it has version {version}, and this program reads version {VERSION}; use a newer Crossover");
        bail!("version “{version}” does not exist; allowed: {VERSION}");
    }
    ensure!(!data.is_empty(), DAMAGED);
    if let Some(strange) = data.chars().find(|c| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))) {
        bail!("a link cannot contain “{strange}”; copy it again as a whole");
    }
    Ok(data.to_owned())
}

/// The text of a zlib stream, bounded.
fn unpacked(packed: &[u8]) -> Result<Vec<u8>> {
    let mut unpacker = Decompress::new(true);
    let mut text = Vec::with_capacity(USUAL_BYTES);
    let mut rest = packed;
    loop {
        let before = unpacker.total_in();
        let status = unpacker.decompress_vec(rest, &mut text, FlushDecompress::None).ok().context(DAMAGED)?;
        ensure!(text.len() <= MOST_BYTES, "it unpacks to more than {} MB", MOST_BYTES / 1_000_000);
        let taken = usize::try_from(unpacker.total_in() - before)?;
        rest = rest.get(taken..).unwrap_or_default();
        if status == Status::StreamEnd {
            ensure!(rest.is_empty(), DAMAGED);
            return Ok(text);
        }
        // If there is room, and the stream has not ended, the rest is missing.
        ensure!(text.len() == text.capacity(), DAMAGED);
        text.reserve(text.len());
    }
}

/// What of a scenario its link leaves out, as "the scenarios that it is compared with"; empty if nothing.
#[must_use]
pub fn leaves_out(scenario: &Scenario) -> String {
    let is_compared = scenario.views.compare.as_ref().is_some_and(|compare| !compare.with.is_empty());
    let query = scenario.study.placement().and_then(|study| study.query.as_deref());
    let has_queries = query.and_then(|query| query.application.as_deref()).is_some_and(|kept| !kept.queries.is_empty());
    let others = [
        (is_compared, "the scenarios that it is compared with"),
        (has_queries, "the other queries of its application"),
    ];
    let others: Vec<&str> = others.into_iter().filter(|(is_there, _)| *is_there).map(|(_, what)| what).collect();
    others.join(" and ")
}

/// Scenarios that this one is compared with are files and tabs of one machine. Other queries of its application are not what the link
/// shows, have texts that its sender may not know of, and seldom fit.
fn forget_others(scenario: &mut Scenario) {
    let query = scenario.study.placement_mut().and_then(|study| study.query.as_deref_mut());
    if let Some(kept) = query.and_then(|query| query.application.as_mut()) {
        *kept = kept.without_queries(ONE_QUERY).into();
    }
    _ = scenario.views.compare.take_if(|compare| {
        compare.with.clear();
        *compare == CompareView::default()
    });
}

#[cfg(test)]
mod tests {
    use crossover_placement::Query;
    use crossover_query::application::{self, Application};
    use crossover_query::{Kind, Node, Plan};
    use crossover_scenario::read;
    use crossover_scenario::views::{OtherScenario, ViewRange};

    use super::*;
    use crate::storage::scenario::BUILT_IN;

    /// Written by `zlib` and `base64` of Python, not by this program.
    const OF_PYTHON: &str = "crossover://view/1/\
        eJxtUsGKgzAQvfcrhp4UgkS7UvBe9rKHhd3bskjUsQ0bk5DEuv37nbTWdksDIs68ee_NM8EYBR8Tol0lR3ReGl1BzkCLAStYf04G\
        BtEepEa_ZuDD2J0qeFeixQF1SJIV0GnV6AO6CpIrtoKCQS90LYmuSNkZpk1HnElrx9oKJ5RCJf1QwabI-BWCYTLuh-\
        a_ktlCUcJrs1tHukEqUt-FAzoCMlAkVe8bGWqLro6iZcYZYN9jG-TxobfJyvT7ItOMVEiCqffkZd_8H--\
        dGZ40ZofUoNH94w55yRdIawbr0F-yTOaVaieCNBXw7IUtiDuJfBu1O3zSKrcLtaGSCMbdB9RLReFTQK0SnhpvlIpw9EkePfHpzp-\
        Zcs6HJhrgvGQgtR0DiZAyj8pmDLGwuMyvWVmjZHu6LXL7JeQpTRkcJU4xTh9vEb1_6bEiHAg4X4zs7grFdCnQKBlIqDiLWyN1iCH\
        wlM7qDzTnzgw";

    fn front_of_tool() -> Front {
        Front::Tool("Map".to_owned())
    }

    fn refused(link: &str) -> String {
        format!("{:#}", open(link).expect_err(link))
    }

    #[test]
    fn a_link_that_another_program_wrote_is_read() {
        let Link { scenario, front } = open(OF_PYTHON).unwrap();
        assert_eq!((scenario.name.as_str(), front), ("Two machines", Front::Tool("Sweep".to_owned())));
        let study = scenario.study.placement().unwrap();
        assert_eq!((study.cluster.machines, study.gpu.gpu_parallelism), (2.0, 150.0));
        let sweep = scenario.views.sweep.unwrap();
        assert_eq!((sweep.x.path.as_str(), sweep.x.to, sweep.x.points), ("cluster.machines", 20.0, 10));
    }

    #[test]
    fn a_link_to_a_shipped_scenario_gives_the_scenario_and_what_is_in_front() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
        let mut count = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_none_or(|extension| extension != "ron") {
                continue;
            }
            let scenario = read(&std::fs::read_to_string(&path).unwrap()).unwrap();
            let page = |content: Option<&str>| Front::Page(content.map(str::to_owned));
            for front in [page(None), page(Some("Over time")), front_of_tool()] {
                let link = write(&scenario, &front).unwrap();
                let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_:/".contains(c);
                assert!(link.len() < 16_000 && link.chars().all(is_safe), "{}: {link}", path.display());
                let opened = open(&link).unwrap();
                assert_eq!(opened.scenario.to_ron(), scenario.to_ron(), "{}", path.display());
                assert_eq!(opened, Link { scenario: scenario.clone(), front });
            }
            count += 1;
        }
        assert!(count > 20, "only {count} scenarios");
    }

    #[test]
    fn a_link_that_was_broken_into_lines_is_whole() {
        let (start, end) = OF_PYTHON.split_at(70);
        let capital = OF_PYTHON.replacen("crossover", "Crossover", 1);
        for link in [format!(" {start}\r\n  {end}\n"), capital] {
            assert_eq!(open(&link).unwrap(), open(OF_PYTHON).unwrap(), "{link}");
            assert!(as_link(Path::new(&link)).is_some() && check(&link).is_ok(), "{link}");
        }
        for path in ["a.ron", "/crossover:/a.ron", "./crossover:a", "cross", "größe", "-"] {
            assert_eq!(as_link(Path::new(path)), None, "{path}");
        }
    }

    #[test]
    fn a_text_that_is_no_link_is_refused_with_the_reason() {
        let with_data = |data: &str| format!("{BEGINNING}1/{data}");
        let (long, percent) = (with_data(&"A".repeat(MOST_CHARACTERS)), with_data("AA%20"));
        for (link, problem) in [
            ("", "it does not begin with crossover://view/"),
            ("https://example.org", "it does not begin with crossover://view/"),
            ("crossover://other/1/AAAA", "it does not begin with crossover://view/"),
            ("crossover://viewé", "it does not begin with crossover://view/"),
            (BEGINNING, DAMAGED),
            ("crossover://view/1", DAMAGED),
            ("crossover://view/1/", DAMAGED),
            ("crossover://view/2/AAAA", "it has version 2, and this program reads version 1; use a newer Crossover"),
            ("crossover://view/x/AAAA", "version “x” does not exist; allowed: 1"),
            (long.as_str(), "it has more than 65,536 characters"),
            (percent.as_str(), "a link cannot contain “%”; copy it again as a whole"),
        ] {
            assert_eq!(refused(link), format!("cannot open the link: {problem}"), "{link}");
            assert_eq!(format!("{:#}", check(link).unwrap_err()), refused(link), "{link}");
        }
        for data in ["A", "AAAA", "eJw", "-_-_"] {
            assert!(refused(&with_data(data)).ends_with(DAMAGED), "{data}");
        }
        let more = URL_SAFE_NO_PAD.decode(data(OF_PYTHON).unwrap()).unwrap();
        let more = URL_SAFE_NO_PAD.encode([&more[..], b"more"].concat());
        assert!(refused(&with_data(&more)).ends_with(DAMAGED), "bytes after the stream");
    }

    #[test]
    fn a_link_that_was_cut_is_refused_and_a_changed_one_gives_no_other_scenario() {
        for length in 0..OF_PYTHON.len() {
            assert!(open(&OF_PYTHON[..length]).is_err(), "{length} characters");
        }
        let whole = open(OF_PYTHON).unwrap();
        for place in BEGINNING.len() + 2..OF_PYTHON.len() {
            let other = if OF_PYTHON[place..].starts_with('A') { "B" } else { "A" };
            let changed = format!("{}{other}{}", &OF_PYTHON[..place], &OF_PYTHON[place + 1..]);
            // A few bits of a stream mean nothing.
            assert!(open(&changed).is_ok_and(|link| link == whole) || refused(&changed).len() < 200, "{place}");
        }
    }

    #[test]
    fn a_text_that_is_no_view_is_refused() {
        let refused = |text: &str| refused(&of_text(text).unwrap());
        for text in ["", "page", "list\n(version: 1)", "tool\n(version: 1)"] {
            assert!(refused(text).ends_with(DAMAGED), "{text}");
        }
        let problem = refused("page\n(version: 99, name: \"a\")");
        assert!(problem.contains("its scenario: line 1") && problem.contains("use a newer Crossover"), "{problem}");
        let bomb = "x".repeat(MOST_BYTES + 1);
        let link = of_text(&bomb).unwrap();
        assert!(link.len() < MOST_CHARACTERS, "a short link: {}", link.len());
        assert_eq!(refused(&bomb), "cannot open the link: it unpacks to more than 1 MB");
    }

    #[test]
    fn a_scenario_that_is_too_large_is_to_be_saved() {
        let mut scenario = read(BUILT_IN).unwrap();
        let refused = |scenario: &Scenario| format!("{:#}", write(scenario, &front_of_tool()).unwrap_err());
        let expected = format!("cannot copy a link: {TOO_LARGE}");
        scenario.notes = "x".repeat(MOST_BYTES);
        assert_eq!(refused(&scenario), expected);
        // Digits without a pattern, of 3.3 bits each: more than 80,000 bytes.
        let mut state = 1_u64;
        let digits = std::iter::repeat_with(|| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            char::from(b'0' + u8::try_from((state >> 33) % 10).unwrap())
        });
        scenario.notes = digits.take(200_000).collect();
        assert_eq!(refused(&scenario), expected);
    }

    #[test]
    fn a_link_carries_no_path_of_a_machine() {
        let mut scenario = read(BUILT_IN).unwrap();
        let with = vec![OtherScenario::File("/home/a/secret.ron".to_owned()), OtherScenario::Unsaved("1".to_owned())];
        let x = Some(ViewRange { path: "cluster.machines".to_owned(), from: 1.0, to: 9.0, points: 3, log: false });
        scenario.views.compare = Some(CompareView { x: x.clone(), with });
        let alone = Some(CompareView { x, with: Vec::new() });
        assert_eq!(open(&write(&scenario, &front_of_tool()).unwrap()).unwrap().scenario.views.compare, alone);
        let hostile = of_text(&format!("page\n{}", scenario.to_ron())).unwrap();
        assert_eq!(open(&hostile).unwrap().scenario.views.compare, alone);
    }

    #[test]
    fn a_link_carries_no_other_query_of_an_application() {
        let mut scenario = read(BUILT_IN).unwrap();
        let plan = |text: &str| Plan {
            nodes: vec![Node { detail: text.to_owned(), ..Node::new("Scan", Kind::Scan) }],
            ..Plan::default()
        };
        let other = |number: usize| application::Query {
            id: number.to_string(),
            description: format!("SELECT secret_{number}"),
            plan: plan(&format!("secret_{number}")).into(),
            ..application::Query::default()
        };
        let kept = Application {
            engine: "Spark 3.5.3".to_owned(),
            name: "shop".to_owned(),
            queries: (0..3).map(other).collect(),
            run: application::Run { id: "secret-run".to_owned(), ..application::Run::default() },
            warnings: vec!["a secret note".to_owned()],
            ..Application::default()
        };
        let query = Query { plan: plan("shown").into(), application: Some(kept.into()), ..Query::default() };
        scenario.study.placement_mut().unwrap().query = Some(Box::new(query));
        assert_eq!(leaves_out(&scenario), "the other queries of its application");
        let opened = open(&write(&scenario, &Front::Page(None)).unwrap()).unwrap().scenario;
        assert!(!opened.to_ron().contains("secret"), "{}", opened.to_ron());
        assert_eq!(leaves_out(&opened), "");
        let query = opened.placement().unwrap().query.as_deref().unwrap();
        assert_eq!(query.plan.nodes[0].detail, "shown");
        let kept = query.application.as_deref().unwrap();
        assert_eq!((kept.engine.as_str(), kept.name.as_str()), ("Spark 3.5.3", "shop"));
        let left_out = kept.left_out.as_ref().unwrap();
        assert_eq!(left_out.queries, 3);
        assert!(left_out.why.starts_with("a link carries one query"), "{}", left_out.why);
        // A link to what came from a link gives the same reason and number.
        assert_eq!(open(&write(&opened, &Front::Page(None)).unwrap()).unwrap().scenario, opened);
        let hostile = of_text(&format!("page\n{}", scenario.to_ron())).unwrap();
        assert_eq!(open(&hostile).unwrap().scenario, opened);
    }

    #[test]
    fn a_scenario_with_recorded_files_has_no_link() {
        let file = format!("trace: (form: Philly, files: [(path: \"/etc/passwd\", sha256: \"{}\")])", "0".repeat(64));
        let shared = include_str!("../../../../scenarios/allocation-shared.ron");
        let text = shared.replace("replay: (", &format!("replay: ({file}, "));
        let problem = write(&read(&text).unwrap(), &front_of_tool()).unwrap_err();
        assert_eq!(format!("{problem:#}"), format!("cannot copy a link: {NAMES_FILES}"));
        let hostile = of_text(&format!("page\n{text}")).unwrap();
        assert_eq!(refused(&hostile), format!("cannot open the link: {NAMES_FILES}"));
    }
}
