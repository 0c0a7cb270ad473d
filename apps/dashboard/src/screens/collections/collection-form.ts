/** From what somebody typed to what the station is asked. */
import type { CollectionRequest, ScopeKind } from '../../api/api-types.ts'
import { linesOf, numberIn, withScheme } from '../typed-text.ts'

/** As typed. */
export interface FormValues {
  seeds: string
  scope: ScopeKind
  delay: string
  maxPages: string
  maxDepth: string
  maxMegabytes: string
  maxMinutes: string
  include: string
  exclude: string
  embeds: boolean
}

export const EMPTY_FORM: FormValues = {
  seeds: '',
  scope: 'host',
  delay: '1',
  maxPages: '',
  maxDepth: '',
  maxMegabytes: '',
  maxMinutes: '',
  include: '',
  exclude: '',
  embeds: true,
}

export type NumberField = 'delay' | 'maxPages' | 'maxDepth' | 'maxMegabytes' | 'maxMinutes'

/** The least each field takes; what is left empty is no limit. */
export const LEAST: Record<NumberField, number> = {
  delay: 0,
  maxPages: 1,
  maxDepth: 0,
  maxMegabytes: 1,
  maxMinutes: 1,
}

export type FormProblems = Partial<Record<NumberField | 'seeds', true>>

export function problemsOf(values: FormValues): FormProblems {
  const problems: FormProblems = {}
  if (linesOf(values.seeds).length === 0) problems.seeds = true
  for (const field of Object.keys(LEAST) as NumberField[]) {
    const number = numberIn(values[field])
    const isMissing = number === null && field === 'delay'
    if (isMissing || Number.isNaN(number) || (number ?? LEAST[field]) < LEAST[field]) {
      problems[field] = true
    }
  }
  return problems
}

export function requestOf(values: FormValues): CollectionRequest {
  const megabytes = numberIn(values.maxMegabytes)
  const minutes = numberIn(values.maxMinutes)
  return {
    seeds: linesOf(values.seeds).map(withScheme),
    scope: values.scope,
    delayMs: Math.round((numberIn(values.delay) ?? 1) * 1_000),
    maxPages: numberIn(values.maxPages),
    maxDepth: numberIn(values.maxDepth),
    maxBytes: megabytes === null ? null : Math.round(megabytes * 1_000_000),
    maxTimeS: minutes === null ? null : minutes * 60,
    include: linesOf(values.include),
    exclude: linesOf(values.exclude),
    embeds: values.embeds,
  }
}
