//! Functions of Spark, PostgreSQL, DuckDB, Snowflake, BigQuery, Redshift, ClickHouse and Trino, with what they return.
//! Names as in the engines' lists of functions, in small letters.

use datafusion_common::arrow::datatypes::{DataType, IntervalUnit};

use super::Returns;

/// Numbers without a fraction.
const WHOLE: &str = "
    array_length array_position array_size ascii bit_count bit_length bitmap_count byte_length cardinality char_length
    character_length charindex crc32 crc32c date_diff date_part_year datediff datetime_diff day day_of_month day_of_week
    day_of_year dayofmonth dayofweek dayofweekiso dayofyear dow doy epoch epoch_ms epoch_ns epoch_us
    extract_day extract_month extract_year farm_fingerprint find_in_set from_base hash hour instr int intdiv
    isoweek isoyear jaccard json_array_length json_length json_size julian_day len length lengthutf8 levenshtein
    list_position list_size locate map_size microsecond millisecond minute monotonically_increasing_id month
    murmur_hash3_32 nanosecond ndims octet_length octetlength ord position positioncaseinsensitive quarter
    regexp_count regexp_instr regexp_position second sequence_number shiftleft shiftright size sizeof
    spark_partition_id strlen strpos time_diff timediff timestamp_diff timestampdiff to_number_of_days to_unix_timestamp
    todayofmonth todayofweek todayofyear tohour toint16 toint32 toint64 toint8 tominute tomonth toquarter
    tosecond tounixtimestamp touint16 touint32 touint64 touint8 toweek toyear toyyyymm toyyyymmdd
    try_to_number uncompressed_length unix_date unix_micros unix_millis unix_seconds unix_timestamp
    week week_of_year weekday weekiso weekofyear width_bucket xxhash64 xxh64 year yearofweek yearofweekiso yearweek
    siphash64 cityhash64 halfmd5 murmurhash inthash32 inthash64 txid_current pg_relation_size
";
/// Numbers with a fraction.
const REAL: &str = "
    cosine_distance cosine_similarity div0 div0null editdistance_ratio float haversine ieee_divide jaro_similarity
    jaro_winkler_similarity l2_distance months_between months_diff rand randn random_uniform safe_divide similarity
    st_area st_distance st_length st_x st_y to_double to_float tofloat32 tofloat64 try_divide ts_rank uniform
    try_to_double vector_cosine_similarity word_similarity
";
/// Text, documents of JSON and arrays of them among it.
const TEXT: &str = "
    any_to_string array array_concat array_construct array_distinct array_except array_intersect array_join array_map
    array_remove array_repeat array_reverse array_sort array_slice array_to_string array_union arrayfilter arrayjoin
    arraymap arraysort base64 base64_decode base64_encode bin bit_to_string chr collation concat_array convert
    current_database current_schema current_user cutquerystring cutquerystringandfragment date_format dayname
    decrypt domain domainwithoutwww encrypt filter flatten format format_bytes format_date format_datetime
    format_number format_string format_time format_timestamp formatdatetime from_base64 from_hex from_json
    get_json_object hex host inet_ntoa initcap json_array json_build_array json_build_object json_extract
    json_extract_array json_extract_path json_extract_path_text json_extract_scalar json_extract_string json_format
    json_object json_object_keys json_parse json_query json_to_string json_tuple json_value jsonb_agg_text
    jsonb_build_object jsonb_extract_path jsonb_extract_path_text jsonb_pretty jsonextractraw jsonextractstring
    lcase list_concat list_distinct list_filter list_sort list_transform list_value lowerutf8 make_array map_entries
    map_from_arrays map_from_entries map_keys map_values mask md5 monthname named_tuple nlssort
    normalize object_construct object_construct_keep_null object_keys parse_json parse_url path printf
    protocol quote quote_ident quote_literal regexp_extract regexp_extract_all regexp_match regexp_split
    regexp_split_to_array regexp_substr replace_regexp replaceall replaceone replaceregexpall replaceregexpone row
    row_to_json schema_of_json sentences sequence session_user sha sha1 sha1_hex sha2 sha256 sha2_hex sha512 soundex
    space split split_to_array splitbychar splitbystring str_split string string_split string_to_array stringify
    strip_null_value struct_pack struct_extract strtok strtok_to_array substringutf8 substr_utf8 substring_index
    to_base64 to_binary to_char to_hex to_json to_json_string to_jsonb to_object to_text to_utf8 to_varchar to_variant
    to_xml todecimalstring tofixedstring top_level_domain topleveldomain tostring transform translate trimboth
    trimleft trimright tuple typeof ucase unaccent unbase64 unhex upperutf8 url_decode url_encode url_extract_host
    url_extract_parameter url_extract_path urlhash uuid_string version visitparamextractstring xpath_string zip
    map map_concat map_filter transform_values transform_keys aggregate_text inline arrays_zip slice shuffle
    generate_array generate_date_array generate_timestamp_array array_generate_range split_part jsonb_path_query
    hll_text current_catalog user pg_get_expr get get_path object_delete object_insert json_query_array
    json_value_array regexp_extract_groups extracttextfromhtml extracturlparameter
";
/// Conditions.
const CONDITION: &str = "
    all_match any_match array_contains array_contains_all array_has array_overlap arrays_overlap arrayexists bool
    boolean collate_equal contains contains_substr empty endswith endswithcase equal_null exists forall
    has hasall hasany hastoken ilike in is_array is_date is_distinct_from is_inf is_integer is_json is_nan
    is_not_distinct_from is_null is_null_value is_object isfinite isinf isinfinite isnan isnotnull isnull
    isvaliduuid isvalidutf8 json_contains json_exists json_valid jsonb_exists jsonb_path_exists like list_contains
    list_has list_has_all list_has_any map_contains_key match multimatchany multisearchany none_match notempty
    notilike notlike prefix regexp_contains regexp_full_match regexp_like regexp_matches rlike st_contains
    st_covers st_crosses st_disjoint st_dwithin st_equals st_intersects st_touches st_within startswith suffix
    text_search to_boolean try_to_boolean ucontains unicode_equal
";
/// Days.
const DATE: &str = "
    curdate current_date date date_from_parts date_from_unix_date datefromparts from_days last_day
    last_day_of_month makedate next_day parse_date str_to_date to_date todate today tolastdayofmonth
    tomonday tostartofday tostartofisoyear tostartofmonth tostartofquarter tostartofweek tostartofyear
    try_to_date unix_date_to_date yesterday previous_day date_from_parts
";
/// Points in time.
const TIME: &str = "
    at_timezone convert_timezone current_datetime current_localtimestamp date_parse datetime epoch_to_timestamp
    from_iso8601_date from_iso8601_timestamp from_unixtime from_unixtime_nanos from_utc_timestamp getdate
    localtimestamp make_timestamp make_timestamptz now64 parse_datetime parse_timestamp parsedatetimebesteffort
    statement_timestamp strptime sysdate systimestamp sysutcdatetime timestamp timestamp_from_parts timestamp_micros
    timestamp_millis timestamp_ntz_from_parts timestamp_seconds timestampadd_time to_timestamp to_timestamp_ltz
    to_timestamp_ntz to_timestamp_tz to_utc_timestamp todatetime todatetime64 tostartoffifteenminutes
    tostartoffiveminute tostartoffiveminutes tostartofhour tostartofinterval tostartofminute tostartofsecond
    tostartoftenminutes totimezone transaction_timestamp try_strptime try_to_timestamp utc_timestamp window_time
    clock_timestamp time_bucket_time with_timezone
";
/// As their first argument.
const FIRST: &str = "
    abs add_months addate adddate add_days add_hours add_months_to adddays addhours addminutes addmonths addseconds
    addweeks addyears array_append array_prepend bitand bitnot bitor bitshiftleft bitshiftright bitwise_and
    bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor bitxor bround ceil ceiling date_add
    date_sub datetime_add datetime_sub datetime_trunc floor ifnull interval lag_value least_ignore_nulls materialize
    mod modulo negate negative nullifzero plus pmod positive round sign shift_date subdate subtractdays
    subtractdays subtracthours subtractmonths subtractyears subdays time_slice time_truncate timestamp_add
    timestamp_sub timestamp_trunc tonullable trunc truncate try_add try_subtract try_multiply zeroifnull assumenotnull
    anonymize raise_error_or greatest_ignore_nulls least greatest try minus multiply divide ignore tofixed
";
/// As their second argument.
const SECOND: &str = "if iff iif multiif nvl2 decode decode_oracle date_trunc time_bucket switch";
/// As their last argument.
const LAST: &str = "dateadd timestampadd date_add_unit assert_true_then";
/// An element of their first argument.
const ELEMENT: &str = "
    array_first array_get array_last array_max array_min array_random arrayelement element_at element_of explode_one
    list_element list_extract list_first list_last list_max list_min list_sum array_sum unnest_element try_element_at
";
/// Spans of time.
const SPAN: &str = "age make_interval to_days to_hours to_minutes to_months to_seconds to_years tointervalday
    tointervalhour tointervalminute tointervalmonth tointervalweek tointervalyear parse_duration to_interval";

/// Functions of many values that give a whole number.
const WHOLE_OF_MANY: &str = "
    approx_count_distinct approxcountdistinct bitmap_agg_count grouping_id groupbitmap hll hll_count ndv regr_count
    uniq uniqcombined uniqcombined64 uniqhll12 uniqtheta sequencecount windowfunnel retention_count
    approx_unique count_distinct checksum bit_xor_agg hash_agg sum_distinct_count bitmap_count_agg
";
/// Functions of many values that give a number with a fraction.
const REAL_OF_MANY: &str = "
    corr_spearman covar_samp_weighted entropy exponentialmovingaverage favg fsum geometric_mean kurtosis kurtosis_pop
    kurtosis_sample kurtosispop kurtosissamp mad percentile percentile_approx percent_of_total product
    ratio_to_report skewness skewpop skewsamp simplelinearregression stochasticlinearregression sumkahan
    approx_percentile quantile_ratio avgweighted
";
/// Functions of many values that give text, documents and lists.
const TEXT_OF_MANY: &str = "
    approx_most_frequent approx_quantiles approx_top_count approx_top_k array_agg_distinct array_union_agg
    arrayagg collect_list collect_set group_concat grouparray groupuniqarray grouparrayinsertat histogram
    histogram_numeric json_agg json_arrayagg json_group_array json_group_object json_object_agg json_objectagg
    jsonb_agg jsonb_object_agg list listagg listaggdistinct map_agg map_union map_union_sum multimap_agg numeric_histogram
    object_agg quantiles quantilesexact set_agg set_union string_agg summap topk topkweighted xmlagg approx_set merge
    array_concat_agg qdigest_agg tdigest_agg
";
/// Functions of many values that give one of them.
const ONE_OF_MANY: &str = "
    any any_heavy anyheavy anylast arbitrary arg_max arg_max_null arg_min arg_min_null argmax argmin
    bitand_agg bitor_agg bitwise_and_agg bitwise_or_agg deltasum first first_value last last_value
    max_by max_n maxmap median_exact min_by min_n minmap mode nth_value quantile quantile_cont quantile_disc
    quantiledeterministic quantileexact quantiletdigest quantiletiming percentile_disc reduce_agg sumwithoverflow
    try_avg try_sum approx_quantile topkarray sumcount
";
/// Functions of many values that give a condition.
const CONDITION_OF_MANY: &str = "booland_agg boolor_agg boolxor_agg every logical_and logical_or some bool_agg";

/// Other names of functions that `DataFusion` has with the same arguments.
const SAME: [(&str, &str); 16] = [
    ("ceiling", "ceil"),
    ("char", "chr"),
    ("lcase", "lower"),
    ("len", "character_length"),
    ("lengthutf8", "character_length"),
    ("lowerutf8", "lower"),
    ("stddevpop", "stddev_pop"),
    ("stddevsamp", "stddev"),
    ("std", "stddev"),
    ("strlen", "octet_length"),
    ("ucase", "upper"),
    ("upperutf8", "upper"),
    ("variance", "var_samp"),
    ("varpop", "var_pop"),
    ("varsamp", "var_samp"),
    ("sign", "signum"),
];

/// `DataFusion`'s name of a function that has another one elsewhere.
pub(crate) fn same(name: &str) -> Option<&'static str> {
    SAME.iter().find(|(other, _)| *other == name).map(|(_, known)| *known)
}

/// What a function of single values of another dialect returns.
pub(crate) fn scalar(name: &str) -> Option<Returns> {
    let lists = [
        (WHOLE, Returns::Type(DataType::Int64)),
        (REAL, Returns::Type(DataType::Float64)),
        (CONDITION, Returns::Type(DataType::Boolean)),
        (DATE, Returns::Type(DataType::Date32)),
        (TIME, Returns::TIMESTAMP),
        (FIRST, Returns::Argument(0)),
        (SECOND, Returns::Argument(1)),
        (LAST, Returns::Last),
        (ELEMENT, Returns::Element),
        (SPAN, Returns::Type(DataType::Interval(IntervalUnit::MonthDayNano))),
        (TEXT, Returns::Type(DataType::Utf8)),
    ];
    listed(name, lists)
}

/// What a function of many values of another dialect returns.
pub(crate) fn aggregate(name: &str) -> Option<Returns> {
    let lists = [
        (WHOLE_OF_MANY, Returns::Type(DataType::Int64)),
        (REAL_OF_MANY, Returns::Type(DataType::Float64)),
        (CONDITION_OF_MANY, Returns::Type(DataType::Boolean)),
        (TEXT_OF_MANY, Returns::Type(DataType::Utf8)),
        (ONE_OF_MANY, Returns::Argument(0)),
    ];
    listed(name, lists)
}

fn listed<const N: usize>(name: &str, lists: [(&str, Returns); N]) -> Option<Returns> {
    let found = lists.into_iter().find(|(names, _)| names.split_whitespace().any(|known| known == name));
    found.map(|(_, returns)| returns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_of_other_dialects_return_what_their_manuals_say() {
        let whole = Some(Returns::Type(DataType::Int64));
        let text = Some(Returns::Type(DataType::Utf8));
        for (name, expected) in [
            ("datediff", whole.clone()), // Spark, Redshift, Snowflake: whole days
            ("get_json_object", text),   // Spark: STRING
            ("regexp_contains", Some(Returns::Type(DataType::Boolean))), // BigQuery: BOOL
            ("tostartofmonth", Some(Returns::Type(DataType::Date32))), // ClickHouse: Date
            ("dateadd", Some(Returns::Last)), // Snowflake, Redshift: as the date given
            ("my_own_code", None),
        ] {
            assert_eq!(scalar(name), expected, "{name}");
        }
        assert_eq!(aggregate("uniq"), whole);
        assert_eq!(aggregate("max_by"), Some(Returns::Argument(0)));
        assert_eq!(aggregate("upper"), None);
    }
}
