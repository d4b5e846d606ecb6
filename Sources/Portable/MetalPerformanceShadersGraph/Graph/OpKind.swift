import MetalPerformanceShaders

/// What an operation of the graph computes: the one vocabulary between `API/`, which builds it from
/// Apple's calls, and `Compiler/`, which turns it into kernels. Everything Apple offers beyond this
/// is built from these kinds in `API/`.
///
/// Axes are non-negative here. A shape component of -1 is unknown until the feeds are known;
/// `ShapeRules` then infers every type again from the concrete feeds.
package enum OpKind {
  // Leaves
  case placeholder
  case constant(ConstantBytes)
  /// Every element has this value.
  case splat(Double)
  /// The index along one axis of the output; its input, if any, is the shape tensor.
  case coordinate(axis: Int)
  case variable(VariableState)
  case readVariable
  case assignVariable

  // Elementwise, with NumPy broadcasting
  case unary(UnaryOp)
  case binary(BinaryOp)
  /// Inputs: predicate, value where true, value where false.
  case select
  /// Inputs: value, minimum, maximum.
  case clamp
  case cast
  case reinterpretCast

  // Reductions keep the reduced axes with size 1
  case reduce(ReduceOp, axes: [Int])
  case argReduce(largest: Bool, axis: Int)
  case cumulative(CumulativeOp, axis: Int, exclusive: Bool, reverse: Bool)
  case softMax(axis: Int)
  /// Inputs: incoming gradient, source of the soft-max.
  case softMaxGradient(axis: Int)

  // Sorting. `topK` has two outputs, values and int32 indices
  case sort(axis: Int, descending: Bool)
  case argSort(axis: Int, descending: Bool)
  case topK(axis: Int, k: Int, largest: Bool)

  // Shape. A second input, where there is one, is the shape as an integer tensor
  case shapeOf
  case reshape(target: [Int])
  case reshapeTo
  case expandDims(axes: [Int])
  case squeeze(axes: [Int])
  case flatten2D(axis: Int)
  case transpose(permutation: [Int])
  case broadcast(target: [Int])
  case broadcastTo
  case reverse(axes: [Int])
  case slice(SliceSpec)
  /// Inputs: incoming gradient, shape tensor of the sliced tensor.
  case sliceGradient(SliceSpec)
  /// Inputs: data, update.
  case sliceUpdate(SliceSpec)
  case concat(axis: Int, interleave: Bool)
  case pad(PadMode, left: [Int], right: [Int], value: Double)
  case tile(multipliers: [Int])

  // Indexing
  /// Inputs: updates, indices.
  case gather(axis: Int, batchDimensions: Int)
  case gatherND(batchDimensions: Int)
  case gatherAlongAxis(axis: Int)
  /// Inputs: data if `hasData`, updates, indices. Without data the result starts as the mode's
  /// neutral value and has the given shape.
  case scatter(axis: Int, mode: ScatterMode, hasData: Bool)
  case scatterND(batchDimensions: Int, mode: ScatterMode, hasData: Bool)
  case scatterAlongAxis(axis: Int, mode: ScatterMode, hasData: Bool)
  case oneHot(axis: Int, depth: Int, on: Double, off: Double)
  case bandPart(lower: Int, upper: Int)
  case nonZeroIndices

  // Linear algebra
  case matmul
  /// Inputs: query, key, value and, if `hasMask`, an additive or bool mask.
  case attention(scale: Float, hasMask: Bool)
  /// Gradients of query, key and value. Inputs: query, key, value, the mask if `hasMask`, and the
  /// incoming gradient. Not reachable from Apple's API.
  case attentionGradient(scale: Float, hasMask: Bool)
  case conv2D(Conv2DSpec)
  /// Inputs: incoming gradient, weights. Also the transposed convolution.
  case conv2DDataGradient(Conv2DSpec)
  /// Inputs: incoming gradient, source.
  case conv2DWeightsGradient(Conv2DSpec)
  /// Outputs: result and, for `indices`, int32 flat positions.
  case pool2D(Pool2DSpec)
  /// Inputs: incoming gradient, source.
  case pool2DGradient(Pool2DSpec)

  /// Raw philox4x32-10 words as uint32, one per element of the output. Inputs: seed and offset, each
  /// int64 [1]; element i is word (offset + i) % 4 of the block numbered (offset + i) / 4 under the
  /// key `seed`. Not reachable from Apple's API: the engine's recognised form of a composite.
  case philox
}

package enum UnaryOp: UInt8, CaseIterable, Sendable {
  case identity, negative, absolute, sign, signbit, square, squareRoot, reciprocalSquareRoot
  case reciprocal, exponent, exponentBase2, exponentBase10, logarithm, logarithmBase2
  case logarithmBase10, sin, cos, tan, sinh, cosh, tanh, asin, acos, atan, asinh, acosh, atanh
  case erf, ceil, floor, round, rint, truncate, not, bitwiseNot, populationCount
  case isInfinite, isFinite, isNaN, relu, sigmoid
}

package enum BinaryOp: UInt8, CaseIterable, Sendable {
  case add, subtract, multiply, divide, divideNoNaN, modulo, floorModulo, power
  case minimum, maximum, minimumNaN, maximumNaN, atan2
  case equal, notEqual, less, lessEqual, greater, greaterEqual
  case and, or, nand, nor, xor, xnor
  case bitAnd, bitOr, bitXor, shiftLeft, shiftRight
}

package enum ReduceOp: UInt8, CaseIterable, Sendable {
  case sum, product, minimum, maximum, minimumNaN, maximumNaN, and, or
}

package enum CumulativeOp: UInt8, CaseIterable, Sendable { case sum, product, minimum, maximum }

package enum PadMode: UInt8, CaseIterable, Sendable {
  case constant, reflect, symmetric, edge, periodic
}

package enum ScatterMode: UInt8, CaseIterable, Sendable {
  case add, subtract, multiply, divide, minimum, maximum, set
}

/// Python-like ranges per dimension. A set bit in a mask means "from the very start" or "to the very
/// end"; a set bit in `squeezeMask` drops the (size 1) dimension.
package struct SliceSpec: Hashable, Sendable {
  package var starts: [Int]
  package var ends: [Int]
  package var strides: [Int]
  package var startMask: UInt32 = 0
  package var endMask: UInt32 = 0
  package var squeezeMask: UInt32 = 0

  package init(
    starts: [Int], ends: [Int], strides: [Int], startMask: UInt32 = 0, endMask: UInt32 = 0,
    squeezeMask: UInt32 = 0
  ) {
    (self.starts, self.ends, self.strides) = (starts, ends, strides)
    (self.startMask, self.endMask, self.squeezeMask) = (startMask, endMask, squeezeMask)
  }
}

package enum Padding2D: Hashable, Sendable {
  case explicit(top: Int, bottom: Int, left: Int, right: Int)
  case valid
  case same
  case sameLower
}

package struct Conv2DSpec: Hashable, Sendable {
  package var strideY = 1, strideX = 1
  package var dilationY = 1, dilationX = 1
  package var groups = 1
  package var padding = Padding2D.explicit(top: 0, bottom: 0, left: 0, right: 0)
  package var channelsLast = false  // NHWC source and result, else NCHW
  package var weightsHWIO = false  // else OIHW
  /// The shape of the result of the gradient forms; may hold -1.
  package var outputShape: [Int] = []
  package init() {}
}

package struct Pool2DSpec: Hashable, Sendable {
  package enum Mode: UInt8, Sendable { case maximum, average, l2 }
  package var mode = Mode.maximum
  package var kernelY = 1, kernelX = 1
  package var strideY = 1, strideX = 1
  package var dilationY = 1, dilationX = 1
  package var padding = Padding2D.explicit(top: 0, bottom: 0, left: 0, right: 0)
  package var ceilMode = false
  package var channelsLast = false
  package var countsPadding = false
  /// nil: no indices; else how many trailing dimensions the flat index spans (1...4), and whether it
  /// is counted within the window.
  package var indexRank: Int? = nil
  package var localIndices = false
  package init() {}
}

/// Shape and element type of a value; a nil shape has no known rank.
package struct TensorType: Hashable, Sendable {
  package var shape: [Int]?
  package var dtype: MPSDataType
  package init(_ shape: [Int]?, _ dtype: MPSDataType) { (self.shape, self.dtype) = (shape, dtype) }
}
