/** The one parameter of a step's URL that is Minga's: `revisions;r3;t7;a0;s120`. */
import type { Ticket, WikiStep } from './wiki-step.ts'

export type Extras = Readonly<Record<string, string>>

interface StepNote extends Ticket {
  kind: WikiStep['kind']
  /** One letter each; see `step-params.ts`. */
  extras: Extras
}

const KINDS: Record<WikiStep['kind'], true> = {
  discover: true,
  siteinfo: true,
  titles: true,
  revisions: true,
  ids: true,
  byIds: true,
  allpages: true,
  category: true,
  recentchanges: true,
  logevents: true,
  export: true,
  historyPage: true,
  raw: true,
  source: true,
}

export function writeTicket({ kind, run, task, attempt, extras }: StepNote): string {
  const fields = Object.entries(extras).map(([name, value]) => name + encodeURIComponent(value))
  return [kind, `r${run}`, `t${task}`, `a${attempt}`, ...fields].join(';')
}

export function readTicket(text: string): StepNote | null {
  const [kind = '', ...fields] = text.split(';')
  if (!isKind(kind)) return null
  const extras: Record<string, string> = {}
  for (const field of fields) {
    const value = decoded(field.slice(1))
    if (value === null || field === '') return null
    extras[field.slice(0, 1)] = value
  }
  const { r, t, a, ...rest } = extras
  const [run, task, attempt] = [r, t, a].map(wholeNumber)
  if (run == null || task == null || attempt == null) return null
  return { kind, run, task, attempt, extras: rest }
}

/** Null for everything but a whole number that is written as one. */
export function wholeNumber(text: string | null | undefined): number | null {
  if (text == null || !/^-?\d{1,16}$/.test(text)) return null
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : null
}

function isKind(text: string): text is WikiStep['kind'] {
  return Object.hasOwn(KINDS, text)
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
