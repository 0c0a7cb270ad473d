/**
 * Types of TypeScript as schemas of JSON: what `JSON.stringify` makes of a value of that type. A named type of ours
 * becomes a component of its name; whatever has no shape (`any`, `unknown`) becomes the schema that takes everything.
 */
import {
  SignatureKind,
  SymbolFlags,
  TypeFlags,
  type Checker,
  type Symbol,
  type Type,
  type TypeReference,
} from 'typescript/unstable/sync'
import type { Schema } from './document.ts'

const ABSENT = TypeFlags.Undefined | TypeFlags.Void | TypeFlags.Never
const LITERAL = TypeFlags.StringLiteral | TypeFlags.NumberLiteral | TypeFlags.BooleanLiteral

export class TypeSchemas {
  readonly components: Record<string, Schema> = {}
  readonly #checker: Checker
  /** Whose declarations are our own, and get names. */
  readonly #isOurs: (path: string) => boolean
  readonly #names = new Map<number, string>()
  /** Of types without a name that are being made: one inside itself has no end. */
  readonly #open = new Set<number>()

  constructor(checker: Checker, isOurs: (path: string) => boolean) {
    this.#checker = checker
    this.#isOurs = isOurs
  }

  schemaOf(type: Type): Schema {
    const name = this.#nameOf(type)
    if (name === null) return this.#plainSchema(type)
    if (!(name in this.components)) {
      // Taken before it is made: it may be part of itself.
      this.components[name] = {}
      this.components[name] = this.#plainSchema(type)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  /** Null for what is written in place: everything that is no object or union of ours with a name. */
  #nameOf(type: Type): string | null {
    const known = this.#names.get(type.id)
    if (known !== undefined) return known
    const symbol = type.getAliasSymbol() ?? (type.isObjectType() ? type.getSymbol() : undefined)
    if (symbol === undefined || !this.#isNamed(type, symbol)) return null
    const name = this.#freeName(symbol.name)
    this.#names.set(type.id, name)
    return name
  }

  #isNamed(type: Type, symbol: Symbol): boolean {
    if ((symbol.flags & (SymbolFlags.Interface | SymbolFlags.TypeAlias)) === 0) return false
    if ((type.getAliasTypeArguments()?.length ?? 0) > 0) return false
    if (type.isTypeReference() && this.#checker.getTypeArguments(type).length > 0) return false
    return symbol.declarations.every(({ path }) => this.#isOurs(path))
  }

  /** Two rooms may give one word to two shapes; the second one gets a number. */
  #freeName(name: string): string {
    const taken = new Set(this.#names.values())
    for (let number = 1; ; number++) {
      const free = number === 1 ? name : `${name}${number}`
      if (!taken.has(free)) return free
    }
  }

  #plainSchema(type: Type): Schema {
    const { flags } = type
    if (flags & TypeFlags.Null) return { type: 'null' }
    if (type.isUnionType()) return this.#unionSchema(type.getTypes())
    if (flags & LITERAL) return literalSchema(this.#literalValue(type))
    if (flags & (TypeFlags.String | TypeFlags.TemplateLiteral)) return { type: 'string' }
    if (flags & TypeFlags.Number) return { type: 'number' }
    if (flags & TypeFlags.Boolean) return { type: 'boolean' }
    if (flags & ABSENT) return { type: 'null' }
    if (type.isIntersectionType() || type.isObjectType()) return this.#objectSchema(type)
    return {}
  }

  #literalValue(type: Type): string | number | boolean {
    if (type.isLiteralType() && typeof type.value !== 'bigint') return type.value
    return this.#checker.typeToString(type) === 'true'
  }

  #unionSchema(types: readonly Type[]): Schema {
    const there = types.filter(({ flags }) => (flags & ABSENT) === 0)
    const literals = there.filter(({ flags }) => flags & LITERAL)
    const values = literals.map((type) => this.#literalValue(type))
    const isBoolean = values.includes(true) && values.includes(false)
    const rest = there.filter(({ flags }) => (flags & LITERAL) === 0)
    const named = values.filter((value) => !(isBoolean && typeof value === 'boolean'))
    const choices: Schema[] = [
      ...(isBoolean ? [{ type: 'boolean' }] : []),
      ...(named.length === 0 ? [] : [enumSchema(named)]),
      ...rest.map((type) => this.schemaOf(type)),
    ]
    return choices.length === 1 ? choices[0]! : { anyOf: choices }
  }

  #objectSchema(type: Type): Schema {
    const checker = this.#checker
    if (checker.isTupleType(type)) {
      const parts = checker.getTypeArguments(type as TypeReference)
      return { type: 'array', prefixItems: parts.map((part) => this.schemaOf(part)), items: false }
    }
    if (checker.isArrayType(type)) {
      return {
        type: 'array',
        items: this.schemaOf(checker.getTypeArguments(type as TypeReference)[0]!),
      }
    }
    if (isForeign(type)) return foreignSchema(type)
    if (this.#open.has(type.id)) return {}
    this.#open.add(type.id)
    const schema = this.fieldsOf(type)
    this.#open.delete(type.id)
    return schema
  }

  /** The fields of an object, also of one that has a name. */
  fieldsOf(type: Type): Schema {
    const properties: Record<string, Schema> = {}
    const required: string[] = []
    for (const symbol of this.#checker.getPropertiesOfType(type)) {
      const fieldType = this.#checker.getTypeOfSymbol(symbol)
      if (fieldType === undefined || !isField(symbol) || isMethod(this.#checker, fieldType))
        continue
      properties[symbol.name] = this.schemaOf(fieldType)
      if (!isOptional(symbol, fieldType)) required.push(symbol.name)
    }
    const [index] = this.#checker.getIndexInfosOfType(type)
    const others = index === undefined ? undefined : this.schemaOf(index.valueType)
    return {
      type: 'object',
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(others === undefined ? {} : { additionalProperties: others }),
    }
  }
}

const enumSchema = (values: (string | number | boolean)[]): Schema =>
  values.length === 1 ? literalSchema(values[0]!) : { enum: values.toSorted(byText) }

const literalSchema = (value: string | number | boolean): Schema => ({ const: value })

const byText = (one: unknown, other: unknown): number =>
  String(one) < String(other) ? -1 : String(one) > String(other) ? 1 : 0

/** May be left out: a question mark, or a type that takes `undefined`. */
function isOptional(symbol: Symbol, type: Type): boolean {
  if (symbol.flags & SymbolFlags.Optional) return true
  const parts = type.isUnionType() ? type.getTypes() : [type]
  return parts.some(({ flags }) => flags & ABSENT)
}

/** Not one named by a symbol. */
const isField = ({ name }: Symbol): boolean => !name.startsWith('__@')

const isMethod = (checker: Checker, type: Type): boolean =>
  type.isObjectType() &&
  checker.getSignaturesOfType(type, SignatureKind.Call).length > 0 &&
  checker.getPropertiesOfType(type).length === 0

/** Classes that say themselves how they are written. */
function isForeign(type: Type): boolean {
  return ['Date', 'Buffer', 'Uint8Array', 'URL'].includes(type.getSymbol()?.name ?? '')
}

function foreignSchema(type: Type): Schema {
  const name = type.getSymbol()?.name
  return name === 'Date' || name === 'URL' ? { type: 'string' } : {}
}
