//! Plans a statement: DataFusion's planner, analyser and optimiser with the tables of a file and with nothing that
//! changes from run to run.

use std::collections::BTreeMap;
use std::sync::Arc;

use datafusion_common::arrow::datatypes::{DataType, SchemaRef};
use datafusion_common::config::ConfigOptions;
use datafusion_common::tree_node::TreeNodeRecursion;
use datafusion_common::{DataFusionError, Result, TableReference};
use datafusion_expr::planner::{ContextProvider, ExprPlanner};
use datafusion_expr::{AggregateUDF, HigherOrderUDF, LogicalPlan, ScalarUDF, TableSource, WindowUDF};
use datafusion_functions::core::planner::CoreFunctionPlanner;
use datafusion_functions::datetime::planner::DatetimeFunctionPlanner;
use datafusion_functions::unicode::planner::UnicodeFunctionPlanner;
use datafusion_functions_aggregate::planner::AggregateFunctionPlanner;
use datafusion_functions_window::planner::WindowFunctionPlanner;
use datafusion_optimizer::{Analyzer, Optimizer, OptimizerContext};
use datafusion_sql::planner::SqlToRel;
use datafusion_sql::sqlparser::ast::{Query, Statement};

use super::functions;
use super::problem::Problem;
use super::table::{Tables, planner_options};

/// Most operators of a query. Named subqueries are copied wherever they are used, so a short text can ask for many.
const MOST_OPERATORS: usize = 10_000;

/// The planner's catalog: the tables of the file and all functions of `DataFusion`.
pub(super) struct Catalog {
    /// The tables read so far.
    pub(super) tables: Tables,
    options: ConfigOptions,
    planners: Vec<Arc<dyn ExprPlanner>>,
    scalar: BTreeMap<String, Arc<ScalarUDF>>,
    aggregate: BTreeMap<String, Arc<AggregateUDF>>,
    window: BTreeMap<String, Arc<WindowUDF>>,
}

impl Catalog {
    /// No tables yet.
    pub(super) fn new() -> Self {
        let mut options = ConfigOptions::default();
        options.sql_parser.collect_spans = true;
        options.sql_parser.map_string_types_to_utf8view = false;
        // Subqueries that give one value become joins like all others, so that the plan shows what they cost.
        options.optimizer.enable_physical_uncorrelated_scalar_subquery = false;
        let mut catalog = Self {
            tables: Tables::new(),
            options,
            planners: vec![
                Arc::new(CoreFunctionPlanner::default()),
                Arc::new(DatetimeFunctionPlanner),
                Arc::new(UnicodeFunctionPlanner),
                Arc::new(AggregateFunctionPlanner),
                Arc::new(WindowFunctionPlanner),
            ],
            scalar: BTreeMap::new(),
            aggregate: BTreeMap::new(),
            window: BTreeMap::new(),
        };
        for function in functions::scalar() {
            let names = function.aliases().iter().cloned().chain([function.name().to_owned()]);
            catalog.scalar.extend(names.map(|name| (name, Arc::clone(&function))));
        }
        for function in functions::aggregate() {
            let names = function.aliases().iter().cloned().chain([function.name().to_owned()]);
            catalog.aggregate.extend(names.map(|name| (name, Arc::clone(&function))));
        }
        for function in datafusion_functions_window::all_default_window_functions() {
            let names = function.aliases().iter().cloned().chain([function.name().to_owned()]);
            catalog.window.extend(names.map(|name| (name, Arc::clone(&function))));
        }
        catalog
    }

    /// The planner of statements and types.
    pub(super) fn planner(&self) -> SqlToRel<'_, Self> {
        SqlToRel::new_with_options(self, planner_options())
    }

    /// The optimised plan of a query.
    pub(super) fn plan(&self, query: Box<Query>) -> std::result::Result<LogicalPlan, Problem> {
        let planned = self.planner().sql_statement_to_plan(Statement::Query(query))?;
        let count = operators(&planned)?;
        if count > MOST_OPERATORS {
            return Err(unplaced(format!(
                "the query has more than {MOST_OPERATORS} operators after substitution of its named subqueries"
            )));
        }
        let context = OptimizerContext::new_with_config_options(Arc::new(self.options.clone()))
            // What depends on the clock stays a call.
            .without_query_execution_start_time();
        let analysed = Analyzer::new().execute_and_check(planned, &self.options, |_, _| ())?;
        Ok(Optimizer::new().optimize(analysed, &context, |_, _| ())?)
    }
}

/// Operators of a plan; the count ends soon beyond the limit, for a short text can ask for billions.
fn operators(plan: &LogicalPlan) -> Result<usize> {
    let mut count = 0;
    plan.apply_with_subqueries(|_| {
        count += 1;
        Ok(if count > MOST_OPERATORS { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
    })?;
    Ok(count)
}

fn unplaced(text: String) -> Problem {
    Problem::at(datafusion_sql::sqlparser::tokenizer::Location::empty(), text)
}

/// A table as the planner sees it: it has columns and leaves filters to the plan.
struct Source(SchemaRef);

impl TableSource for Source {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.0)
    }
}

impl ContextProvider for Catalog {
    fn get_table_source(&self, name: TableReference) -> Result<Arc<dyn TableSource>> {
        match self.tables.get(&key(&name)) {
            Some(table) => Ok(Arc::new(Source(Arc::clone(&table.schema)))),
            None => Err(DataFusionError::Plan(format!("there is no table “{}”", key(&name)))),
        }
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        &self.planners
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        self.scalar.get(name).cloned()
    }

    fn get_higher_order_meta(&self, _name: &str) -> Option<Arc<HigherOrderUDF>> {
        None
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        self.aggregate.get(name).cloned()
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        self.window.get(name).cloned()
    }

    fn get_variable_type(&self, _names: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        &self.options
    }

    fn udf_names(&self) -> Vec<String> {
        self.scalar.keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn udaf_names(&self) -> Vec<String> {
        self.aggregate.keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        self.window.keys().cloned().collect()
    }
}

/// The name under which a table is known.
pub(super) fn key(name: &TableReference) -> String {
    [name.catalog(), name.schema(), Some(name.table())].into_iter().flatten().collect::<Vec<_>>().join(".")
}
