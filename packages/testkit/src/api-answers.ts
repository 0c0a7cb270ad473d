/**
 * Whether an answer of a station is what its OpenAPI document says: tests hold every answer they see against it. Knows
 * as much of JSON Schema as our own document uses.
 */

interface Schema {
  $ref?: string
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema | false
  prefixItems?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | false
}

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: Schema }> }>
}

interface ApiDocument {
  components: { schemas: Record<string, Schema> }
  paths: Record<string, Record<string, Operation>>
}

export interface SeenAnswer {
  method: string
  /** With or without what stands behind the question mark. */
  path: string
  status: number
  body: unknown
}

/** Enough to see what is wrong. */
const MISFITS_MAX = 5

export class ApiAnswers {
  readonly #schemas: Record<string, Schema>
  readonly #operations: { method: string; pattern: RegExp; holes: number; operation: Operation }[]

  constructor(document: ApiDocument) {
    this.#schemas = document.components.schemas
    this.#operations = Object.entries(document.paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, operation]) => ({
          method: method.toUpperCase(),
          pattern: patternOf(path),
          holes: path.split('{').length - 1,
          operation,
        })),
      )
      // `/watches/groups` is also a `/watches/{id}`: the one with fewer holes is meant.
      .toSorted((one, other) => one.holes - other.holes)
  }

  /** What is not as the document says; null for an address that it does not know. */
  misfits({ method, path, status, body }: SeenAnswer): string[] | null {
    const address = path.split('?', 1)[0]!
    const found = this.#operations.find(
      (one) => one.method === method.toUpperCase() && one.pattern.test(address),
    )
    if (found === undefined) return null
    const schema = found.operation.responses[status]?.content?.['application/json']?.schema
    return schema === undefined ? [] : this.#look(schema, body, '').slice(0, MISFITS_MAX)
  }

  #look(schema: Schema, value: unknown, at: string): string[] {
    if (schema.$ref !== undefined) {
      const name = schema.$ref.split('/').at(-1)!
      return this.#look(this.#schemas[name]!, value, at)
    }
    if (schema.anyOf !== undefined) return this.#lookAny(schema.anyOf, value, at)
    if (schema.const !== undefined && schema.const !== value) return [miss(at, schema.const, value)]
    if (schema.enum !== undefined && !schema.enum.includes(value)) {
      return [miss(at, schema.enum, value)]
    }
    if (schema.type !== undefined && schema.type !== typeOf(value)) {
      return [miss(at, schema.type, value)]
    }
    if (Array.isArray(value)) return this.#lookItems(schema, value, at)
    return typeof value === 'object' && value !== null
      ? this.#lookFields(schema, value as Record<string, unknown>, at)
      : []
  }

  /** The first form that fits will do; where all but one are ruled out at a glance, that one tells what is wrong. */
  #lookAny(choices: readonly Schema[], value: unknown, at: string): string[] {
    const likely = choices.filter((choice) => this.#isLikely(choice, value))
    if (likely.length === 1) return this.#look(likely[0]!, value, at)
    if (likely.some((choice) => this.#look(choice, value, at).length === 0)) return []
    return [`${at || 'the answer'} is ${shown(value)}, which is none of ${choices.length} forms`]
  }

  /** By its kind, and by the fields that are always one word: those tell the forms of a union apart. */
  #isLikely(schema: Schema, value: unknown): boolean {
    const { $ref, type, properties = {}, ...own } = schema
    if ($ref !== undefined) return this.#isLikely(this.#schemas[$ref.split('/').at(-1)!]!, value)
    if (type !== undefined && type !== typeOf(value)) return false
    if (own.const !== undefined || own.enum !== undefined) {
      return own.const === value || (own.enum ?? []).includes(value)
    }
    if (typeof value !== 'object' || value === null) return true
    const fields = value as Record<string, unknown>
    return (
      (own.required ?? []).every((name) => name in fields) &&
      Object.entries(properties).every(
        ([name, field]) => field.const === undefined || field.const === fields[name],
      )
    )
  }

  #lookItems(schema: Schema, value: readonly unknown[], at: string): string[] {
    return value.flatMap((item, place) => {
      const own = schema.prefixItems?.[place] ?? (schema.items || {})
      return this.#look(own, item, `${at}[${place}]`)
    })
  }

  #lookFields(schema: Schema, value: Record<string, unknown>, at: string): string[] {
    const { properties = {}, required = [], additionalProperties } = schema
    const absent = required
      .filter((name) => !(name in value))
      .map((name) => `${at}.${name} is absent`)
    const strange = Object.entries(value).flatMap(([name, field]) => {
      const own = properties[name] ?? (additionalProperties || undefined)
      // A shape may be given more than it says, but what it lists is what there is.
      if (own === undefined) {
        return schema.properties === undefined ? [] : [`${at}.${name} is not in the document`]
      }
      return this.#look(own, field, `${at}.${name}`)
    })
    return [...absent, ...strange]
  }
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`)

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

const shown = (value: unknown): string => JSON.stringify(value ?? null).slice(0, 80)

const miss = (at: string, wanted: unknown, value: unknown): string =>
  `${at || 'the answer'} is ${shown(value)}, not ${JSON.stringify(wanted)}`
