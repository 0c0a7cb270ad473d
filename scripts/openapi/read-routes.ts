/**
 * Which addresses the API has, what each reads and what it answers, from the sources of the coordinator: every
 * `app.get(…)` that `apiRoutes` comes to, by the types that the compiler sees. Nothing is declared twice, so the
 * document cannot part from the code; what it says of answers is checked against real ones in tests.
 */
import {
  SignatureKind,
  SymbolFlags,
  TypeFlags,
  type Checker,
  type Project,
  type Symbol,
  type Type,
} from 'typescript/unstable/sync'
import type { AsExpression, CallExpression, Expression, Node } from 'typescript/unstable/ast'
import {
  isAsExpression,
  isCallExpression,
  isFunctionDeclaration,
  isIdentifier,
  isObjectLiteralExpression,
  isPropertyAccessExpression,
  isSpreadAssignment,
  isStringLiteral,
  isTemplateExpression,
  isVariableDeclaration,
} from 'typescript/unstable/ast/is'

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const
/** How far functions that are given the request are followed. */
const DEPTH_MAX = 3

export interface FoundRoute {
  method: (typeof METHODS)[number]
  /** Below /api, with `:id` for what varies. */
  path: string
  /** An action of the table of rights, or `public`, or `known` for any identified caller. */
  action: string
  /** Types of the schemas that read them. */
  params: Type | null
  query: Type | null
  body: Type | null
  /** One of these; none: it writes the answer itself, as a file or a stream. */
  answers: Type[]
  status: number
}

interface Place {
  file: string
  name: string
}

/** `entry`: the function that puts all routes on the app. */
export function readRoutes(project: Project, entry: Place): FoundRoute[] {
  return new RouteReader(project).read(entry)
}

class RouteReader {
  readonly #project: Project
  readonly #checker: Checker
  readonly #seen = new Set<Node>()
  readonly #routes: FoundRoute[] = []

  constructor(project: Project) {
    this.#project = project
    this.#checker = project.checker
  }

  read({ file, name }: Place): FoundRoute[] {
    const source = this.#project.program.getSourceFile(file)
    const start = source?.statements.find(
      (node) => isFunctionDeclaration(node) && node.name?.text === name,
    )
    if (start === undefined) throw new Error(`There is no function ${name} in ${file}.`)
    this.#readFunction(start)
    return this.#routes
  }

  #readFunction(node: Node): void {
    if (this.#seen.has(node)) return
    this.#seen.add(node)
    visit(node, (inner) => {
      if (!isCallExpression(inner)) return
      const method = routeMethod(inner)
      if (method !== null) this.#readRoute(inner, method)
      else if (isGivenApp(inner)) this.#follow(inner.expression)
    })
  }

  /** A function that gets the app puts further routes on it. */
  #follow(callee: Expression): void {
    const declaration = isIdentifier(callee) ? declarationOf(this.#project, callee) : undefined
    if (declaration !== undefined) this.#readFunction(declaration)
  }

  #readRoute(call: CallExpression, method: FoundRoute['method']): void {
    const [address, options, last] = call.arguments
    const handler = last ?? options
    if (address === undefined || handler === undefined) return
    const sent = new Map<string, Type>()
    this.#readParsed(handler, sent, 0)
    const facts = {
      method,
      action: last === undefined ? 'known' : this.#actionOf(options!),
      params: sent.get('params') ?? null,
      query: sent.get('query') ?? null,
      body: sent.get('body') ?? null,
      answers: this.#answersOf(handler),
      status: /\.status\(202\)/.test(handler.getText()) ? 202 : 200,
    }
    for (const path of this.#pathsOf(address)) this.#routes.push({ ...facts, path })
  }

  /** A template in a loop stands for as many addresses as its hole has values. */
  #pathsOf(address: Expression): string[] {
    if (isStringLiteral(address)) return [address.text]
    if (!isTemplateExpression(address)) return this.#valuesOf(address)
    let paths = [address.head.text]
    for (const { expression, literal } of address.templateSpans) {
      const values = this.#valuesOf(expression)
      paths = paths.flatMap((path) => values.map((value) => path + value + literal.text))
    }
    return paths
  }

  #valuesOf(expression: Expression): string[] {
    const type = this.#checker.getTypeAtLocation(expression)
    const types = type?.isUnionType() ? type.getTypes() : type === undefined ? [] : [type]
    return types.flatMap((one) => (one.isStringLiteralType() ? [one.value] : []))
  }

  #actionOf(options: Expression): string {
    if (isCallExpression(options)) return this.#valuesOf(options.arguments[0]!)[0] ?? 'known'
    if (isIdentifier(options)) {
      const declaration = declarationOf(this.#project, options)
      const value =
        declaration && isVariableDeclaration(declaration) ? declaration.initializer : undefined
      return value === undefined ? 'known' : this.#actionOf(value)
    }
    if (isObjectLiteralExpression(options)) {
      if (/isPublic: true/.test(options.getText())) return 'public'
      const spread = options.properties.find((property) => isSpreadAssignment(property))
      if (spread !== undefined) return this.#actionOf(spread.expression)
    }
    return 'known'
  }

  /** What `schema.parse(request.query)` and its like read, also in functions that are handed the request. */
  #readParsed(node: Node, into: Map<string, Type>, depth: number): void {
    visit(node, (inner) => {
      if (isAsExpression(inner) && inner.expression.getText() === 'request.body') {
        this.#readCast(inner, into)
      }
      if (!isCallExpression(inner)) return
      const part = parsedPart(inner)
      if (part !== null) {
        const schema = (inner.expression as { expression?: Expression }).expression
        const type = schema === undefined ? undefined : this.#checker.getTypeAtLocation(schema)
        if (type !== undefined && !into.has(part)) into.set(part, type)
      } else if (depth < DEPTH_MAX && takesRequest(inner) && isIdentifier(inner.expression)) {
        const declaration = declarationOf(this.#project, inner.expression)
        if (declaration !== undefined) this.#readParsed(declaration, into, depth + 1)
      }
    })
  }

  /** `request.body as Wish`: read by the function that receives it. */
  #readCast(node: AsExpression, into: Map<string, Type>): void {
    const type = this.#checker.getTypeAtLocation(node)
    const isNothing =
      type === undefined || (type.flags & (TypeFlags.Never | TypeFlags.Unknown)) !== 0
    if (!isNothing && !into.has('body')) into.set('body', type)
  }

  #answersOf(handler: Expression): Type[] {
    const type = this.#checker.getTypeAtLocation(handler)
    const value = type && this.#returned(type)
    if (value === undefined || isSent(this.#checker, value)) return []
    return [value]
  }

  #returned(type: Type): Type | undefined {
    const [signature] = this.#checker.getSignaturesOfType(type, SignatureKind.Call)
    const returned = signature && this.#checker.getReturnTypeOfSignature(signature)
    return returned && this.#awaited(returned)
  }

  #awaited(type: Type): Type {
    const isPromise = type.getSymbol()?.name === 'Promise' && type.isTypeReference()
    return isPromise ? this.#awaited(this.#checker.getTypeArguments(type)[0]!) : type
  }
}

/** The handler sends for itself: a reply is awaited as nothing. */
const isSent = (checker: Checker, type: Type): boolean =>
  (type.flags & (TypeFlags.Void | TypeFlags.Undefined | TypeFlags.Never)) !== 0 ||
  checker.typeToString(type).includes('FastifyReply')

function routeMethod(call: CallExpression): FoundRoute['method'] | null {
  const { expression } = call
  if (!isPropertyAccessExpression(expression) || expression.expression.getText() !== 'app')
    return null
  return METHODS.find((method) => method === expression.name.text) ?? null
}

const isGivenApp = (call: CallExpression): boolean => call.arguments[0]?.getText() === 'app'

const takesRequest = (call: CallExpression): boolean =>
  call.arguments.some((argument) => argument.getText() === 'request')

function parsedPart({ expression, arguments: [argument] }: CallExpression): string | null {
  if (!isPropertyAccessExpression(expression) || expression.name.text !== 'parse') return null
  if (argument === undefined) return null
  const value = isAsExpression(argument) ? argument.expression : argument
  return /^request\.(query|params|body)(?: \?\? \{\})?$/.exec(value.getText())?.[1] ?? null
}

/** From a name to where it is declared, through imports. */
function declarationOf(project: Project, name: Node): Node | undefined {
  return declared(project, project.checker.getSymbolAtLocation(name))
}

function declared(project: Project, symbol: Symbol | undefined): Node | undefined {
  const isImported = symbol !== undefined && (symbol.flags & SymbolFlags.Alias) !== 0
  const target = isImported ? project.checker.getAliasedSymbol(symbol) : symbol
  return target?.declarations[0]?.resolve(project)
}

/** Everything inside a node, from the outside in. */
function visit(node: Node, look: (node: Node) => void): void {
  node.forEachChild((child) => {
    look(child)
    visit(child, look)
  })
}
