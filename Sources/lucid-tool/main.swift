import Foundation
import LucidCore

// `lucid-tool catalog` prints the operation catalog as JSON, which tools/generate.py reads;
// `lucid-tool dump NAME` prints one operation for people.

let arguments = Array(CommandLine.arguments.dropFirst())

switch (arguments.first, arguments.count) {
case ("catalog", 1):
  print(CatalogJSON.text())
case ("dump", 2):
  guard let op = OpCatalog.find(arguments[1]) else {
    print("lucid-tool: no operation is named \(arguments[1])")
    exit(1)
  }
  print(OpText.describe(op))
default:
  print("usage: lucid-tool catalog | lucid-tool dump NAME")
  exit(2)
}
