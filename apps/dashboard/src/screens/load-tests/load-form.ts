/** From what the user typed to the requested load test. */
import type { LoadTestMessage } from '@minga/protocol'
import { linesOf, numberIn, withScheme } from '../typed-text.ts'

/** As typed; people think in seconds, percent and megabytes. */
export interface LoadForm {
  urls: string
  visitorsMax: string
  stepS: string
  thinkS: string
  answerS: string
  bearsP95S: string
  bearsErrors: string
  requestsPerSecond: string
  megabytes: string
  minutes: string
  stopErrors: string
  stopP95S: string
}

/** Gentle: a small site can handle it. */
export const EMPTY_LOAD: LoadForm = {
  urls: '',
  visitorsMax: '50',
  stepS: '10',
  thinkS: '1',
  answerS: '10',
  bearsP95S: '1',
  bearsErrors: '1',
  requestsPerSecond: '100',
  megabytes: '1000',
  minutes: '15',
  stopErrors: '10',
  stopP95S: '5',
}

export type LoadNumber = Exclude<keyof LoadForm, 'urls'>

interface Range {
  least: number
  most: number
  isWhole?: true
}

/** What the station accepts, checked before the request is sent. */
export const RANGES: Record<LoadNumber, Range> = {
  visitorsMax: { least: 1, most: 1_000, isWhole: true },
  stepS: { least: 3, most: 300 },
  thinkS: { least: 0, most: 60 },
  answerS: { least: 0.5, most: 60 },
  bearsP95S: { least: 0.01, most: 60 },
  bearsErrors: { least: 0, most: 50 },
  requestsPerSecond: { least: 1, most: 500 },
  megabytes: { least: 1, most: 4_294 },
  minutes: { least: 0.1, most: 60 },
  stopErrors: { least: 0, most: 100 },
  stopP95S: { least: 0.01, most: 60 },
}

export type LoadProblems = Partial<Record<keyof LoadForm, true>>

export function loadProblemsOf(form: LoadForm): LoadProblems {
  const problems: LoadProblems = {}
  if (linesOf(form.urls).length === 0) problems.urls = true
  for (const field of Object.keys(RANGES) as LoadNumber[]) {
    if (!isIn(RANGES[field], numberIn(form[field]))) problems[field] = true
  }
  return problems
}

function isIn({ least, most, isWhole }: Range, number: number | null): boolean {
  // What is no number is in no range.
  if (number === null || !(number >= least && number <= most)) return false
  return isWhole === undefined || Number.isInteger(number)
}

const MILLIS = 1_000
const MEGABYTE = 1_000_000

/** Of a form without problems. */
export function loadTestAsked(form: LoadForm): LoadTestMessage {
  const number = (field: LoadNumber): number => numberIn(form[field]) ?? 0
  const ms = (field: LoadNumber): number => Math.round(number(field) * MILLIS)
  return {
    urls: linesOf(form.urls).map(withScheme),
    visitorsMax: number('visitorsMax'),
    stepS: number('stepS'),
    thinkMs: ms('thinkS'),
    answerMsMax: ms('answerS'),
    bears: { p95Ms: ms('bearsP95S'), errorRate: number('bearsErrors') / 100 },
    ceilings: {
      requestsPerSecond: number('requestsPerSecond'),
      bytes: Math.round(number('megabytes') * MEGABYTE),
      durationS: number('minutes') * 60,
      errorRate: number('stopErrors') / 100,
      p95Ms: ms('stopP95S'),
    },
  }
}
