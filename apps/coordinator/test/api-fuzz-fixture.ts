/**
 * Requests made from the API document and a table of the undocumented routes: parameters and bodies
 * of the documented shapes, with nonsense in every place where a caller can put it. All addresses
 * in them are of this machine and of a port without a listener.
 */
import { readFileSync } from 'node:fs'
import type { SeededRandom } from '@minga/testkit'
import type { LightMyRequestResponse } from 'fastify'
import { FUZZED_ROUTES, type FuzzedRoute } from './fuzzed-routes-fixture.ts'

export interface Schema {
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

interface Parameter {
  name: string
  in: string
  required: boolean
  schema: Schema
}

interface DocumentedOperation {
  parameters: Parameter[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  responses: Record<string, { content?: Record<string, unknown> }>
}

interface Operation {
  path: string
  method: string
  operation: DocumentedOperation
  contentType: string
}

interface ApiDocument {
  components: { schemas: Record<string, Schema> }
  paths: Record<string, Record<string, DocumentedOperation>>
}

export interface FuzzedRequest {
  /** Method and path of the document, as failures are reported. */
  operation: string
  method: (typeof METHODS)[number]
  url: string
  contentType: string
  /** Undefined for a request without a body. */
  payload: string | undefined
  /** The answer may be a stream that never ends. */
  isStream: boolean
}

const STRINGS: readonly string[] = [
  '',
  ' ',
  '0',
  '-1',
  '1e309',
  'NaN',
  '9007199254740993',
  '99999999999999999999',
  '0x10',
  'null',
  '\0',
  '\uD800',
  '\u202Eabc\u0000',
  '😀',
  'x'.repeat(5_000),
  '../../../etc/passwd',
  '..%2f..',
  '%',
  '%00',
  '%ff',
  "' OR 1=1 --",
  '__proto__',
  'constructor',
  'toString',
  '2026-05-06',
  '2026-02-30T25:61:00Z',
  '+275760-09-13T00:00:00.001Z',
  '20260506000000',
  '1d',
  '{"a":',
  '[1]',
  '(a+)+$',
  '*',
  'a',
  'en',
  'SELECT 1',
  'text/html',
  'com,example)/',
  'http://127.0.0.1:9/',
  'http://127.0.0.1:9/a?b=c#d',
  'http://[::1',
  'http://127.0.0.1:99999/',
  'https://user:secret@127.0.0.1:9/',
  'file:///etc/passwd',
  'javascript:1',
  '127.0.0.1',
  'localhost',
]
const NUMBERS: readonly number[] = [
  [0, 1, 2, 7, 100, -1, 0.5, -0.0000001, 65_536, 2 ** 31, 2 ** 32, 2 ** 53, -(2 ** 53)],
  [2 ** 63, 1e21, 1e308, -1e308, 8.64e15, 8.64e15 + 1, Date.UTC(2026, 4, 6)],
].flat()
const NO_JSON = ['', '{', '[1,', '"\\ud800"', '\0', '{"a":1}}', 'x=1&y=2', '[['.repeat(2_000)]
const CONTENT_TYPES = ['text/plain', 'application/octet-stream', 'multipart/form-data', 'x', '']
const METHODS = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'] as const
const SEEN_MAX = 40
const DEPTH_MAX = 6

export class ApiFuzzer {
  readonly #random: SeededRandom
  readonly #schemas: Record<string, Schema>
  readonly #operations: Operation[]
  /** What answers had in fields of a name: ids that exist, names of tables. */
  readonly #seen = new Map<string, unknown[]>()
  #next = 0

  constructor(random: SeededRandom) {
    const file = new URL('../openapi.json', import.meta.url)
    const document = JSON.parse(readFileSync(file, 'utf8')) as ApiDocument
    this.#random = random
    this.#schemas = document.components.schemas
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        return { path, method, operation, contentType: 'application/json' }
      }),
    )
    this.#operations = [...documented, ...FUZZED_ROUTES.map(operationOf)]
  }

  get operations(): number {
    return this.#operations.length
  }

  /** Every operation has its turn before one has its second. */
  next(): FuzzedRequest {
    const random = this.#random
    const { path, method, operation, contentType } =
      this.#operations[this.#next++ % this.#operations.length]!
    const isOdd = random.chance(0.02)
    const verb = isOdd ? random.pick(METHODS) : (method.toUpperCase() as FuzzedRequest['method'])
    const hasBody = verb !== 'GET' && verb !== 'HEAD'
    return {
      operation: `${method.toUpperCase()} ${path}`,
      method: verb,
      url: this.#path(path, operation.parameters) + this.#query(operation.parameters),
      contentType: random.chance(0.03) ? random.pick(CONTENT_TYPES) : contentType,
      payload: hasBody ? this.#body(operation) : undefined,
      isStream: isOdd || '*/*' in (operation.responses['200']?.content ?? {}),
    }
  }

  /** Later requests ask for what this answer names. */
  learn({ headers, body }: Pick<LightMyRequestResponse, 'headers' | 'body'>): void {
    const isJson = String(headers['content-type']).startsWith('application/json')
    if (isJson && body !== '') this.#learn(JSON.parse(body), 0)
  }

  #learn(answer: unknown, depth: number): void {
    if (typeof answer !== 'object' || answer === null || depth > 3) return
    for (const [name, value] of Object.entries(answer).slice(0, SEEN_MAX)) {
      if (typeof value === 'object') this.#learn(value, depth + 1)
      else this.#remember(name, value)
    }
  }

  #remember(name: string, value: unknown): void {
    const seen = this.#seen.get(name) ?? []
    if (seen.includes(value)) return
    if (seen.length < SEEN_MAX) seen.push(value)
    else seen[this.#random.integer(SEEN_MAX)] = value
    this.#seen.set(name, seen)
  }

  #path(path: string, parameters: readonly Parameter[]): string {
    return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const schema = parameters.find((one) => one.name === name)?.schema ?? { type: 'string' }
      // An empty part would be another address.
      const text = this.#text(this.#named(name, schema, 0)) || 'x'
      return this.#random.chance(0.9) ? encoded(text) : text.replaceAll(/[^!-~]|[?#%]/g, '%')
    })
  }

  #query(parameters: readonly Parameter[]): string {
    const pairs: string[] = []
    for (const { name, in: place, required, schema } of parameters) {
      if (place !== 'query' || !this.#random.chance(required ? 0.95 : 0.4)) continue
      const times = this.#random.chance(0.03) ? 3 : 1
      for (let i = 0; i < times; i++) {
        pairs.push(`${encoded(name)}=${encoded(this.#text(this.#named(name, schema, 0)))}`)
      }
    }
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  }

  #body({ requestBody }: DocumentedOperation): string | undefined {
    const random = this.#random
    if (random.chance(0.03)) return undefined
    if (random.chance(0.05)) return random.pick(NO_JSON)
    if (random.chance(0.05)) return JSON.stringify(this.#junk(0))
    const schema = requestBody?.content['application/json']?.schema ?? { additionalProperties: {} }
    return JSON.stringify(this.#value(schema, 0))
  }

  #text(value: unknown): string {
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
  }

  #named(name: string, schema: Schema, depth: number): unknown {
    const seen = this.#seen.get(name)
    return seen !== undefined && this.#random.chance(0.3)
      ? this.#random.pick(seen)
      : this.#value(schema, depth)
  }

  #value(schema: Schema, depth: number): unknown {
    const random = this.#random
    if (random.chance(0.04) || depth > DEPTH_MAX) return this.#junk(depth)
    if (schema.$ref !== undefined) {
      return this.#value(this.#schemas[schema.$ref.split('/').at(-1)!]!, depth)
    }
    if (schema.anyOf !== undefined) return this.#value(random.pick(schema.anyOf), depth + 1)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return random.pick(schema.enum)
    if (schema.prefixItems !== undefined) {
      return schema.prefixItems.map((item) => this.#value(item, depth + 1))
    }
    switch (schema.type) {
      case 'string':
        return random.pick(STRINGS)
      case 'number':
      case 'integer':
        return random.chance(0.5) ? random.integer(20) : random.pick(NUMBERS)
      case 'boolean':
        return random.chance(0.5)
      case 'null':
        return null
      case 'array':
        return this.#list(schema.items || {}, depth)
      default:
        return this.#object(schema, depth)
    }
  }

  #list(items: Schema, depth: number): unknown[] {
    return Array.from({ length: this.#random.integer(4) }, () => this.#value(items, depth + 1))
  }

  #object({ properties = {}, required = [] }: Schema, depth: number): unknown {
    const random = this.#random
    const fields = Object.entries(properties)
      .filter(([name]) => random.chance(required.includes(name) ? 0.97 : 0.4))
      .map(([name, field]): [string, unknown] => [name, this.#named(name, field, depth + 1)])
    if (fields.length === 0 || random.chance(0.03)) {
      fields.push([random.pick(STRINGS), this.#junk(depth + 1)])
    }
    return Object.fromEntries(fields)
  }

  #junk(depth: number): unknown {
    const random = this.#random
    switch (random.integer(depth > DEPTH_MAX ? 4 : 6)) {
      case 0:
        return random.pick(STRINGS)
      case 1:
        return random.pick(NUMBERS)
      case 2:
        return null
      case 3:
        return random.chance(0.5)
      case 4:
        return Array.from({ length: random.integer(3) }, () => this.#junk(depth + 1))
      default:
        return { [random.pick(STRINGS)]: this.#junk(depth + 1) }
    }
  }
}

function operationOf({ method, path, query = [], body, contentType }: FuzzedRoute): Operation {
  const schema: Schema = { type: 'string' }
  const parameters = query.map((name) => ({ name, in: 'query', required: name === 'url', schema }))
  const content = { 'application/json': { schema: body ?? {} } }
  return {
    path,
    method,
    contentType: contentType ?? 'application/json',
    operation: { parameters, requestBody: { content }, responses: {} },
  }
}

function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}
