/** The kinds of settings: what a value of each may be, and how that is said. */
import { filterOf } from '@minga/partition/filter-rules'
import { BadFilter } from '@minga/partition/routing-errors'
import { z } from 'zod'

export interface SettingFacts {
  /** One sentence: what it does. */
  readonly about: string
  /** From when on a change holds, as the end of "a change holds …". */
  readonly holds: string
}

export interface Setting<T> extends SettingFacts {
  readonly schema: z.ZodType<T>
  readonly default: T
  readonly unit: string | null
  readonly min: number | null
  readonly max: number | null
  readonly choices: readonly string[] | null
  /** Description of the valid values, for callers that gave an invalid one. */
  readonly wanted: string
  /** What exactly is wrong with a value, where more can be said. */
  readonly problemIn?: (value: unknown) => string | null
}

interface NumberFacts<T> extends SettingFacts {
  readonly default: T
  readonly unit: string | null
  readonly min: number
  readonly max: number
}

export function whole(facts: NumberFacts<number>): Setting<number> {
  const { min, max } = facts
  const schema = z.number().int().min(min).max(max)
  return { ...facts, schema, choices: null, wanted: `a whole number from ${min} to ${max}` }
}

export function wholeOrNone(facts: NumberFacts<number | null>): Setting<number | null> {
  const { min, max } = facts
  const schema = z.number().int().min(min).max(max).nullable()
  const wanted = `a whole number from ${min} to ${max}, or null for no limit`
  return { ...facts, schema, choices: null, wanted }
}

export function share(facts: NumberFacts<number>): Setting<number> {
  const { min, max } = facts
  const schema = z.number().min(min).max(max)
  return { ...facts, schema, choices: null, wanted: `a number from ${min} to ${max}` }
}

export function choice<const C extends string>(
  choices: readonly C[],
  facts: SettingFacts & { default: NoInfer<C> },
): Setting<C> {
  const wanted = `one of ${choices.join(', ')}`
  return { ...facts, schema: z.enum(choices), choices, unit: null, min: null, max: null, wanted }
}

interface WordFacts extends SettingFacts {
  readonly default: null
  readonly pattern: RegExp
  readonly wanted: string
}

export function word({ pattern, ...facts }: WordFacts): Setting<string | null> {
  const schema = z.string().max(WORD_MAX).regex(pattern).nullable()
  return { ...facts, schema, choices: null, unit: null, min: null, max: null }
}

const WORD_MAX = 1_000

type FilterData = Record<string, unknown>

export function filter(facts: SettingFacts & { default: null }): Setting<FilterData | null> {
  return {
    ...facts,
    schema: z.custom<FilterData | null>(
      (value) => value === null || problemOfFilter(value) === null,
    ),
    problemIn: problemOfFilter,
    unit: null,
    min: null,
    max: null,
    choices: null,
    wanted: 'a filter (docs/routing.md), or null for none',
  }
}

function problemOfFilter(value: unknown): string | null {
  try {
    filterOf(value)
    return null
  } catch (error) {
    if (error instanceof BadFilter) return error.message
    throw error
  }
}
