import Synchronization

/// An array of numbers: concrete, or a value that a trace has recorded and not computed yet. The same
/// operations work on both.
///
/// A tensor looks at its storage through a layout. Views share the storage of the tensor they were
/// made from, so a write through either is seen by both.
public final class Tensor: @unchecked Sendable {
  /// How a tensor follows from the one whose memory it shows.
  struct View {
    /// The tensor that owns the history of the memory; it is no view itself.
    let base: Tensor
    let link: ViewLink
    /// The generation of the base's history that this tensor's belongs to.
    var generation = 0
  }

  private(set) var storage: Storage
  private(set) var type: ConcreteType
  /// The position of the first element in the storage, in elements.
  private(set) var offset: Int
  /// In elements; nil for packed row-major.
  private(set) var customStrides: [Int]?
  public private(set) var device: Device
  var view: View?
  /// Gradient state, made when it is first needed.
  var gradState: GradState?

  init(
    _ storage: Storage, _ type: ConcreteType, device: Device, offset: Int = 0,
    strides: [Int]? = nil, view: View? = nil
  ) {
    self.storage = storage
    self.type = type
    self.device = device
    self.offset = offset
    customStrides = strides
    self.view = view
    TensorCounter.live.wrappingAdd(1, ordering: .relaxed)
  }

  deinit { TensorCounter.live.wrappingSubtract(1, ordering: .relaxed) }

  /// Takes over another tensor's storage, type, layout and device (the setter of `.data`).
  func adopt(_ other: Tensor) throws(LucidError) {
    storage = other.storage
    type = try other.type.strong()
    device = other.device
    offset = other.offset
    customStrides = other.customStrides
    view = other.detachedView
  }

  /// Turns into another tensor: what a trace made stands for it from now on.
  func become(_ other: Tensor) {
    (storage, type, device) = (other.storage, other.type, other.device)
    (offset, customStrides) = (other.offset, other.customStrides)
    (view, gradState) = (other.view, other.gradState)
  }
}

/// How many tensors exist.
enum TensorCounter {
  static let live = Atomic<Int>(0)
}

extension Tensor {
  public var shape: [Int] { type.shape }
  public var dtype: DType { type.dtype }
  public var rank: Int { type.rank }
  public var elementCount: Int { type.elementCount }
  public var strides: [Int] { customStrides ?? type.strides }
  /// Whether the elements lie packed in row-major order.
  public var isContiguous: Bool { customStrides == nil }
  public var isView: Bool { view != nil }
  /// How many writes the memory has seen.
  public var version: Int { storage.version }
  /// Whether the value is recorded and not computed.
  public var isTraced: Bool { storage.recorded != nil }

  var layout: ViewLayout { ViewLayout(offset: offset, shape: type.shape, strides: strides) }

  /// The type in graphs: under a dynamic trace its extents may depend on the batch.
  var graphType: TensorType {
    if let value = storage.recorded, let type = value.type(of: self) { return type }
    return type.graphType
  }

  /// Whether the memory holds this tensor with its last two axes swapped and is otherwise packed: a
  /// transposed matrix, which executables read as it lies.
  var isTransposedPacked: Bool {
    guard let customStrides, rank >= 2 else { return false }
    var expected = 1
    let last = rank - 1
    for i in stride(from: last, through: 0, by: -1) {
      let axis = i == last ? last - 1 : i == last - 1 ? last : i
      if type.shape[axis] != 1, customStrides[axis] != expected { return false }
      expected = Dim.multiply(expected, type.shape[axis])
    }
    return true
  }

  /// The tensor as an operand of a run: packed, or transposed and packed, else copied. Nil without
  /// elements.
  func operand() throws(LucidError) -> Operand? {
    guard let buffer = try storage.buffer(), elementCount > 0 else { return nil }
    if customStrides == nil {
      return Operand(buffer, offset: offset, isExported: storage.exports > 0)
    }
    if isTransposedPacked { return Operand(buffer, offset: offset, isTransposed: true) }
    return Operand(try StridedCopy.packed(buffer, layout, type))
  }
}

/// One step from a tensor to a view of it, linked to the steps before.
final class ViewLink: @unchecked Sendable {
  let op: OpDef
  let attributes: Attributes
  /// The type that the step starts from.
  let source: TensorType
  private(set) var parent: ViewLink?

  init(_ op: OpDef, _ attributes: Attributes, source: TensorType, parent: ViewLink?) {
    (self.op, self.attributes, self.source, self.parent) = (op, attributes, source, parent)
  }

  /// Long chains are released link by link: a recursion could overflow the stack.
  deinit {
    var next = parent
    parent = nil
    while isKnownUniquelyReferenced(&next) {
      let following = next?.parent
      next?.parent = nil
      next = following
    }
  }

  /// From the base on.
  var steps: [ViewLink] {
    var steps: [ViewLink] = []
    var link: ViewLink? = self
    while let step = link {
      steps.append(step)
      link = step.parent
    }
    return steps.reversed()
  }
}
