//! Functions that `DataFusion` does not have. A plan needs only what they return: those of other dialects are listed with it,
//! all others return what their first argument is, or what the query around them can be planned with.

pub(super) mod names;

use std::sync::Arc;

use datafusion_common::arrow::datatypes::{DataType, TimeUnit};
use datafusion_common::{DataFusionError, Result};
use datafusion_expr::expr::ScalarFunction;
use datafusion_expr::function::AccumulatorArgs;
use datafusion_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, ColumnarValue, Expr, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility,
};

/// What a function returns.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Returns {
    /// Always this type.
    Type(DataType),
    /// The type of one of its arguments, from 0; text if it has fewer.
    Argument(usize),
    /// The type of its last argument.
    Last,
    /// The type of an element of its first argument.
    Element,
}

impl Returns {
    /// Types that are tried for a function of which nothing is known, in this order, until the query can be planned.
    pub(super) const TRIED: [Self; 6] = [
        Self::Type(DataType::Boolean),
        Self::Type(DataType::Float64),
        Self::Type(DataType::Utf8),
        Self::TIMESTAMP,
        Self::Type(DataType::Int64),
        Self::Type(DataType::Null),
    ];
    /// A point in time.
    pub(super) const TIMESTAMP: Self = Self::Type(DataType::Timestamp(TimeUnit::Nanosecond, None));

    fn of(&self, types: &[DataType]) -> DataType {
        let or_text = |found: Option<&DataType>| found.cloned().unwrap_or(DataType::Utf8);
        match self {
            Self::Type(data_type) => data_type.clone(),
            Self::Argument(place) => or_text(types.get(*place)),
            Self::Last => or_text(types.last()),
            Self::Element => match types.first() {
                Some(DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _)) => {
                    item.data_type().clone()
                }
                other => or_text(other),
            },
        }
    }
}

/// A function of any number of arguments that is declared and never run.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Foreign {
    name: String,
    returns: Returns,
    signature: Signature,
}

impl Foreign {
    fn new(name: &str, returns: Returns, volatility: Volatility) -> Self {
        // Any number of arguments of any type, none included.
        Self { name: name.to_owned(), returns, signature: Signature::user_defined(volatility) }
    }

    fn not_run(&self) -> DataFusionError {
        DataFusionError::NotImplemented(format!("{} is declared for planning and not run", self.name))
    }
}

impl ScalarUDFImpl for Foreign {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(self.returns.of(types))
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn invoke_with_args(&self, _args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        Err(self.not_run())
    }
}

impl AggregateUDFImpl for Foreign {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        Ok(self.returns.of(types))
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(types.to_vec())
    }

    fn supports_null_handling_clause(&self) -> bool {
        true
    }

    fn accumulator(&self, _args: AccumulatorArgs<'_>) -> Result<Box<dyn Accumulator>> {
        Err(self.not_run())
    }
}

/// A scalar function.
pub(super) fn scalar(name: &str, returns: Returns) -> Arc<ScalarUDF> {
    Arc::new(ScalarUDF::new_from_impl(Foreign::new(name, returns, Volatility::Immutable)))
}

/// A condition that the optimiser leaves where it is.
pub(super) fn condition(name: &str) -> Arc<ScalarUDF> {
    let returns = Returns::Type(DataType::Boolean);
    Arc::new(ScalarUDF::new_from_impl(Foreign::new(name, returns, Volatility::Volatile)))
}

/// A function of many values.
pub(super) fn aggregate(name: &str, returns: Returns) -> Arc<AggregateUDF> {
    Arc::new(AggregateUDF::new_from_impl(Foreign::new(name, returns, Volatility::Immutable)))
}

/// A call of a scalar function.
pub(super) fn call(name: &str, returns: Returns, arguments: Vec<Expr>) -> Expr {
    Expr::ScalarFunction(ScalarFunction::new_udf(scalar(name, returns), arguments))
}
