/** From what the user typed to the request to the station. */
import type { CollectionRequest } from '@minga/protocol'
import type { ScopeKind } from '../../api/api-types.ts'
import { linesOf, numberIn, withScheme } from '../typed-text.ts'

export const POLITENESS = ['constant', 'adaptive', 'density', 'tenfold'] as const

/** As typed. */
export interface FormValues {
  seeds: string
  scope: ScopeKind
  maxPages: string
  maxDepth: string
  maxMegabytes: string
  maxMinutes: string
  maxPagesPerHost: string
  maxMegabytesPerHost: string
  maxMinutesPerHost: string
  include: string
  exclude: string
  embeds: boolean
  sitemaps: boolean
  obeyNofollow: boolean
  trapBudget: boolean
  filter: string
  extract: string
  delay: string
  politeness: (typeof POLITENESS)[number]
  delayMin: string
  inFlightPerHost: string
  kilobytesPerSecond: string
  kilobytesPerSecondPerHost: string
  retries: string
}

export const EMPTY_FORM: FormValues = {
  seeds: '',
  scope: 'host',
  maxPages: '',
  maxDepth: '',
  maxMegabytes: '',
  maxMinutes: '',
  maxPagesPerHost: '',
  maxMegabytesPerHost: '',
  maxMinutesPerHost: '',
  include: '',
  exclude: '',
  embeds: true,
  sitemaps: true,
  obeyNofollow: false,
  trapBudget: true,
  filter: '',
  extract: '',
  delay: '1',
  politeness: 'constant',
  delayMin: '1',
  inFlightPerHost: '1',
  kilobytesPerSecond: '',
  kilobytesPerSecondPerHost: '',
  retries: '2',
}

/** The least each field takes, its unit in the API's, and on which step it stands; empty is no limit. */
const NUMBERS = {
  maxPages: { least: 1, unit: 1, step: 1 },
  maxDepth: { least: 0, unit: 1, step: 1 },
  maxMegabytes: { least: 1, unit: 1_000_000, step: 1 },
  maxMinutes: { least: 1, unit: 60, step: 1 },
  maxPagesPerHost: { least: 1, unit: 1, step: 1 },
  maxMegabytesPerHost: { least: 1, unit: 1_000_000, step: 1 },
  maxMinutesPerHost: { least: 1, unit: 60, step: 1 },
  delay: { least: 0, unit: 1_000, step: 2 },
  delayMin: { least: 0.25, unit: 1_000, step: 2 },
  inFlightPerHost: { least: 1, unit: 1, step: 2 },
  kilobytesPerSecond: { least: 1, unit: 1_000, step: 2 },
  kilobytesPerSecondPerHost: { least: 1, unit: 1_000, step: 2 },
  retries: { least: 0, unit: 1, step: 2 },
} as const

export type NumberField = keyof typeof NUMBERS
const FIELDS = Object.keys(NUMBERS) as NumberField[]
/** Without them there is no telling what is meant. */
const NEEDED: ReadonlySet<NumberField> = new Set([
  'delay',
  'delayMin',
  'inFlightPerHost',
  'retries',
])

export const leastOf = (field: NumberField): number => NUMBERS[field].least

export type Field = NumberField | 'seeds' | 'filter' | 'extract'
export type FormProblems = Partial<Record<Field, true>>

export function problemsOf(values: FormValues): FormProblems {
  const problems: FormProblems = {}
  if (linesOf(values.seeds).length === 0) problems.seeds = true
  for (const field of FIELDS) {
    const number = numberIn(values[field])
    const isMissing = number === null && NEEDED.has(field)
    if (isMissing || Number.isNaN(number) || (number ?? leastOf(field)) < leastOf(field)) {
      problems[field] = true
    }
  }
  for (const field of ['filter', 'extract'] as const) {
    if (jsonIn(values[field]) === undefined) problems[field] = true
  }
  return problems
}

/** Null when empty, undefined when it is no JSON. */
function jsonIn(text: string): unknown {
  if (text.trim() === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** What, how far, how politely. */
export const STEPS = ['what', 'far', 'polite'] as const
export type Step = 0 | 1 | 2

export function stepOf(problems: FormProblems): Step | null {
  const [field] = Object.keys(problems) as Field[]
  if (field === undefined) return null
  if (field === 'seeds') return 0
  return field === 'filter' || field === 'extract' ? 1 : NUMBERS[field].step
}

export function requestOf(values: FormValues): CollectionRequest {
  const scaled = (field: NumberField): number | null => {
    const number = numberIn(values[field])
    return number === null ? null : Math.round(number * NUMBERS[field].unit)
  }
  const sure = (field: NumberField): number => scaled(field) ?? 0
  const extract = jsonIn(values.extract)
  return {
    seeds: seedsOf(values),
    scope: values.scope,
    include: linesOf(values.include),
    exclude: linesOf(values.exclude),
    embeds: values.embeds,
    sitemaps: values.sitemaps,
    obeyNofollow: values.obeyNofollow,
    trapBudget: values.trapBudget,
    filter: (jsonIn(values.filter) ?? null) as Record<string, unknown> | null,
    ...(extract === null || extract === undefined ? {} : { extract: extract as never }),
    maxPages: scaled('maxPages'),
    maxDepth: scaled('maxDepth'),
    maxBytes: scaled('maxMegabytes'),
    maxTimeS: scaled('maxMinutes'),
    maxPagesPerHost: scaled('maxPagesPerHost'),
    maxBytesPerHost: scaled('maxMegabytesPerHost'),
    maxTimePerHostS: scaled('maxMinutesPerHost'),
    delayMs: sure('delay'),
    politeness: values.politeness,
    delayMinMs: sure('delayMin'),
    inFlightPerHost: sure('inFlightPerHost'),
    bytesPerSecond: scaled('kilobytesPerSecond'),
    bytesPerSecondPerHost: scaled('kilobytesPerSecondPerHost'),
    retries: sure('retries'),
  }
}

export const seedsOf = ({ seeds }: Pick<FormValues, 'seeds'>): string[] =>
  linesOf(seeds).map(withScheme)
