//! The messages of ONNX that are read. Names and numbers of fields: `onnx.proto3` of ONNX 1.23
//! (<https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3>); fields that are not declared here are skipped.

use prost::bytes::Bytes;

/// A model: the file's outermost message.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ModelProto {
    /// Version of the format; every model has one.
    #[prost(int64, tag = "1")]
    pub ir_version: i64,
    /// The program that wrote it.
    #[prost(string, tag = "2")]
    pub producer_name: String,
    /// Its graph.
    #[prost(message, optional, tag = "7")]
    pub graph: Option<GraphProto>,
    /// Operators that it defines itself.
    #[prost(message, repeated, tag = "25")]
    pub functions: Vec<FunctionProto>,
}

/// An operator that a model defines itself. Its body is not read.
#[derive(Clone, PartialEq, prost::Message)]
pub struct FunctionProto {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
}

/// A graph of nodes.
#[derive(Clone, PartialEq, prost::Message)]
pub struct GraphProto {
    /// Nodes.
    #[prost(message, repeated, tag = "1")]
    pub node: Vec<NodeProto>,
    /// Name.
    #[prost(string, tag = "2")]
    pub name: String,
    /// Constants, mostly parameters.
    #[prost(message, repeated, tag = "5")]
    pub initializer: Vec<TensorProto>,
    /// Inputs of the graph; in old files also constants.
    #[prost(message, repeated, tag = "11")]
    pub input: Vec<ValueInfoProto>,
    /// Outputs of the graph.
    #[prost(message, repeated, tag = "12")]
    pub output: Vec<ValueInfoProto>,
    /// Types of intermediate tensors.
    #[prost(message, repeated, tag = "13")]
    pub value_info: Vec<ValueInfoProto>,
    /// Constants that are mostly zero.
    #[prost(message, repeated, tag = "15")]
    pub sparse_initializer: Vec<SparseTensorProto>,
}

/// A node.
#[derive(Clone, PartialEq, prost::Message)]
pub struct NodeProto {
    /// Names of the input tensors; empty for an absent optional one.
    #[prost(string, repeated, tag = "1")]
    pub input: Vec<String>,
    /// Names of the output tensors.
    #[prost(string, repeated, tag = "2")]
    pub output: Vec<String>,
    /// Name; may be empty.
    #[prost(string, tag = "3")]
    pub name: String,
    /// Type of operator.
    #[prost(string, tag = "4")]
    pub op_type: String,
    /// Attributes.
    #[prost(message, repeated, tag = "5")]
    pub attribute: Vec<AttributeProto>,
    /// Who defined the operator; empty or `ai.onnx` for ONNX itself.
    #[prost(string, tag = "7")]
    pub domain: String,
}

/// An attribute of a node: one of these values.
#[derive(Clone, PartialEq, prost::Message)]
pub struct AttributeProto {
    /// Name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// A number.
    #[prost(int64, tag = "3")]
    pub i: i64,
    /// A text.
    #[prost(bytes = "bytes", tag = "4")]
    pub s: Bytes,
    /// A tensor.
    #[prost(message, optional, boxed, tag = "5")]
    pub t: Option<Box<TensorProto>>,
    /// A graph.
    #[prost(message, optional, boxed, tag = "6")]
    pub g: Option<Box<GraphProto>>,
    /// Floating-point numbers.
    #[prost(float, repeated, tag = "7")]
    pub floats: Vec<f32>,
    /// Numbers.
    #[prost(int64, repeated, tag = "8")]
    pub ints: Vec<i64>,
    /// Graphs.
    #[prost(message, repeated, tag = "11")]
    pub graphs: Vec<GraphProto>,
}

/// A constant.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorProto {
    /// Its dimensions.
    #[prost(int64, repeated, tag = "1")]
    pub dims: Vec<i64>,
    /// Type of its elements: 1 for `float`, 7 for `int64`.
    #[prost(int32, tag = "2")]
    pub data_type: i32,
    /// Floating-point elements of 32 bits, packed; read as bytes, as below.
    #[prost(bytes = "bytes", tag = "4")]
    pub float_data: Bytes,
    /// Elements of 32 and fewer bits, packed; read as bytes, so that a large table takes no more memory than the file.
    #[prost(bytes = "bytes", tag = "5")]
    pub int32_data: Bytes,
    /// Elements of 64 bits, packed.
    #[prost(bytes = "bytes", tag = "7")]
    pub int64_data: Bytes,
    /// Name.
    #[prost(string, tag = "8")]
    pub name: String,
    /// Elements as they lie in memory, the lowest byte first.
    #[prost(bytes = "bytes", tag = "9")]
    pub raw_data: Bytes,
    /// 1 if the elements lie in another file.
    #[prost(int32, tag = "14")]
    pub data_location: i32,
}

/// A constant that is mostly zero.
#[derive(Clone, PartialEq, prost::Message)]
pub struct SparseTensorProto {
    /// The others; their name is that of the tensor.
    #[prost(message, optional, tag = "1")]
    pub values: Option<TensorProto>,
    /// Dimensions.
    #[prost(int64, repeated, tag = "3")]
    pub dims: Vec<i64>,
}

/// Name and type of a tensor.
#[derive(Clone, PartialEq, prost::Message)]
pub struct ValueInfoProto {
    /// Name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Type.
    #[prost(message, optional, tag = "2")]
    pub r#type: Option<TypeProto>,
}

/// A type; other types than that of a tensor are not read.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TypeProto {
    /// Type of a tensor.
    #[prost(message, optional, tag = "1")]
    pub tensor_type: Option<TensorTypeProto>,
}

/// Type of a tensor: `TypeProto.Tensor`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorTypeProto {
    /// Type of its elements.
    #[prost(int32, tag = "1")]
    pub elem_type: i32,
    /// Its shape; absent if not even the number of dimensions is known.
    #[prost(message, optional, tag = "2")]
    pub shape: Option<TensorShapeProto>,
}

/// A shape.
#[derive(Clone, PartialEq, prost::Message)]
pub struct TensorShapeProto {
    /// Its dimensions.
    #[prost(message, repeated, tag = "1")]
    pub dim: Vec<DimensionProto>,
}

/// A dimension: `TensorShapeProto.Dimension`.
#[derive(Clone, PartialEq, prost::Message)]
pub struct DimensionProto {
    /// Its size, if it is fixed.
    #[prost(int64, optional, tag = "1")]
    pub dim_value: Option<i64>,
    /// A name for its size, if it is not.
    #[prost(string, optional, tag = "2")]
    pub dim_param: Option<String>,
}
