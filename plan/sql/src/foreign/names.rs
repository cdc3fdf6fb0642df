//! Functions of Spark, PostgreSQL, DuckDB, Snowflake, BigQuery, Redshift, ClickHouse and Trino, with what they return.
//! Names as in the engines' lists of functions, in small letters.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use datafusion_common::arrow::datatypes::{DataType, IntervalUnit};

use super::Returns;

/// Numbers without a fraction.
const WHOLE: &str = "
    datalength datediff_big fnv_hash isnumeric nextval patindex rownumberinallblocks strtol
    array_length array_position array_size ascii bit_count bit_length bitmap_count byte_length cardinality
    char_length character_length charindex cityhash64 crc32 crc32c date_diff date_part_year datediff datetime_diff
    day day_of_month day_of_week day_of_year dayofmonth dayofweek dayofweekiso dayofyear dow doy epoch epoch_ms
    epoch_ns epoch_us farm_fingerprint find_in_set from_base halfmd5 hash hour instr int intdiv inthash32 inthash64
    isoweek isoyear json_array_length json_length julian_day len length lengthutf8 levenshtein list_position
    list_size locate map_size microsecond millisecond minute monotonically_increasing_id month murmur_hash3_32
    murmurhash nanosecond ndims octet_length octetlength ord pg_relation_size position positioncaseinsensitive
    quarter regexp_count regexp_instr regexp_position second shiftleft shiftright siphash64 size sizeof
    spark_partition_id strlen strpos time_diff timediff timestamp_diff timestampdiff to_unix_timestamp todayofmonth
    todayofweek todayofyear tohour toint16 toint32 toint64 toint8 tominute tomonth toquarter tosecond touint16
    touint32 touint64 touint8 tounixtimestamp toweek toyear toyyyymm toyyyymmdd try_to_number txid_current
    hll_count.extract uncompressed_length unix_date unix_micros unix_millis unix_seconds unix_timestamp week week_of_year weekday
    weekiso weekofyear width_bucket xxh64 xxhash64 year yearofweek yearofweekiso yearweek
";
/// Numbers with a fraction.
const REAL: &str = "
    arrayreduce cosine_distance cosine_similarity div0 div0null float haversine ieee_divide jaro_similarity
    jaro_winkler_similarity l2_distance months_between rand randn safe_divide similarity st_area st_distance
    st_length st_x st_y to_double to_float tofloat32 tofloat64 try_divide try_to_double ts_rank uniform
    vector_cosine_similarity word_similarity
";
/// Text, documents of JSON and arrays of them among it.
const TEXT: &str = "
    all datename newid quotename replicate stuff sys_connect_by_path
    current_setting elt extractall list_aggregate pg_typeof strftime to_tsquery to_tsvector visitparamextractraw
    flatten convert array array_concat array_construct array_distinct array_except array_generate_range array_intersect array_join
    array_map array_remove array_repeat array_reverse array_slice array_sort array_to_string array_union arrayfilter
    arrayjoin arraymap arrays_zip arraysort base64 base64_decode base64_encode bin chr current_catalog
    current_database current_schema current_user cutquerystring cutquerystringandfragment date_format dayname
    decrypt domain domainwithoutwww encrypt extracttextfromhtml extracturlparameter filter format format_bytes
    format_date format_datetime format_number format_string format_time format_timestamp formatdatetime from_base64
    from_hex from_json generate_array generate_date_array generate_timestamp_array get get_json_object get_path hex
    host inet_ntoa initcap inline json_array json_build_array json_build_object json_extract json_extract_array
    json_extract_path json_extract_path_text json_extract_scalar json_extract_string json_format json_object
    json_object_keys json_parse json_query json_query_array json_tuple json_value json_value_array
    jsonb_build_object jsonb_extract_path jsonb_extract_path_text jsonb_path_query jsonb_pretty jsonextractraw
    jsonextractstring lcase list_concat list_distinct list_filter list_sort list_transform list_value lowerutf8
    make_array map map_concat map_entries map_filter map_from_arrays map_from_entries map_keys map_values mask md5
    monthname nlssort normalize object_construct object_construct_keep_null object_delete object_insert object_keys
    parse_json parse_url pg_get_expr printf protocol quote quote_ident quote_literal regexp_extract
    regexp_extract_all regexp_match regexp_split regexp_split_to_array regexp_substr replaceall replaceone
    replaceregexpall replaceregexpone row row_to_json schema_of_json sentences sequence session_user sha sha1
    sha1_hex sha2 sha256 sha2_hex sha512 shuffle slice soundex space split split_part split_to_array splitbychar
    splitbystring str_split string string_split string_to_array stringify strip_null_value strtok strtok_to_array
    struct_extract struct_pack substr_utf8 substring_index substringutf8 to_base64 to_binary to_char to_hex to_json
    to_json_string to_jsonb to_utf8 to_varchar to_variant to_xml todecimalstring tofixedstring top_level_domain
    topleveldomain tostring transform transform_keys transform_values translate trimboth trimleft trimright tuple
    typeof ucase unaccent unbase64 unhex upperutf8 url_decode url_encode url_extract_host url_extract_parameter
    url_extract_path urlhash user uuid_string version visitparamextractstring xpath_string zip
";
/// Conditions.
const CONDITION: &str = "
    is_valid_json xor
    all_match any_match array_contains array_contains_all array_has array_overlap arrayexists arrays_overlap bool
    boolean contains contains_substr empty endswith endswithcase equal_null exists forall has hasall hasany hastoken
    ilike is_array is_date is_integer is_nan is_null_value is_object isfinite isinf isnan isnotnull isnull
    isvalidutf8 json_contains json_exists json_valid jsonb_exists jsonb_path_exists like list_contains list_has
    list_has_all list_has_any map_contains_key match multimatchany multisearchany none_match notempty notilike
    notlike prefix regexp_contains regexp_full_match regexp_like regexp_matches rlike st_contains st_covers
    st_crosses st_disjoint st_dwithin st_equals st_intersects st_touches st_within startswith suffix to_boolean
    try_to_boolean
";
/// Days.
const DATE: &str = "
    curdate current_date date date_from_parts date_from_unix_date datefromparts from_days last_day last_day_of_month
    eomonth makedate next_day parse_date previous_day str_to_date to_date todate today tolastdayofmonth tomonday
    tostartofday tostartofisoyear tostartofmonth tostartofquarter tostartofweek tostartofyear try_to_date yesterday
";
/// Points in time.
const TIME: &str = "
    at_timezone clock_timestamp convert_timezone current_datetime current_localtimestamp date_parse datetime
    from_iso8601_date from_iso8601_timestamp from_unixtime from_unixtime_nanos from_utc_timestamp getdate
    getutcdate localtimestamp make_timestamp make_timestamptz now64 parse_datetime parse_timestamp parsedatetimebesteffort
    statement_timestamp strptime sysdate sysdatetime systimestamp sysutcdatetime timestamp timestamp_from_parts timestamp_micros
    timestamp_millis timestamp_ntz_from_parts timestamp_seconds to_timestamp to_timestamp_ltz to_timestamp_ntz
    to_timestamp_tz to_utc_timestamp todatetime todatetime64 tostartoffifteenminutes tostartoffiveminute
    tostartoffiveminutes tostartofhour tostartofinterval tostartofminute tostartofsecond tostartoftenminutes
    totimezone transaction_timestamp try_strptime try_to_timestamp utc_timestamp window_time
";
/// As their first argument.
const FIRST: &str = "
    finalizeaggregation neighbor runningaccumulate runningdifference
    abs add_months adddate adddays addhours addminutes addmonths addseconds addweeks addyears array_append
    array_prepend assumenotnull bitand bitnot bitor bitshiftleft bitshiftright bitwise_and bitwise_left_shift
    bitwise_not bitwise_or bitwise_right_shift bitwise_xor bitxor bround ceil ceiling date_add date_sub datetime_add
    datetime_sub datetime_trunc divide floor greatest greatest_ignore_nulls ifnull ignore least least_ignore_nulls
    materialize minus mod modulo multiply negate negative nullifzero plus pmod positive round sign subdate subdays
    subtractdays subtracthours subtractmonths subtractyears time_slice timestamp_add timestamp_sub timestamp_trunc
    tonullable trunc truncate try try_add try_multiply try_subtract zeroifnull
";
/// As their second argument.
const SECOND: &str = "
    aggregate dictget reduce
    date_trunc decode if iff iif multiif nvl2 time_bucket
";
/// As their last argument.
const LAST: &str = "
    dateadd timestampadd
";
/// An element of their first argument.
const ELEMENT: &str = "
    array_first array_get array_last array_max array_min array_sum arrayelement element_at element_of list_element
    list_extract list_first list_last list_max list_min list_sum try_element_at
";
/// Spans of time.
const SPAN: &str = "
    age make_interval parse_duration to_days to_hours to_interval to_minutes to_months to_seconds to_years
    tointervalday tointervalhour tointervalminute tointervalmonth tointervalweek tointervalyear
";

/// Functions of many values that give a whole number.
const WHOLE_OF_MANY: &str = "
    hll_count.merge intervallengthsum uniqupto
    approx_count_distinct approxcountdistinct checksum count_distinct groupbitmap grouping_id hash_agg hll ndv
    regr_count sequencecount uniq uniqcombined uniqcombined64 uniqhll12 uniqtheta windowfunnel
";
/// Functions of many values that give a number with a fraction.
const REAL_OF_MANY: &str = "
    boundingratio corrstable covarpopstable covarsampstable cramersv kolmogorovsmirnovtest mannwhitneyutest percentile_cont
    skew stddevpopstable stddevsampstable studentttest theilsu varpopstable varsampstable welchttest
    ratio_to_report approx_percentile avgweighted entropy exponentialmovingaverage favg fsum geometric_mean kurtosis kurtosis_pop
    kurtosispop kurtosissamp mad percentile percentile_approx product simplelinearregression skewness skewpop
    skewsamp stochasticlinearregression sumkahan
";
/// Functions of many values that give text, documents and lists.
const TEXT_OF_MANY: &str = "
    categoricalinformationvalue flamegraph grouparraylast grouparraymovingavg grouparraymovingsum grouparraysample
    grouparraysorted hll_count.init hll_count.merge_partial largesttrianglethreebuckets maxintersections retention sparkbar
    approx_most_frequent approx_quantiles approx_set approx_top_count approx_top_k array_agg_distinct
    array_concat_agg array_union_agg collect_list collect_set group_concat grouparray grouparrayinsertat
    groupuniqarray histogram histogram_numeric json_agg json_arrayagg json_group_array json_group_object
    json_object_agg json_objectagg jsonb_agg jsonb_object_agg list listagg map_agg map_union map_union_sum merge
    multimap_agg numeric_histogram object_agg qdigest_agg quantiles quantilesexact set_agg set_union string_agg
    summap tdigest_agg topk topkweighted xmlagg
";
/// Functions of many values that give one of them.
const ONE_OF_MANY: &str = "
    deltasumtimestamp groupbitand groupbitor groupbitxor medianexact mediantdigest mediantiming quantilebfloat16 quantiledd
    quantileexacthigh quantileexactlow quantileexactweighted quantilegk quantileinterpolatedweighted
    quantiletdigestweighted quantiletimingweighted singlevalueornull summapfiltered
    any anyheavy anylast approx_quantile arbitrary arg_max arg_max_null arg_min arg_min_null argmax argmin
    bitand_agg bitor_agg bitwise_and_agg bitwise_or_agg deltasum first first_value last last_value max_by maxmap
    min_by minmap mode nth_value percentile_disc quantile quantile_cont quantile_disc quantiledeterministic
    quantileexact quantiletdigest quantiletiming reduce_agg sumcount sumwithoverflow try_avg try_sum
";
/// Functions of many values that give a condition.
const CONDITION_OF_MANY: &str = "
    sequencematch
    booland_agg boolor_agg boolxor_agg every logical_and logical_or some
";

/// Other names of functions that `DataFusion` has with the same arguments.
const SAME: [(&str, &str); 20] = [
    ("ceiling", "ceil"),
    ("char", "chr"),
    ("covarpop", "covar_pop"),
    ("covarsamp", "covar_samp"),
    ("laginframe", "lag"),
    ("lcase", "lower"),
    ("leadinframe", "lead"),
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

/// What scalar functions of other dialects return, by name.
static SCALAR: LazyLock<BTreeMap<&'static str, Returns>> = LazyLock::new(|| {
    by_name([
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
    ])
});
/// What functions of many values of other dialects return, by name.
static AGGREGATE: LazyLock<BTreeMap<&'static str, Returns>> = LazyLock::new(|| {
    by_name([
        (WHOLE_OF_MANY, Returns::Type(DataType::Int64)),
        (REAL_OF_MANY, Returns::Type(DataType::Float64)),
        (CONDITION_OF_MANY, Returns::Type(DataType::Boolean)),
        (TEXT_OF_MANY, Returns::Type(DataType::Utf8)),
        (ONE_OF_MANY, Returns::Argument(0)),
    ])
});

/// What a scalar function of another dialect returns.
pub(crate) fn scalar(name: &str) -> Option<Returns> {
    SCALAR.get(name).cloned()
}

/// What a function of many values of another dialect returns.
pub(crate) fn aggregate(name: &str) -> Option<Returns> {
    AGGREGATE.get(name).cloned()
}

/// Lists of names with what their functions return; of several lists with a name the first counts.
fn by_name<const N: usize>(lists: [(&'static str, Returns); N]) -> BTreeMap<&'static str, Returns> {
    let mut by_name = BTreeMap::new();
    for (names, returns) in lists {
        for name in names.split_whitespace() {
            by_name.entry(name).or_insert_with(|| returns.clone());
        }
    }
    by_name
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
