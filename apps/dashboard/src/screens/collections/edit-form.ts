/** From what the user typed into the form of a running collection to the requested changes. */
import type { CollectionChange, CollectionSpec } from '@minga/protocol'
import type { ScopeKind } from '../../api/api-types.ts'
import { linesOf, numberIn } from '../typed-text.ts'

export interface EditValues {
  scope: ScopeKind
  include: string
  exclude: string
  delay: string
  maxPages: string
  maxDepth: string
  maxMegabytes: string
  maxMinutes: string
}

const MEGABYTE = 1_000_000
const MINUTE_S = 60

const shown = (value: number | null, unit = 1): string =>
  value === null ? '' : String(value / unit)

export function valuesOf(spec: CollectionSpec): EditValues {
  return {
    scope: spec.scope,
    include: spec.include.join('\n'),
    exclude: spec.exclude.join('\n'),
    delay: shown(spec.delayMs, 1_000),
    maxPages: shown(spec.maxPages),
    maxDepth: shown(spec.maxDepth),
    maxMegabytes: shown(spec.maxBytes, MEGABYTE),
    maxMinutes: shown(spec.maxTimeS, MINUTE_S),
  }
}

export type EditNumber = 'delay' | 'maxPages' | 'maxDepth' | 'maxMegabytes' | 'maxMinutes'

/** The least each field takes; what is left empty is no limit. */
const LEAST: Record<EditNumber, number> = {
  delay: 0,
  maxPages: 1,
  maxDepth: 0,
  maxMegabytes: 1 / MEGABYTE,
  maxMinutes: 1 / MINUTE_S,
}

export function problemsOf(values: EditValues): EditNumber[] {
  return (Object.keys(LEAST) as EditNumber[]).filter((field) => {
    const number = numberIn(values[field])
    if (number === null) return field === 'delay'
    return Number.isNaN(number) || number < LEAST[field]
  })
}

/** Only what differs: two people who change different things change both. */
export function changeOf(spec: CollectionSpec, values: EditValues): CollectionChange {
  const scaled = (text: string, unit: number): number | null => {
    const number = numberIn(text)
    return number === null ? null : Math.round(number * unit)
  }
  const wanted = {
    scope: values.scope,
    include: linesOf(values.include),
    exclude: linesOf(values.exclude),
    delayMs: scaled(values.delay, 1_000) ?? spec.delayMs,
    maxPages: numberIn(values.maxPages),
    maxDepth: numberIn(values.maxDepth),
    maxBytes: scaled(values.maxMegabytes, MEGABYTE),
    maxTimeS: scaled(values.maxMinutes, MINUTE_S),
  }
  const changed = Object.entries(wanted).filter(
    ([name, value]) => JSON.stringify(spec[name as keyof typeof wanted]) !== JSON.stringify(value),
  )
  return Object.fromEntries(changed)
}
