//! Answers of Prometheus to instant queries (<https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries>).

use crossover_quantity::text::shortened;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

/// Path of an instant query, below the address of the server.
const PATH: &str = "/api/v1/query";
/// Longest part of a foreign text in a message.
const SHOWN: usize = 80;

/// The form of an answer.
#[derive(Debug, Deserialize)]
struct Answer {
    status: String,
    #[serde(default)]
    error: String,
    #[serde(default)]
    data: Data,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Data {
    result_type: String,
    result: Value,
}

/// The address of a query.
#[must_use]
pub fn address(server: &Url, query: &str) -> Url {
    let mut url = server.clone();
    url.set_path(&format!("{}{PATH}", server.path().trim_end_matches('/')));
    url.query_pairs_mut().clear().append_pair("query", query);
    url
}

/// The mean over the series of the answer to a query; each is a share, 0 … 1.
///
/// # Errors
/// The text is no answer of Prometheus, or has no share; one line.
pub fn share(text: &str, query: &str) -> Result<f64, String> {
    let shown = shortened(query, SHOWN);
    let answer: Answer = serde_json::from_str(text)
        .map_err(|_| format!("expected an answer of Prometheus, received “{}”", shortened(text.trim(), SHOWN)))?;
    if answer.status != "success" {
        return Err(format!("the query “{shown}” failed: {}", shortened(&answer.error, SHOWN)));
    }
    let values: Option<Vec<f64>> = match answer.data.result_type.as_str() {
        "scalar" => value(&answer.data.result).map(|value| vec![value]),
        "vector" => {
            answer.data.result.as_array().and_then(|all| all.iter().map(|one| value(one.get("value")?)).collect())
        }
        other => {
            return Err(format!(
                "the query “{shown}” has a result of type “{other}”; a vector or a scalar is expected"
            ));
        }
    };
    let values = values.ok_or_else(|| format!("the result of the query “{shown}” has no numbers"))?;
    if values.is_empty() {
        return Err(format!("the query “{shown}” has no result now"));
    }
    match values.iter().find(|value| !(0.0..=1.0).contains(*value)) {
        Some(wrong) => Err(format!("the query “{shown}” gives {wrong}; expected a share from 0 to 1")),
        None => Ok(values.iter().sum::<f64>() / values.len() as f64),
    }
}

/// The number of a sample, `[SECONDS, "NUMBER"]`.
fn value(sample: &Value) -> Option<f64> {
    sample.get(1)?.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(values: &[&str]) -> String {
        let samples: Vec<String> =
            values.iter().map(|value| format!("{{\"metric\":{{}},\"value\":[1435781451.781,\"{value}\"]}}")).collect();
        let result = samples.join(",");
        format!("{{\"status\":\"success\",\"data\":{{\"resultType\":\"vector\",\"result\":[{result}]}}}}")
    }

    #[test]
    fn a_query_is_the_mean_of_its_series() {
        assert_eq!(share(&vector(&["0.25", "0.75"]), "q"), Ok(0.5));
        let scalar = r#"{"status":"success","data":{"resultType":"scalar","result":[1435781451.781,"1"]}}"#;
        assert_eq!(share(scalar, "q"), Ok(1.0));
    }

    #[test]
    fn an_answer_without_a_share_is_named_with_its_query() {
        let failed = r#"{"status":"error","errorType":"bad_data","error":"parse error at char 3"}"#;
        let matrix = r#"{"status":"success","data":{"resultType":"matrix","result":[]}}"#;
        for (text, expected) in [
            (vector(&[]), "the query “q” has no result now"),
            (vector(&["80"]), "the query “q” gives 80; expected a share from 0 to 1"),
            (vector(&["NaN"]), "the query “q” gives NaN; expected a share"),
            (vector(&["much"]), "the result of the query “q” has no numbers"),
            (failed.to_owned(), "the query “q” failed: parse error at char 3"),
            (matrix.to_owned(), "the query “q” has a result of type “matrix”"),
            ("<html>".to_owned(), "expected an answer of Prometheus, received “<html>”"),
        ] {
            let problem = share(&text, "q").expect_err(&text);
            assert!(problem.starts_with(expected), "{text}: {problem}");
        }
    }

    #[test]
    fn a_query_is_encoded_in_its_address() {
        let server = Url::parse("http://prometheus:9090/prefix/").expect("an address");
        let url = address(&server, "avg(x{a=\"b c\"}) / 100&q=1");
        assert_eq!(url.path(), "/prefix/api/v1/query");
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        assert_eq!(pairs, [("query".to_owned(), "avg(x{a=\"b c\"}) / 100&q=1".to_owned())]);
    }
}
