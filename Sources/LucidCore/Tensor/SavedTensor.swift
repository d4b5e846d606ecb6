/// A tensor as a tape keeps it: its memory and the version it had, without its history.
struct SavedTensor {
  private let storage: Storage
  private let version: Int
  private let type: ConcreteType
  private let offset: Int
  private let strides: [Int]?
  private let device: Device
  /// A view's way from its base, which a trace needs to find its value.
  private let view: Tensor.View?

  init(_ tensor: Tensor) {
    storage = tensor.storage
    version = tensor.storage.version
    type = tensor.type
    offset = tensor.offset
    strides = tensor.customStrides
    device = tensor.device
    view = tensor.detachedView
  }

  /// The tensor again, unless it was written since.
  func restored(savedBy name: String, output: Int?) throws(LucidError) -> Tensor {
    let current = storage.version
    guard current == version else {
      let origin = output.map { ", which is output \($0) of \(name)," } ?? ""
      throw LucidError(
        .runtime,
        """
        one of the variables needed for gradient computation has been modified by an inplace \
        operation: [\(type.dtype) \(type.sizes)]\(origin) is at version \(current); expected \
        version \(version) instead
        """)
    }
    return Tensor(storage, type, device: device, offset: offset, strides: strides, view: view)
  }
}

extension Tensor {
  /// The way from the base's memory, not from the base: its history, now or later, is not this
  /// tensor's, and a tape that held it could hold itself.
  var detachedView: View? {
    view.map { view in
      View(base: Tensor(view.base.storage, view.base.type, device: device), link: view.link)
    }
  }

  /// The same memory under the same layout, unknown to any tape.
  func withoutHistory() -> Tensor {
    if gradState == nil, view?.base.gradState == nil { return self }
    return Tensor(
      storage, type, device: device, offset: offset, strides: customStrides,
      view: detachedView)
  }
}
