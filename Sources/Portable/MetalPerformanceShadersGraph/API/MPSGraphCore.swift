import Foundation
import MetalPerformanceShaders

/// The common base class.
public class MPSGraphObject: NSObject {}

/// The common base class of types.
public class MPSGraphType: MPSGraphObject, NSCopying {
  /// A type with the same contents.
  public func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Shape and element type of a tensor.
public final class MPSGraphShapedType: MPSGraphType {
  /// The sizes; nil without a known rank, and -1 for one that is not known.
  public var shape: [NSNumber]? {
    get { type.shape?.boxed }
    set { type.shape = newValue?.unboxed }
  }
  /// The element type.
  public var dataType: MPSDataType {
    get { type.dtype }
    set { type.dtype = newValue }
  }
  package var type: TensorType

  /// Combines a shape and an element type.
  public init(shape: [NSNumber]?, dataType: MPSDataType) {
    type = TensorType(shape?.unboxed, dataType)
  }

  package init(_ type: TensorType) { self.type = type }

  /// A type with the same contents.
  public override func copy(with zone: NSZone? = nil) -> Any { MPSGraphShapedType(type) }

  /// Whether shape and element type are the same.
  public func isEqual(to object: MPSGraphShapedType?) -> Bool { object?.type == type }

  /// Whether the other object is a type with the same shape and element type.
  public override func isEqual(_ object: Any?) -> Bool {
    isEqual(to: object as? MPSGraphShapedType)
  }

  /// Equal types have equal hashes.
  public override var hash: Int { type.hashValue }
}

extension [NSNumber] {
  package var unboxed: [Int] { map(\.intValue) }
}

extension [Int] {
  package var boxed: [NSNumber] { map { NSNumber(value: $0) } }
}
