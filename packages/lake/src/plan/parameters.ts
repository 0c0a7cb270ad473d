/** Parameters: what was asked for, or the default, as constants of SQL in the places of `$name`. */
import { BadQuery } from '../errors.ts'
import type { Expression, Query } from '../model.ts'
import { nearNames } from './near-names.ts'

/** By name, as text of SQL. */
export type Constants = ReadonlyMap<string, string>

export function constantsOf(
  query: Query,
  asked: Readonly<Record<string, string | number>>,
): Constants {
  const known = query.parameters ?? {}
  for (const name of Object.keys(asked)) {
    if (!Object.hasOwn(known, name)) {
      throw new BadQuery(
        `${query.name} has no parameter "${name}"${nearNames(name, Object.keys(known))}.`,
      )
    }
  }
  return new Map(
    Object.entries(known).map(([name, { type, default: usual }]) => {
      const value = asked[name] ?? usual
      const constant = constantOf(type, value)
      if (constant === null) {
        throw new BadQuery(`${query.name}: parameter "${name}" must be ${KINDS[type]}.`)
      }
      return [name, constant]
    }),
  )
}

const KINDS = {
  text: 'a text without the character of code 0',
  integer: 'a whole number of at most 18 digits',
  number: 'a number such as 90 or 2.5, of at most 18 digits',
}

/** Negative numbers stand in parentheses: `a -$b` must not become a comment. */
function constantOf(type: 'text' | 'integer' | 'number', value: string | number): string | null {
  const text = String(value).trim()
  if (type === 'text') {
    return String(value).includes('\0') ? null : `'${String(value).replaceAll("'", "''")}'`
  }
  const form = type === 'integer' ? /^-?[0-9]{1,18}$/u : /^-?(?=[0-9.]{1,19}$)[0-9]+(\.[0-9]+)?$/u
  if (!form.test(text)) return null
  return text.startsWith('-') ? `(${text})` : text
}

/**
 * Texts and quoted names are skipped; text quoted by dollars is recognised so that it can be
 * refused.
 */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$\w*\$|\$([A-Za-z]\w*)/gu

export function withConstants(
  expression: Expression,
  constants: Constants,
  refuse: (why: string) => Error,
): Expression {
  return expression.replaceAll(TOKENS, (token, name: string | undefined) => {
    if (token.endsWith('$')) throw refuse('texts stand in single quotes, not between dollars')
    if (name === undefined) return token
    const constant = constants.get(name)
    if (constant === undefined) {
      throw refuse(`there is no parameter "$${name}"${nearNames(name, [...constants.keys()])}`)
    }
    return constant
  })
}
