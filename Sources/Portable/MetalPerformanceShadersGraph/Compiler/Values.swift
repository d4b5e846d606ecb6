import CKernels
import Metal
import MetalPerformanceShaders

/// Where the elements of a root value come from.
enum RootSource {
  case feed(Int)
  case constant(PortableBuffer)
  /// Row-major elements in the program's own memory.
  case literal(UnsafeRawPointer)
  /// One element, known: never in memory unless a kernel needs it there.
  case splat(Double)
  /// 0, 1, 2, ...: never in memory unless a kernel needs it there.
  case iota
  case variable(VariableState)
  case item(Int32)
}

/// A value with elements of its own, which others are views of.
struct Root {
  var source: RootSource
  var shape: [Int]
  var dtype: ck_dtype
  /// Strides of the physical order, in elements; nil means row-major.
  var physical: [Int]?
  /// [batch, length, heads, depth] for an attention's [batch, heads, length, depth].
  var isSwapped = false
  var count: Int { shape.product }
}

/// How a consumer sees a value.
struct Operand {
  var root: Int32
  var dtype: ck_dtype
  var view: StridedView
}

/// A unit of work: one kernel, or one or more instructions of a fused program.
struct Item {
  enum Kind {
    // Members of fused programs. Inputs are broadcast to the output's shape beforehand.
    case copy
    case unary(UnaryOp)
    case binary(BinaryOp)
    case select
    case clamp
    /// Converts the value to the output's type.
    case cast
    /// Same bits, another type of the same size; between 32-bit types only.
    case bitcast
    /// Reduces axes of the input; the output keeps them with size 1.
    case reduce(ReduceOp, axes: [Int])
    case argReduce(largest: Bool, axes: [Int])

    /// The output's axes, taken in this order, are those of the product; nil: in their own.
    case matmul(order: [Int]?)
    /// Inputs: query, key, value and perhaps a mask; outputs: the result and perhaps the logarithms
    /// of the rows' sums.
    case attention(scale: Float, isCausal: Bool)
    /// Inputs: those of attention, its outputs, and the incoming gradient.
    case attentionGradient(scale: Float, isCausal: Bool, hasMask: Bool)
    /// A kernel of its own, described by the node.
    case kernel(OpKind)
    /// The place of an item that turned out not to be needed.
    case none
  }

  var kind: Kind
  var inputs: [Operand]
  /// Roots.
  var outputs: [Int32]

  var isMap: Bool {
    switch kind {
    case .copy, .unary, .binary, .select, .clamp, .cast, .bitcast, .reduce, .argReduce: true
    case .matmul, .attention, .attentionGradient, .kernel, .none: false
    }
  }
}

extension MPSDataType {
  /// The kernels' name of the type.
  var kernelType: ck_dtype {
    switch self {
    case .float32: CK_F32
    case .float16: CK_F16
    case .bFloat16: CK_BF16
    case .int8: CK_I8
    case .int16: CK_I16
    case .int32: CK_I32
    case .int64: CK_I64
    case .uInt8: CK_U8
    case .bool: CK_BOOL
    case .uInt16: CK_U16
    case .uInt32: CK_U32
    case .uInt64: CK_U64
    default: preconditionFailure("MPSGraph: the engine does not compute with \(self)")
    }
  }
}

extension ck_dtype {
  var bytes: Int { Int(ck_size(self)) }
  var isFloating: Bool { self == CK_F32 || self == CK_F16 || self == CK_BF16 }
  var computeClass: ck_class { ck_class_of(self) }
  /// False where a value of the compute class may not fit the type.
  var fillsClass: Bool {
    self == CK_F32 || self == CK_I32 || self == CK_I64 || self == CK_U64 || self == CK_BOOL
  }
  var name: String {
    switch self {
    case CK_F32: "f32"
    case CK_F16: "f16"
    case CK_BF16: "bf16"
    case CK_I8: "i8"
    case CK_I16: "i16"
    case CK_I32: "i32"
    case CK_I64: "i64"
    case CK_U8: "u8"
    case CK_BOOL: "bool"
    case CK_U16: "u16"
    case CK_U32: "u32"
    default: "u64"
    }
  }
}
