import Foundation
import LucidCore

// Loads the weights of a small classifier, compiles its forward pass and prints what it says.

func example() throws(LucidError) {
  let path =
    CommandLine.arguments.count > 1 ? CommandLine.arguments[1] : "weights.safetensors"
  let weights = try Safetensors.load(contentsOf: URL(fileURLWithPath: path))

  func weight(_ name: String) throws(LucidError) -> Tensor {
    guard let tensor = weights[name] else {
      throw LucidError(.value, "\(path) has no tensor named \(name)")
    }
    return tensor
  }

  let (w1, b1) = (try weight("hidden.weight"), try weight("hidden.bias"))
  let (w2, b2) = (try weight("output.weight"), try weight("output.bias"))
  let classify = compile(dynamic: true) { x throws(LucidError) in
    let hidden = try x.matmul(w1.t()).add(b1).relu()
    return try hidden.matmul(w2.t()).add(b2).softmax(dim: -1)
  }

  for batch in [1, 3] {
    let x = try Tensor((0..<batch * 4).map { Float($0) / 4 }, shape: [batch, 4])
    let probabilities = try classify(x)
    print("batch \(batch):", try probabilities.floats().map { ($0 * 1000).rounded() / 1000 })
  }
}

do {
  try example()
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
