/**
 * Which function stands behind the name of a store operation: rooms list theirs in objects, which are spread into one.
 */
import type { Project } from 'typescript/unstable/sync'
import type { Expression, Node } from 'typescript/unstable/ast'
import {
  isAsExpression,
  isIdentifier,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isSatisfiesExpression,
  isShorthandPropertyAssignment,
  isSpreadAssignment,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'
import { declarationOf, declared, visit } from './declarations.ts'

export function readOperations(
  project: Project,
  { file, name }: { file: string; name: string },
): ReadonlyMap<string, Node> {
  const found = new Map<string, Node>()
  const source = project.program.getSourceFile(file)
  if (source === undefined) throw new Error(`There is no ${file}.`)
  visit(source, (node) => {
    const isIt = isVariableDeclaration(node) && isIdentifier(node.name) && node.name.text === name
    if (isIt && node.initializer) readObject(project, node.initializer, found)
  })
  return found
}

/** Later ones stand in for earlier ones of the same name, as in the object itself. */
function readObject(project: Project, value: Expression, found: Map<string, Node>): void {
  if (isAsExpression(value) || isSatisfiesExpression(value)) {
    readObject(project, value.expression, found)
  } else if (isIdentifier(value)) {
    const declaration = declarationOf(project, value)
    if (
      declaration !== undefined &&
      isVariableDeclaration(declaration) &&
      declaration.initializer
    ) {
      readObject(project, declaration.initializer, found)
    }
  } else if (isObjectLiteralExpression(value)) {
    for (const property of value.properties) {
      if (isSpreadAssignment(property)) readObject(project, property.expression, found)
      else if (isShorthandPropertyAssignment(property)) {
        // `{ listKeys }` names a field; what is meant is the function that has the name.
        const meant = project.checker.getShorthandAssignmentValueSymbol(property)
        const declaration = declared(project, meant)
        if (declaration !== undefined) found.set(property.name.getText(), declaration)
      } else if (isPropertyAssignment(property)) {
        found.set(property.name.getText(), property.initializer)
      }
    }
  }
}
