//! The functions that a query may call. They are declared, never run: a plan needs only their types and rules, and the code
//! to run them is most of `DataFusion`. A function that is named here only by its type is not linked.

use std::sync::Arc;

use datafusion_common::arrow::datatypes::{DataType, FieldRef};
use datafusion_common::config::ConfigOptions;
use datafusion_common::{DataFusionError, Result, ScalarValue};
use datafusion_expr::expr::{AggregateFunction, AggregateFunctionParams, WindowFunctionParams};
use datafusion_expr::function::AccumulatorArgs;
use datafusion_expr::preimage::PreimageResult;
use datafusion_expr::simplify::{ExprSimplifyResult, SimplifyContext};
use datafusion_expr::utils::AggregateOrderSensitivity;
use datafusion_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, ColumnarValue, Documentation, Expr, Operator, ReturnFieldArgs,
    ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
};
use datafusion_functions::{core, datetime, encoding, math, regex, string, unicode};
use datafusion_functions_aggregate as aggregates;

/// A function of which planning sees what it asks for and running nothing. Left out on purpose: what one function becomes
/// another by (`simplify` and `reverse_expr` of aggregates), because it would bring that one in whole.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Declared<F>(F);

/// Why a declared function gives no value. The optimiser tries to work out calls with constants, and leaves them as they
/// are where it cannot.
fn not_run(name: &str) -> DataFusionError {
    DataFusionError::NotImplemented(format!("{name} is declared for planning and not run"))
}

impl<F: ScalarUDFImpl + PartialEq + Eq + std::hash::Hash> ScalarUDFImpl for Declared<F> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn aliases(&self) -> &[String] {
        self.0.aliases()
    }

    fn schema_name(&self, args: &[Expr]) -> Result<String> {
        self.0.schema_name(args)
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.0.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        self.0.return_field_from_args(args)
    }

    fn is_strict(&self) -> bool {
        self.0.is_strict()
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.0.coerce_types(types)
    }

    fn simplify(&self, args: Vec<Expr>, context: &SimplifyContext) -> Result<ExprSimplifyResult> {
        self.0.simplify(args, context)
    }

    fn preimage(&self, args: &[Expr], value: &Expr, context: &SimplifyContext) -> Result<PreimageResult> {
        self.0.preimage(args, value, context)
    }

    fn short_circuits(&self) -> bool {
        self.0.short_circuits()
    }

    fn conditional_arguments<'a>(&self, args: &'a [Expr]) -> Option<(Vec<&'a Expr>, Vec<&'a Expr>)> {
        self.0.conditional_arguments(args)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }

    fn invoke_with_args(&self, _args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Err(not_run(self.name()))
    }
}

impl<F: AggregateUDFImpl + PartialEq + Eq + std::hash::Hash> AggregateUDFImpl for Declared<F> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn aliases(&self) -> &[String] {
        self.0.aliases()
    }

    fn schema_name(&self, params: &AggregateFunctionParams) -> Result<String> {
        self.0.schema_name(params)
    }

    fn human_display(&self, params: &AggregateFunctionParams) -> Result<String> {
        self.0.human_display(params)
    }

    fn window_function_schema_name(&self, params: &WindowFunctionParams) -> Result<String> {
        self.0.window_function_schema_name(params)
    }

    fn display_name(&self, params: &AggregateFunctionParams) -> Result<String> {
        self.0.display_name(params)
    }

    fn window_function_display_name(&self, params: &WindowFunctionParams) -> Result<String> {
        self.0.window_function_display_name(params)
    }

    fn signature(&self) -> &Signature {
        self.0.signature()
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.0.return_type(types)
    }

    fn return_field(&self, fields: &[FieldRef]) -> Result<FieldRef> {
        self.0.return_field(fields)
    }

    fn is_nullable(&self) -> bool {
        self.0.is_nullable()
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.0.order_sensitivity()
    }

    fn simplify_expr_op_literal(
        &self,
        function: &AggregateFunction,
        arg: &Expr,
        op: Operator,
        literal: &Expr,
        arg_is_left: bool,
    ) -> Result<Option<Expr>> {
        self.0.simplify_expr_op_literal(function, arg, op, literal, arg_is_left)
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.0.coerce_types(types)
    }

    fn is_descending(&self) -> Option<bool> {
        self.0.is_descending()
    }

    fn default_value(&self, of: &DataType) -> Result<ScalarValue> {
        self.0.default_value(of)
    }

    fn supports_null_handling_clause(&self) -> bool {
        self.0.supports_null_handling_clause()
    }

    fn supports_within_group_clause(&self) -> bool {
        self.0.supports_within_group_clause()
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.0.documentation()
    }

    fn accumulator(&self, _args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Err(not_run(self.name()))
    }
}

/// Functions of these types.
macro_rules! declared {
    ($udf:ty: $($function:expr),+ $(,)?) => {
        [$(Arc::new(<$udf>::new_from_impl(Declared($function)))),+]
    };
}

/// All scalar functions that `DataFusion` has. Those whose types it keeps to itself are small, and taken
/// whole.
pub(super) fn scalar() -> Vec<Arc<ScalarUDF>> {
    let options = ConfigOptions::default();
    let declared = declared![ScalarUDF:
        core::arrow_cast::ArrowCastFunc::new(),
        core::arrow_field::ArrowFieldFunc::new(),
        core::arrow_metadata::ArrowMetadataFunc::new(),
        core::arrow_try_cast::ArrowTryCastFunc::new(),
        core::arrowtypeof::ArrowTypeOfFunc::new(),
        core::cast_to_type::CastToTypeFunc::new(),
        core::coalesce::CoalesceFunc::new(),
        core::file_row_index::FileRowIndexFunc::new(),
        core::getfield::GetFieldFunc::new(),
        core::greatest::GreatestFunc::new(),
        core::input_file_name::InputFileNameFunc::new(),
        core::least::LeastFunc::new(),
        core::named_struct::NamedStructFunc::new(),
        core::nullif::NullIfFunc::new(),
        core::nvl::NVLFunc::new(),
        core::nvl2::NVL2Func::new(),
        core::overlay::OverlayFunc::new(),
        core::r#struct::StructFunc::new(),
        core::try_cast_to_type::TryCastToTypeFunc::new(),
        core::union_extract::UnionExtractFun::new(),
        core::union_tag::UnionTagFunc::new(),
        core::version::VersionFunc::new(),
        core::with_metadata::WithMetadataFunc::new(),
        datetime::current_date::CurrentDateFunc::new(),
        datetime::current_time::CurrentTimeFunc::new(),
        datetime::date_bin::DateBinFunc::new(),
        datetime::date_part::DatePartFunc::new(),
        datetime::date_trunc::DateTruncFunc::new(),
        datetime::from_unixtime::FromUnixtimeFunc::new(),
        datetime::make_date::MakeDateFunc::new(),
        datetime::make_time::MakeTimeFunc::new(),
        datetime::now::NowFunc::new_with_config(&options),
        datetime::to_char::ToCharFunc::new(),
        datetime::to_date::ToDateFunc::new(),
        datetime::to_local_time::ToLocalTimeFunc::new(),
        datetime::to_time::ToTimeFunc::new(),
        datetime::to_timestamp::ToTimestampFunc::new_with_config(&options),
        datetime::to_timestamp::ToTimestampMicrosFunc::new_with_config(&options),
        datetime::to_timestamp::ToTimestampMillisFunc::new_with_config(&options),
        datetime::to_timestamp::ToTimestampNanosFunc::new_with_config(&options),
        datetime::to_timestamp::ToTimestampSecondsFunc::new_with_config(&options),
        datetime::to_unixtime::ToUnixtimeFunc::new(),
        encoding::inner::DecodeFunc::new(),
        encoding::inner::EncodeFunc::new(),
        math::abs::AbsFunc::new(),
        math::ceil::CeilFunc::new(),
        math::cot::CotFunc::new(),
        math::factorial::FactorialFunc::new(),
        math::floor::FloorFunc::new(),
        math::gcd::GcdFunc::new(),
        math::iszero::IsZeroFunc::new(),
        math::lcm::LcmFunc::new(),
        math::log::LogFunc::new(),
        math::nans::IsNanFunc::new(),
        math::nanvl::NanvlFunc::new(),
        math::pi::PiFunc::new(),
        math::power::PowerFunc::new(),
        math::random::RandomFunc::new(),
        math::round::RoundFunc::new(),
        math::signum::SignumFunc::new(),
        math::trunc::TruncFunc::new(),
        regex::regexpcount::RegexpCountFunc::new(),
        regex::regexpinstr::RegexpInstrFunc::new(),
        regex::regexplike::RegexpLikeFunc::new(),
        regex::regexpmatch::RegexpMatchFunc::new(),
        regex::regexpreplace::RegexpReplaceFunc::new(),
        string::ascii::AsciiFunc::new(),
        string::bit_length::BitLengthFunc::new(),
        string::btrim::BTrimFunc::new(),
        string::chr::ChrFunc::new(),
        string::concat::ConcatFunc::new(),
        string::concat_ws::ConcatWsFunc::new(),
        string::contains::ContainsFunc::new(),
        string::ends_with::EndsWithFunc::new(),
        string::levenshtein::LevenshteinFunc::new(),
        string::lower::LowerFunc::new(),
        string::ltrim::LtrimFunc::new(),
        string::octet_length::OctetLengthFunc::new(),
        string::repeat::RepeatFunc::new(),
        string::replace::ReplaceFunc::new(),
        string::rtrim::RtrimFunc::new(),
        string::split_part::SplitPartFunc::new(),
        string::starts_with::StartsWithFunc::new(),
        string::to_hex::ToHexFunc::new(),
        string::upper::UpperFunc::new(),
        string::uuid::UuidFunc::new(),
        unicode::character_length::CharacterLengthFunc::new(),
        unicode::find_in_set::FindInSetFunc::new(),
        unicode::initcap::InitcapFunc::new(),
        unicode::left::LeftFunc::new(),
        unicode::lpad::LPadFunc::new(),
        unicode::reverse::ReverseFunc::new(),
        unicode::right::RightFunc::new(),
        unicode::rpad::RPadFunc::new(),
        unicode::strpos::StrposFunc::new(),
        unicode::substr::SubstrFunc::new(),
        unicode::substrindex::SubstrIndexFunc::new(),
        unicode::translate::TranslateFunc::new(),
    ];
    let whole = [
        math::acos(),
        math::acosh(),
        math::asin(),
        math::asinh(),
        math::atan(),
        math::atan2(),
        math::atanh(),
        math::cbrt(),
        math::cos(),
        math::cosh(),
        math::degrees(),
        math::exp(),
        math::ln(),
        math::log10(),
        math::log2(),
        math::radians(),
        math::sin(),
        math::sinh(),
        math::sqrt(),
        math::tan(),
        math::tanh(),
    ];
    declared.into_iter().chain(whole).collect()
}

/// All functions of many values that `DataFusion` has. Those whose types it keeps to itself are taken whole.
pub(super) fn aggregate() -> Vec<Arc<AggregateUDF>> {
    let declared = declared![AggregateUDF:
        aggregates::any_value::AnyValue::default(),
        aggregates::approx_distinct::ApproxDistinct::default(),
        aggregates::approx_median::ApproxMedian::default(),
        aggregates::approx_percentile_cont::ApproxPercentileCont::default(),
        aggregates::approx_percentile_cont_with_weight::ApproxPercentileContWithWeight::default(),
        aggregates::array_agg::ArrayAgg::default(),
        aggregates::average::Avg::default(),
        aggregates::bool_and_or::BoolAnd::default(),
        aggregates::bool_and_or::BoolOr::default(),
        aggregates::correlation::Correlation::default(),
        aggregates::count::Count::default(),
        aggregates::covariance::CovariancePopulation::default(),
        aggregates::covariance::CovarianceSample::default(),
        aggregates::first_last::FirstValue::default(),
        aggregates::first_last::LastValue::default(),
        aggregates::grouping::Grouping::default(),
        aggregates::median::Median::default(),
        aggregates::min_max::Max::default(),
        aggregates::min_max::Min::default(),
        aggregates::nth_value::NthValueAgg::default(),
        aggregates::percentile_cont::PercentileCont::default(),
        aggregates::stddev::Stddev::default(),
        aggregates::stddev::StddevPop::default(),
        aggregates::string_agg::StringAgg::default(),
        aggregates::sum::Sum::default(),
        aggregates::variance::VariancePopulation::default(),
        aggregates::variance::VarianceSample::default(),
    ];
    let whole = [
        aggregates::bit_and_or_xor::bit_and_udaf(),
        aggregates::bit_and_or_xor::bit_or_udaf(),
        aggregates::bit_and_or_xor::bit_xor_udaf(),
        aggregates::regr::regr_avgx_udaf(),
        aggregates::regr::regr_avgy_udaf(),
        aggregates::regr::regr_count_udaf(),
        aggregates::regr::regr_intercept_udaf(),
        aggregates::regr::regr_r2_udaf(),
        aggregates::regr::regr_slope_udaf(),
        aggregates::regr::regr_sxx_udaf(),
        aggregates::regr::regr_sxy_udaf(),
        aggregates::regr::regr_syy_udaf(),
    ];
    declared.into_iter().chain(whole).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_function_that_datafusion_comes_with_is_declared_as_it_is() {
        let of = |all: Vec<Arc<ScalarUDF>>| -> BTreeSet<String> {
            let declared = all.iter().map(|one| {
                let rules = (one.is_strict(), one.short_circuits());
                format!("{} {:?} {:?} {rules:?}", one.name(), one.aliases(), one.signature())
            });
            declared.collect()
        };
        assert_eq!(of(scalar()), of(datafusion_functions::all_default_functions()));
        let of = |all: Vec<Arc<AggregateUDF>>| -> BTreeSet<String> {
            let declared = all.iter().map(|one| {
                let rules = (one.is_nullable(), one.is_descending(), one.order_sensitivity());
                let clauses = (one.supports_null_handling_clause(), one.supports_within_group_clause());
                format!("{} {:?} {:?} {rules:?} {clauses:?}", one.name(), one.aliases(), one.signature())
            });
            declared.collect()
        };
        assert_eq!(of(aggregate()), of(aggregates::all_default_aggregate_functions()));
    }
}
