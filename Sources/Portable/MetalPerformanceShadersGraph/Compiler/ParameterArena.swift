import CKernels

/// Zeroed memory for the parameter blocks of a program's steps. Blocks keep their address until the
/// arena goes, so steps and epilogues may point at each other.
final class ParameterArena {
  private var chunks: [UnsafeMutableRawPointer] = []
  private var next: UnsafeMutableRawPointer?
  private var left = 0
  private static let chunkBytes = 16384

  /// A zeroed block for `count` values of a C type.
  func allocate<Block>(_ type: Block.Type, count: Int = 1) -> UnsafeMutablePointer<Block> {
    let alignment = max(MemoryLayout<Block>.alignment, 16)
    let bytes = (MemoryLayout<Block>.stride * max(count, 1) + alignment - 1) & ~(alignment - 1)
    if bytes > left { grow(bytes) }
    guard let block = next else { preconditionFailure("parameter arena is empty after growing") }
    next = block + bytes
    left -= bytes
    return block.bindMemory(to: type, capacity: max(count, 1))
  }

  private func grow(_ bytes: Int) {
    let size = max(bytes, Self.chunkBytes)
    let chunk = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 64)
    chunk.initializeMemory(as: UInt8.self, repeating: 0, count: size)
    chunks.append(chunk)
    next = chunk
    left = size
  }

  deinit {
    for chunk in chunks { chunk.deallocate() }
  }
}
