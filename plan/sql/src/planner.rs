//! Plans a statement: DataFusion's planner, analyser and optimiser with the tables of a file and with nothing that
//! changes from run to run.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use crossover_query::CpuOnly;
use datafusion_common::arrow::datatypes::{DataType, Schema, SchemaRef};
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

use super::distinct;
use super::foreign::{self, Returns, names};
use super::functions;
use super::operators::Operators;
use super::problem::{Problem, nearest};
use super::repair::repair;
use super::table::{Tables, planner_options};

/// Most operators of a query. Named subqueries are copied wherever they are used, so a short text can ask for many.
const MOST_OPERATORS: usize = 10_000;
/// Most unknown functions of a query whose results are tried one by one.
const MOST_TRIED: usize = 8;
/// Most other forms of a query that are tried.
const MOST_REPAIRS: usize = 30;
/// How the names of functions begin that stand for forms; no query calls them by name.
pub(super) const OWN: &str = "crossover_";
/// A condition that a share of the rows meets, see [`super::rewrite`].
pub(super) const SAMPLED: &str = "crossover_sampled";
/// A condition that all rows meet: it names the columns that a row is made of, see [`super::rewrite`].
pub(super) const READS: &str = "crossover_reads";
/// How the names of windows begin that look for patterns of rows, see [`super::rewrite`].
pub(super) const MATCHED: &str = "crossover_matched";

/// Rows that a statement makes itself: of a list, of a table function.
#[derive(Debug, Clone)]
pub(super) struct Generated {
    /// Its columns.
    pub(super) schema: SchemaRef,
    /// Its rows, where the statement says how many.
    pub(super) rows: Option<f64>,
    /// What it is, as written.
    pub(super) text: String,
    /// Why no GPU engine makes them.
    pub(super) cpu_only: Option<CpuOnly>,
}

/// A function that a query calls and `DataFusion` does not have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Foreign {
    /// What it returns.
    pub(super) returns: Returns,
    /// Whether it is one of many values.
    pub(super) is_aggregate: bool,
}

/// The planner's catalog: the tables of the file and all functions of `DataFusion`.
pub(super) struct Catalog {
    /// The tables and views read so far.
    pub(super) tables: Tables,
    /// Tables and views that cannot be used, with the lines of their statements.
    pub(super) left_out: BTreeMap<String, u64>,
    /// What queries make themselves, by the names that stand for it.
    pub(super) generated: BTreeMap<String, Generated>,
    /// The functions of the present query that `DataFusion` does not have, by name.
    foreign: BTreeMap<String, Foreign>,
    /// Names of what the present query makes itself.
    made: Vec<String>,
    /// Whether functions that `DataFusion` has may be called with other arguments.
    is_lenient: bool,
    options: ConfigOptions,
    planners: Vec<Arc<dyn ExprPlanner>>,
    functions: &'static Functions,
}

/// The functions that `DataFusion` has, by their names and aliases.
struct Functions {
    scalar: BTreeMap<String, Arc<ScalarUDF>>,
    aggregate: BTreeMap<String, Arc<AggregateUDF>>,
    window: BTreeMap<String, Arc<WindowUDF>>,
}

/// Made once: the functions are the same for all files.
static FUNCTIONS: LazyLock<Functions> = LazyLock::new(|| {
    let mut all = Functions { scalar: BTreeMap::new(), aggregate: BTreeMap::new(), window: BTreeMap::new() };
    for function in functions::scalar() {
        let names = function.aliases().iter().cloned().chain([function.name().to_owned()]);
        all.scalar.extend(names.map(|name| (name, Arc::clone(&function))));
    }
    for function in functions::aggregate() {
        let names = function.aliases().iter().cloned().chain([function.name().to_owned()]);
        all.aggregate.extend(names.map(|name| (name, Arc::clone(&function))));
    }
    for function in datafusion_functions_window::all_default_window_functions() {
        let names = function.aliases().iter().cloned().chain([function.name().to_owned()]);
        all.window.extend(names.map(|name| (name, Arc::clone(&function))));
    }
    all
});

impl Catalog {
    /// No tables yet.
    pub(super) fn new() -> Self {
        let mut options = ConfigOptions::default();
        options.sql_parser.collect_spans = true;
        options.sql_parser.map_string_types_to_utf8view = false;
        // Subqueries that give one value become joins like all others, so that the plan shows what they cost.
        options.optimizer.enable_physical_uncorrelated_scalar_subquery = false;
        Self {
            tables: Tables::new(),
            left_out: BTreeMap::new(),
            generated: BTreeMap::new(),
            foreign: BTreeMap::new(),
            made: Vec::new(),
            is_lenient: false,
            options,
            planners: vec![
                Arc::new(Operators),
                Arc::new(CoreFunctionPlanner::default()),
                Arc::new(DatetimeFunctionPlanner),
                Arc::new(UnicodeFunctionPlanner),
                Arc::new(AggregateFunctionPlanner),
                Arc::new(WindowFunctionPlanner),
            ],
            functions: &FUNCTIONS,
        }
    }

    /// The planner of statements and types.
    pub(super) fn planner(&self) -> SqlToRel<'_, Self> {
        SqlToRel::new_with_options(self, planner_options())
    }

    /// The table that a name means: the one of this name, else the only one with the same last part. The latter does not count
    /// if both names have a schema.
    pub(super) fn table_named(&self, name: &str) -> Option<&str> {
        let last = |name: &str| name.rsplit('.').next().unwrap_or_default().to_owned();
        if let Some((known, _)) = self.tables.get_key_value(name) {
            return Some(known);
        }
        let wanted = last(name);
        let mut same = self.tables.keys().filter(|known| last(known) == wanted);
        match (same.next(), same.next()) {
            (Some(known), None) if !(name.contains('.') && known.contains('.')) => Some(known),
            _ => None,
        }
    }

    /// Whether `DataFusion` has a function of this name.
    pub(super) fn has_function(&self, name: &str) -> bool {
        self.functions.scalar.contains_key(name) || self.has_function_of_many(name)
    }

    /// Whether `DataFusion` has a function of many values of this name.
    pub(super) fn has_function_of_many(&self, name: &str) -> bool {
        self.functions.aggregate.contains_key(name) || self.functions.window.contains_key(name)
    }

    /// The function of `DataFusion` with the name that is most like this one.
    pub(super) fn nearest_function(&self, name: &str) -> Option<&str> {
        let Functions { scalar, aggregate, window } = self.functions;
        let names = scalar.keys().chain(aggregate.keys()).chain(window.keys());
        nearest(name, names.map(String::as_str))
    }

    /// Begins a query, with what it makes itself and the functions of other dialects that it calls.
    pub(super) fn begin(&mut self, generated: BTreeMap<String, Generated>, foreign: BTreeMap<String, Foreign>) {
        // What a view makes is made by every query that reads it.
        self.made = generated.keys().cloned().collect();
        self.generated.extend(generated);
        (self.foreign, self.is_lenient) = (foreign, false);
    }

    /// The plan of a query as written, and the optimised one. What unknown functions return is taken from what the query can
    /// be planned with.
    pub(super) fn plan(
        &mut self,
        query: &Query,
        unknown: &[&str],
    ) -> std::result::Result<(LogicalPlan, LogicalPlan), Problem> {
        let problem = match self.plan_once(query) {
            Ok(plans) => return Ok(plans),
            Err(problem) => problem,
        };
        // With functions that take whatever they are given.
        self.is_lenient = true;
        if let Ok(plans) = self.plan_once(query) {
            return Ok(plans);
        }
        let first = self.foreign.clone();
        let all = std::iter::once(unknown.to_vec()).filter(|all| !all.is_empty());
        let each = unknown.iter().take(MOST_TRIED).map(|name| vec![*name]).filter(|_| unknown.len() > 1);
        for names in all.chain(each) {
            for returns in Returns::TRIED {
                for name in &names {
                    if let Some(foreign) = self.foreign.get_mut(*name) {
                        foreign.returns = returns.clone();
                    }
                }
                if let Ok(plans) = self.plan_once(query) {
                    return Ok(plans);
                }
            }
            self.foreign.clone_from(&first);
        }
        if self.made.is_empty() {
            return Err(problem);
        }
        for returns in Returns::TRIED {
            if let Returns::Type(data_type) = returns {
                self.make(&data_type);
                if let Ok(plans) = self.plan_once(query) {
                    return Ok(plans);
                }
            }
        }
        Err(problem)
    }

    /// Takes the text that the present query makes itself for values of another type.
    fn make(&mut self, data_type: &DataType) {
        for name in &self.made {
            let Some(generated) = self.generated.get_mut(name) else { continue };
            let fields = generated.schema.fields().iter().map(|field| {
                let is_number = *field.data_type() == DataType::Int64;
                let data_type = if is_number { DataType::Int64 } else { data_type.clone() };
                field.as_ref().clone().with_data_type(data_type)
            });
            generated.schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
        }
    }

    /// Plans a query; where the planner refuses what engines accept, in another form.
    fn plan_once(&self, query: &Query) -> std::result::Result<(LogicalPlan, LogicalPlan), Problem> {
        let first = match self.plan_as_written(query) {
            Ok(plans) => return Ok(plans),
            Err(problem) => problem,
        };
        let is_of_many = |name: &str| {
            self.has_function_of_many(name) || self.foreign.get(name).is_some_and(|foreign| foreign.is_aggregate)
        };
        let (mut repaired, mut problem) = (query.clone(), first.clone());
        for _ in 0..MOST_REPAIRS {
            if !repair(&mut repaired, problem.text(), &is_of_many) {
                break;
            }
            match self.plan_as_written(&repaired) {
                Ok(plans) => return Ok(plans),
                Err(next) => problem = next,
            }
        }
        Err(first)
    }

    fn plan_as_written(&self, query: &Query) -> std::result::Result<(LogicalPlan, LogicalPlan), Problem> {
        let planned = self.planner().sql_statement_to_plan(Statement::Query(Box::new(query.clone())))?;
        let count = operators(&planned)?;
        if count > MOST_OPERATORS {
            return Err(unplaced(format!(
                "the query has more than {MOST_OPERATORS} operators after substitution of its named subqueries"
            )));
        }
        let context = OptimizerContext::new_with_config_options(Arc::new(self.options.clone()))
            // What depends on the clock stays a call.
            .without_query_execution_start_time();
        let analysed = Analyzer::new().execute_and_check(planned.clone(), &self.options, |_, _| ())?;
        let analysed = match self.functions.aggregate.get("first_value") {
            Some(first) => distinct::first_rows(analysed, first)?,
            None => analysed,
        };
        let optimised = Optimizer::new().optimize(analysed, &context, |_, _| ())?;
        Ok((planned, optimised))
    }

    /// What a scalar function returns that this query calls and `DataFusion` does not have.
    fn foreign_scalar(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        match name {
            SAMPLED => return Some(foreign::condition(name)),
            READS => return Some(foreign::scalar(name, Returns::Type(DataType::Boolean))),
            _ => {}
        }
        let foreign = self.foreign.get(name).filter(|foreign| !foreign.is_aggregate)?;
        Some(foreign::scalar(name, foreign.returns.clone()))
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

/// A table as the planner sees it: it has columns and leaves filters to the plan. A view is its query.
struct Source {
    schema: SchemaRef,
    view: Option<Arc<LogicalPlan>>,
}

impl TableSource for Source {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn get_logical_plan(&self) -> Option<Cow<'_, LogicalPlan>> {
        self.view.as_deref().map(Cow::Borrowed)
    }
}

impl ContextProvider for Catalog {
    fn get_table_source(&self, name: TableReference) -> Result<Arc<dyn TableSource>> {
        let key = key(&name);
        let table = self.tables.get(&key).map(|table| (&table.schema, table.view.clone()));
        match table.or_else(|| self.generated.get(&key).map(|generated| (&generated.schema, None))) {
            Some((schema, view)) => Ok(Arc::new(Source { schema: Arc::clone(schema), view })),
            None => Err(DataFusionError::Plan(format!("there is no table “{key}”"))),
        }
    }

    fn create_cte_work_table(&self, _name: &str, schema: SchemaRef) -> Result<Arc<dyn TableSource>> {
        Ok(Arc::new(Source { schema, view: None }))
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        &self.planners
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        if self.is_lenient
            && !self.has_function_of_many(name)
            && let Some(returns) = names::scalar(name)
        {
            return Some(foreign::scalar(name, returns));
        }
        self.functions.scalar.get(name).cloned().or_else(|| self.foreign_scalar(name))
    }

    fn get_higher_order_meta(&self, _name: &str) -> Option<Arc<HigherOrderUDF>> {
        None
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        let foreign = || {
            let foreign = self.foreign.get(name).filter(|foreign| foreign.is_aggregate)?;
            Some(foreign::aggregate(name, foreign.returns.clone()))
        };
        self.functions.aggregate.get(name).cloned().or_else(foreign)
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        self.functions.window.get(name).cloned()
    }

    fn get_variable_type(&self, _names: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        &self.options
    }

    fn udf_names(&self) -> Vec<String> {
        self.functions.scalar.keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        Vec::new()
    }

    fn udaf_names(&self) -> Vec<String> {
        self.functions.aggregate.keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        self.functions.window.keys().cloned().collect()
    }
}

/// The name under which a table is known.
pub(super) fn key(name: &TableReference) -> String {
    [name.catalog(), name.schema(), Some(name.table())].into_iter().flatten().collect::<Vec<_>>().join(".")
}
