/** From what the user typed to the requested extraction. */
import type { WikiLimits, WikiRequest } from '@minga/protocol'
import { linesOf, numberIn } from '../typed-text.ts'

export const CHOICES = ['named', 'pages', 'category', 'namespaces', 'all'] as const
/** The page that the address names, pages by title, a category, whole namespaces, or everything. */
export type WikiChoice = (typeof CHOICES)[number]

export interface LimitsTyped {
  maxRequests: string
  maxMegabytes: string
  maxMinutes: string
  delaySeconds: string
  inFlight: string
}

export interface WikiTyped extends LimitsTyped {
  address: string
  locale: string
  choice: WikiChoice
  /** One title or number of a page a line. */
  pages: string
  /** One category a line. */
  categories: string
  depth: string
  namespaces: string
  keepWarc: boolean
  obeyRobots: boolean
  volunteers: boolean
}

export const EMPTY_WIKI: WikiTyped = {
  address: '',
  locale: '',
  choice: 'named',
  pages: '',
  categories: '',
  depth: '0',
  namespaces: '0',
  maxRequests: '',
  maxMegabytes: '',
  maxMinutes: '',
  delaySeconds: '1',
  inFlight: '1',
  keepWarc: false,
  obeyRobots: false,
  volunteers: false,
}

type LimitField = keyof LimitsTyped
type Field = 'address' | 'locale' | 'pages' | 'categories' | 'depth' | 'namespaces' | LimitField
export type WikiProblems = Partial<Record<Field, 'missing' | 'number' | 'language'>>

const MEGABYTE = 1_000_000
const DEPTH_MAX = 10
const IN_FLIGHT_MAX = 3
const DAY_S = 86_400

export function limitProblemsOf(typed: LimitsTyped): WikiProblems {
  const problems: WikiProblems = {}
  for (const field of ['maxRequests', 'maxMegabytes', 'maxMinutes'] as const) {
    const value = numberIn(typed[field])
    if (value !== null && !(value > 0)) problems[field] = 'number'
  }
  const requests = numberIn(typed.maxRequests)
  if (requests !== null && !Number.isInteger(requests)) problems.maxRequests = 'number'
  const delay = numberIn(typed.delaySeconds) ?? Number.NaN
  if (!(delay >= 0 && delay <= DAY_S)) problems.delaySeconds = 'number'
  if (!isWhole(typed.inFlight, 1, IN_FLIGHT_MAX)) problems.inFlight = 'number'
  return problems
}

function isWhole(text: string, least: number, most: number): boolean {
  const value = numberIn(text)
  return value !== null && Number.isInteger(value) && value >= least && value <= most
}

export function wikiProblemsOf(typed: WikiTyped): WikiProblems {
  const problems = limitProblemsOf(typed)
  const { choice, locale } = typed
  if (choice === 'named' && typed.address.trim() === '') problems.address = 'missing'
  if (locale.trim() !== '' && !/^[a-z]{2,}(-[a-z0-9]+)*$/i.test(locale.trim())) {
    problems.locale = 'language'
  }
  if (choice === 'pages' && linesOf(typed.pages).length === 0) problems.pages = 'missing'
  if (choice === 'category') {
    if (linesOf(typed.categories).length === 0) problems.categories = 'missing'
    if (!isWhole(typed.depth, 0, DEPTH_MAX)) problems.depth = 'number'
  }
  if (choice === 'namespaces' && namespacesIn(typed.namespaces) === null) {
    problems.namespaces = 'number'
  }
  return problems
}

/** Null when something in it is no number of a namespace. */
function namespacesIn(text: string): number[] | null {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '')
  if (words.length === 0 || words.some((word) => !/^\d{1,6}$/.test(word))) return null
  return [...new Set(words.map(Number))]
}

/** Of what has no problems. */
export function wikiAsked(typed: WikiTyped): WikiRequest {
  const { choice } = typed
  const named = choice === 'pages' ? linesOf(typed.pages) : []
  const depth = numberIn(typed.depth) ?? 0
  const locale = typed.locale.trim().toLowerCase()
  return {
    ...limitsAsked(typed),
    address: typed.address.trim(),
    locale: locale === '' ? null : locale,
    // A page by its number is written as #123: titles may be numbers, but cannot begin so.
    pages: named.filter((line) => !/^#\d+$/.test(line)),
    pageIds: named.filter((line) => /^#\d+$/.test(line)).map((line) => Number(line.slice(1))),
    categories:
      choice === 'category' ? linesOf(typed.categories).map((title) => ({ title, depth })) : [],
    namespaces: choice === 'namespaces' ? namespacesIn(typed.namespaces)! : [],
    all: choice === 'all',
    keepWarc: typed.keepWarc,
    robots: typed.obeyRobots ? 'obey' : 'etiquette',
    volunteers: typed.volunteers,
  }
}

export function limitsAsked(typed: LimitsTyped): WikiLimits {
  const megabytes = numberIn(typed.maxMegabytes)
  const minutes = numberIn(typed.maxMinutes)
  return {
    maxRequests: numberIn(typed.maxRequests),
    maxBytes: megabytes === null ? null : Math.max(1, Math.round(megabytes * MEGABYTE)),
    maxTimeS: minutes === null ? null : minutes * 60,
    delayMs: Math.round(numberIn(typed.delaySeconds)! * 1_000),
    inFlight: numberIn(typed.inFlight)!,
  }
}

/** As they stand in a task. */
export function limitsTyped(limits: Readonly<Record<string, unknown>>): LimitsTyped {
  const text = (name: string, unit: number): string => {
    const value = limits[name]
    return typeof value === 'number' ? String(value / unit) : ''
  }
  return {
    maxRequests: text('maxRequests', 1),
    maxMegabytes: text('maxBytes', MEGABYTE),
    maxMinutes: text('maxTimeS', 60),
    delaySeconds: text('delayMs', 1_000) || '1',
    inFlight: text('inFlight', 1) || '1',
  }
}
