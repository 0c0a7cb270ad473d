/**
 * Conditions of a query: `{"user": "Ada", "size": {"gte": 10}, "or": [{…}, {…}], "not": {…}}` becomes SQL in
 * which every value is bound. Only fields, words and kinds of value that are listed here pass.
 */
import { BadWikiQuery } from '../errors.ts'
import type { Values } from './ask.ts'
import type { Field, FieldKind } from './query-fields.ts'

/** Deep enough for any question that people write; a deeper one is a program that ran away. */
const DEPTH_MAX = 8
const CONDITIONS_MAX = 100
const IN_MAX = 1000
const TEXT_MAX = 1000

const COMPARISONS: Record<string, string> = {
  eq: '=',
  ne: 'IS DISTINCT FROM',
  gt: '>',
  gte: '>=',
  lt: '<',
  lte: '<=',
}

const WORDS_OF_KIND: Record<FieldKind, readonly string[]> = {
  number: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'],
  text: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in', 'prefix'],
  time: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'in'],
  flag: ['eq', 'ne'],
  digest: ['eq', 'ne', 'in'],
  list: ['has'],
}

export class ConditionCompiler {
  readonly #fields: Record<string, Field>
  readonly #values: Values
  #conditions = 0

  constructor(fields: Record<string, Field>, values: Values) {
    this.#fields = fields
    this.#values = values
  }

  compile(given: unknown, where: string, depth = 1): string {
    if (depth > DEPTH_MAX) throw new BadWikiQuery(`${where} is nested deeper than ${DEPTH_MAX}.`)
    const parts = Object.entries(objectOf(given, where)).map(([key, value]) => {
      if (key === 'and' || key === 'or') return this.#joined(key, value, { where, depth })
      if (key === 'not') {
        // Unknown is not true, so that a condition and its opposite share out the rows between them.
        return `NOT coalesce(${this.compile(value, `${where}.not`, depth + 1)}, false)`
      }
      return this.#fieldCondition(key, value, where)
    })
    return parts.length === 0 ? 'true' : `(${parts.join(' AND ')})`
  }

  #joined(word: 'and' | 'or', given: unknown, at: { where: string; depth: number }): string {
    const name = `${at.where}.${word}`
    if (!Array.isArray(given) || given.length === 0) {
      throw new BadWikiQuery(`${name} must be a list of conditions.`)
    }
    const parts = given.map((part, i) => this.compile(part, `${name}[${i}]`, at.depth + 1))
    return `(${parts.join(word === 'and' ? ' AND ' : ' OR ')})`
  }

  #fieldCondition(name: string, given: unknown, where: string): string {
    const field = knownOf(this.#fields, name, where)
    if (given === null) return this.#counted(`${field.sql} IS NULL`)
    if (typeof given !== 'object') {
      const word = field.kind === 'list' ? 'has' : 'eq'
      return this.#comparison(field, word, { value: given, where: `${where}.${name}` })
    }
    const words = Object.entries(objectOf(given, `${where}.${name}`))
    if (words.length === 0) throw new BadWikiQuery(`${where}.${name} compares with nothing.`)
    const parts = words.map(([word, value]) =>
      this.#comparison(field, word, { value, where: `${where}.${name}.${word}` }),
    )
    return `(${parts.join(' AND ')})`
  }

  #comparison(field: Field, word: string, { value, where }: { value: unknown; where: string }) {
    const known = WORDS_OF_KIND[field.kind]
    if (!known.includes(word)) {
      throw new BadWikiQuery(`${where} is not known; a field like this takes ${known.join(', ')}.`)
    }
    if (word === 'in')
      return this.#counted(`${field.sql} IN (${this.#listOf(field, value, where)})`)
    if (value === null && word === 'ne') return this.#counted(`${field.sql} IS NOT NULL`)
    const place = this.#values.bind(valueOf(field.kind, value, where))
    if (word === 'has') return this.#counted(`list_contains(${field.sql}, ${place})`)
    if (word === 'prefix') return this.#counted(`starts_with(${field.sql}, ${place})`)
    return this.#counted(`${field.sql} ${COMPARISONS[word]} ${place}`)
  }

  #listOf(field: Field, given: unknown, where: string): string {
    if (!Array.isArray(given) || given.length === 0 || given.length > IN_MAX) {
      throw new BadWikiQuery(`${where} must be a list of 1 to ${IN_MAX} values.`)
    }
    return given.map((value) => this.#values.bind(valueOf(field.kind, value, where))).join(', ')
  }

  #counted(condition: string): string {
    this.#conditions += 1
    if (this.#conditions > CONDITIONS_MAX) {
      throw new BadWikiQuery(`A query has at most ${CONDITIONS_MAX} conditions.`)
    }
    return condition
  }
}

export function knownOf<T>(known: Record<string, T>, name: string, where: string): T {
  const found = Object.hasOwn(known, name) ? known[name] : undefined
  if (found !== undefined) return found
  throw new BadWikiQuery(
    `${where} has ${JSON.stringify(name.slice(0, 60))}, which is not known; known are ${Object.keys(known).join(', ')}.`,
  )
}

export function objectOf(given: unknown, where: string): Record<string, unknown> {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) {
    return given as Record<string, unknown>
  }
  throw new BadWikiQuery(`${where} must be an object.`)
}

const WANTED: Record<FieldKind, string> = {
  number: 'a number',
  text: `a text of at most ${TEXT_MAX} characters`,
  time: 'a time as in 2004-06-22T10:00:00Z or a day as in 2004-06-22',
  flag: 'true or false',
  digest: '40 hex digits',
  list: 'a text',
}

function valueOf(kind: FieldKind, given: unknown, where: string): string | number | boolean {
  if (kind === 'number' && typeof given === 'number' && Number.isFinite(given)) return given
  if (kind === 'flag' && typeof given === 'boolean') return given
  if (typeof given === 'string' && given.length <= TEXT_MAX) {
    if (kind === 'text' || kind === 'list') return given
    if (kind === 'digest' && /^[\da-f]{40}$/i.test(given)) return given.toLowerCase()
    if (kind === 'time' && isTime(given)) return Date.parse(given)
  }
  throw new BadWikiQuery(`${where} must be ${WANTED[kind]}.`)
}

/** With its zone or as a day: a time without a zone would mean something else on every machine. */
function isTime(text: string): boolean {
  return (
    /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text) &&
    !Number.isNaN(Date.parse(text))
  )
}
