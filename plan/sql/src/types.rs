//! Types of all dialects under the one name that the planner has for each.

use crossover_plan::SqlDialect;
use datafusion_sql::sqlparser::ast::{
    ArrayElemTypeDef, CharacterLength, DataType as SqlType, ExactNumberInfo, ObjectName, ObjectNamePart, TimezoneInfo,
};
use datafusion_sql::sqlparser::dialect::ClickHouseDialect;
use datafusion_sql::sqlparser::parser::Parser;

use super::parsers::parser;

/// The planner's name of a type; a type that it does not know stays what it is.
pub(super) fn common_name(data_type: SqlType, dialect: Option<SqlDialect>) -> SqlType {
    match data_type {
        SqlType::Character(length) => SqlType::Char(length),
        SqlType::CharacterVarying(length) | SqlType::CharVarying(length) | SqlType::Nvarchar(length) => {
            SqlType::Varchar(length)
        }
        SqlType::FixedString(length) => SqlType::Char(Some(CharacterLength::IntegerLength { length, unit: None })),
        SqlType::Clob(_)
        | SqlType::CharacterLargeObject(_)
        | SqlType::CharLargeObject(_)
        | SqlType::TinyText
        | SqlType::MediumText
        | SqlType::LongText
        | SqlType::JSON
        | SqlType::JSONB
        | SqlType::Uuid
        | SqlType::Enum(..)
        | SqlType::Set(_)
        | SqlType::Regclass
        | SqlType::TsVector
        | SqlType::TsQuery
        | SqlType::Map(..)
        | SqlType::Tuple(_)
        | SqlType::Nested(_)
        | SqlType::Union(_)
        | SqlType::AnyType
        | SqlType::Array(ArrayElemTypeDef::None) => SqlType::Text,
        SqlType::Binary(_)
        | SqlType::Varbinary(_)
        | SqlType::Blob(_)
        | SqlType::TinyBlob
        | SqlType::MediumBlob
        | SqlType::LongBlob
        | SqlType::Bytes(_)
        | SqlType::BitVarying(_)
        | SqlType::VarBit(_) => SqlType::Bytea,
        SqlType::Timestamp(_, zone) => SqlType::Timestamp(None, zone),
        SqlType::TimestampNtz(_) | SqlType::Datetime(_) | SqlType::Datetime64(..) => {
            SqlType::Timestamp(None, TimezoneInfo::None)
        }
        SqlType::Time(..) => SqlType::Time(None, TimezoneInfo::None),
        SqlType::Date32 => SqlType::Date,
        SqlType::Interval { .. } => SqlType::Interval { fields: None, precision: None },
        SqlType::Bit(None | Some(1)) => SqlType::Boolean,
        SqlType::Nullable(inner) | SqlType::LowCardinality(inner) => common_name(*inner, dialect),
        SqlType::Array(ArrayElemTypeDef::AngleBracket(item) | ArrayElemTypeDef::Parenthesis(item)) => {
            SqlType::Array(ArrayElemTypeDef::AngleBracket(Box::new(common_name(*item, dialect))))
        }
        SqlType::Array(ArrayElemTypeDef::SquareBracket(item, size)) => {
            SqlType::Array(ArrayElemTypeDef::SquareBracket(Box::new(common_name(*item, dialect)), size))
        }
        SqlType::Custom(name, arguments) => match unquoted(&name, &arguments, dialect) {
            Some(named) => common_name(named, dialect),
            None => custom(name, arguments),
        },
        number => number_type(number, dialect),
    }
}

/// The planner's name of a type of numbers.
fn number_type(data_type: SqlType, dialect: Option<SqlDialect>) -> SqlType {
    match data_type {
        // Eight bits in ClickHouse, eight bytes elsewhere.
        SqlType::Int8(_) if dialect == Some(SqlDialect::ClickHouse) => SqlType::TinyInt(None),
        SqlType::Int16 => SqlType::SmallInt(None),
        SqlType::Int32 | SqlType::MediumInt(_) => SqlType::Int(None),
        SqlType::Int64 | SqlType::Signed | SqlType::SignedInteger => SqlType::BigInt(None),
        SqlType::UInt8 | SqlType::UTinyInt => SqlType::TinyIntUnsigned(None),
        SqlType::UInt16 | SqlType::USmallInt => SqlType::SmallIntUnsigned(None),
        SqlType::UInt32 | SqlType::MediumIntUnsigned(_) => SqlType::IntUnsigned(None),
        SqlType::UInt64 | SqlType::UBigInt | SqlType::Unsigned | SqlType::UnsignedInteger => {
            SqlType::BigIntUnsigned(None)
        }
        SqlType::Int128
        | SqlType::Int256
        | SqlType::UInt128
        | SqlType::UInt256
        | SqlType::HugeInt
        | SqlType::UHugeInt => SqlType::Decimal(ExactNumberInfo::PrecisionAndScale(38, 0)),
        // Four bytes in Spark and DuckDB, eight in these.
        SqlType::Float(ExactNumberInfo::None)
            if !matches!(
                dialect,
                Some(SqlDialect::Postgres | SqlDialect::Redshift | SqlDialect::Snowflake | SqlDialect::SqlServer)
            ) =>
        {
            SqlType::Float(ExactNumberInfo::None)
        }
        SqlType::Float(ExactNumberInfo::None)
        | SqlType::Float64
        | SqlType::Double(_)
        | SqlType::DoubleUnsigned(_)
        | SqlType::DoublePrecisionUnsigned => SqlType::DoublePrecision,
        SqlType::Float32 | SqlType::FloatUnsigned(_) | SqlType::RealUnsigned => SqlType::Real,
        SqlType::Dec(size)
        | SqlType::DecimalUnsigned(size)
        | SqlType::DecUnsigned(size)
        | SqlType::BigNumeric(size)
        | SqlType::BigDecimal(size) => SqlType::Decimal(size),
        other => other,
    }
}

/// The type of a name in quotes: tools of SQL Server write `[nvarchar](40)`.
fn unquoted(name: &ObjectName, arguments: &[String], dialect: Option<SqlDialect>) -> Option<SqlType> {
    let [ObjectNamePart::Identifier(word)] = name.0.as_slice() else { return None };
    word.quote_style?;
    let arguments = if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
    let text = format!("{}{arguments}", word.value);
    Parser::new(parser(dialect)).try_with_sql(&text).ok()?.parse_data_type().ok()
}

/// The planner's name of a type that the parser has no name for.
fn custom(name: ObjectName, arguments: Vec<String>) -> SqlType {
    let number = |place: usize| arguments.get(place).and_then(|text| text.trim().parse::<u64>().ok());
    match name.to_string().to_uppercase().as_str() {
        "NUMBER" => match (number(0), number(1)) {
            (Some(precision), scale) => SqlType::Decimal(ExactNumberInfo::PrecisionAndScale(
                precision,
                scale.and_then(|scale| i64::try_from(scale).ok()).unwrap_or(0),
            )),
            (None, _) => SqlType::Decimal(ExactNumberInfo::PrecisionAndScale(38, 0)),
        },
        "VARCHAR2" | "NVARCHAR2" | "BPCHAR" => {
            SqlType::Varchar(number(0).map(|length| CharacterLength::IntegerLength { length, unit: None }))
        }
        // The type that the aggregate function returns.
        "SIMPLEAGGREGATEFUNCTION" => {
            let of_value = arguments
                .last()
                .and_then(|text| Parser::new(&ClickHouseDialect {}).try_with_sql(text).ok()?.parse_data_type().ok());
            of_value.map_or(SqlType::Text, |of_value| common_name(of_value, Some(SqlDialect::ClickHouse)))
        }
        "AGGREGATEFUNCTION" | "VARIANT" | "OBJECT" | "SUPER" | "GEOGRAPHY" | "GEOMETRY" | "CITEXT" | "XML" | "INET"
        | "CIDR" | "MACADDR" | "IPADDRESS" | "IPV4" | "IPV6" | "STRING" | "NAME" | "NTEXT" | "SYSNAME"
        | "SQL_VARIANT" | "UNIQUEIDENTIFIER" | "HIERARCHYID" => SqlType::Text,
        "HLLSKETCH" | "BYTES" | "RAW" | "IMAGE" | "ROWVERSION" => SqlType::Bytea,
        "TIMESTAMP_NTZ" | "TIMESTAMPNTZ" | "DATETIME" | "DATETIME2" | "SMALLDATETIME" | "TIMESTAMP_S"
        | "TIMESTAMP_MS" | "TIMESTAMP_NS" => SqlType::Timestamp(None, TimezoneInfo::None),
        "TIMESTAMP_LTZ" | "TIMESTAMP_TZ" | "TIMESTAMPLTZ" | "DATETIMEOFFSET" => {
            SqlType::Timestamp(None, TimezoneInfo::WithTimeZone)
        }
        "BYTEINT" => SqlType::TinyInt(None),
        "SMALLSERIAL" => SqlType::SmallInt(None),
        "SERIAL" | "OID" => SqlType::Int(None),
        "BIGSERIAL" | "LONG" => SqlType::BigInt(None),
        "UINTEGER" => SqlType::IntUnsigned(None),
        "SMALLMONEY" => SqlType::Decimal(ExactNumberInfo::PrecisionAndScale(10, 4)),
        "MONEY" => SqlType::Decimal(ExactNumberInfo::PrecisionAndScale(19, 2)),
        _ => SqlType::Custom(name, arguments),
    }
}
