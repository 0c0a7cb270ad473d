/** From a name to where it is declared, through imports. */
import { SymbolFlags, type Project, type Symbol } from 'typescript/unstable/sync'
import type { Node } from 'typescript/unstable/ast'

export function declarationOf(project: Project, name: Node): Node | undefined {
  return declared(project, project.checker.getSymbolAtLocation(name))
}

function declared(project: Project, symbol: Symbol | undefined): Node | undefined {
  const isImported = symbol !== undefined && (symbol.flags & SymbolFlags.Alias) !== 0
  const target = isImported ? project.checker.getAliasedSymbol(symbol) : symbol
  return target?.declarations[0]?.resolve(project)
}

/** Everything inside a node, from the outside in. */
export function visit(node: Node, look: (node: Node) => void): void {
  node.forEachChild((child) => {
    look(child)
    visit(child, look)
  })
}
