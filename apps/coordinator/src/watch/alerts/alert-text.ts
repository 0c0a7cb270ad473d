/** One alert in words: what all channels say of a visit. */
import { cdxjTimestamp } from '@minga/archive'
import type { AlertSettings } from '@minga/protocol'
import { diffAsText } from '@minga/forecast'
import { compareBodies, pageOf } from '../../archive/compare/capture-diff.ts'
import { PLAINLY, readWatchDiffOptions } from '../../archive/compare/watch-diff-options.ts'
import { readArchived } from '../../archive/captures/capture-content.ts'
import type { Station } from '../../station/station.ts'
import { ALERT_WORDS, filled, type AlertWords } from './alert-words.ts'
import type { DeliveredAlert } from './deliveries.ts'
import type { AlertCapture } from './match-visits.ts'

/** How the readers see it. */
export interface Reading extends Pick<AlertSettings, 'language' | 'zone'> {
  /** Where the world reaches this station; null: there are no links. */
  publicUrl: string | null
}

export interface AlertText {
  title: string
  url: string
  when: string
  /** Sentences. */
  said: string[]
  excerpt: string
  links: { label: string; href: string }[]
}

export function textOf(alert: DeliveredAlert, reading: Reading): AlertText {
  const words = ALERT_WORDS[reading.language]
  const { facts, kind, at, excerpt } = alert
  return {
    title: filled(words[kind], { name: facts.watchName }),
    url: facts.url,
    when: momentText(at, reading),
    said: sentencesOf(alert, words),
    excerpt,
    links: linksOf(alert, reading, words),
  }
}

function sentencesOf({ kind, facts }: DeliveredAlert, words: AlertWords): string[] {
  const { failures, code } = facts
  if (kind === 'failing') return [filled(words.failingText, { failures, code: code ?? '?' })]
  if (kind === 'back') return [filled(words.backText, { failures })]
  const level = (magnitude: number): string => levelText(magnitude, words)
  return [
    facts.isImportant ? words.important : words.unimportant,
    filled(words.amounts, {
      content: level(facts.content),
      structural: level(facts.structural),
      visual: level(facts.visual),
    }),
  ]
}

/** Upper ends of the levels but the last. People tell these apart; percentages they do not. */
const LEVELS = [0.001, 0.1, 0.3, 0.8]

function levelText(magnitude: number, { levels }: AlertWords): string {
  const level = LEVELS.findIndex((end) => magnitude < end)
  const word = levels.at(level)!
  return magnitude < LEVELS[0]! ? word : `${word} (${Math.max(1, Math.round(magnitude * 100))} %)`
}

function momentText(at: number, { language, zone }: Pick<Reading, 'language' | 'zone'>): string {
  const format = new Intl.DateTimeFormat(language, {
    timeZone: zone,
    dateStyle: 'medium',
    timeStyle: 'short',
  })
  return `${format.format(at)} (${zone})`
}

function linksOf(
  { facts }: DeliveredAlert,
  { publicUrl }: Reading,
  words: AlertWords,
): AlertText['links'] {
  const { before, after } = facts
  if (publicUrl === null || after === null) return []
  const to = (path: string, query: Record<string, string>): string =>
    `${publicUrl}${path}?${String(new URLSearchParams(query))}`
  const replay = to('/archive/url', { url: after.url, at: String(after.at) })
  const links = [{ label: words.replay, href: replay }]
  // Versions of two addresses (a redirect came or went) have no page of their own.
  if (before === null || before.url !== after.url) return links
  const [old, fresh] = [cdxjTimestamp(before.at), cdxjTimestamp(after.at)]
  const diff = to('/archive/diff', { url: after.url, before: old, after: fresh })
  return [{ label: words.compare, href: diff }, ...links]
}

interface Compared {
  url: string
  /** As this watch sees it: what it takes for noise is nothing to tell. */
  watchId: number
  before: AlertCapture
  after: AlertCapture
}

const LINES_MAX = 20
const LINE_CHARS_MAX = 200
/**
 * A longer page is compared by its beginning: many are compared, and others wait in the meantime.
 */
const BYTES_MAX = 1024 * 1024

/** Empty when there is nothing to show. */
export async function excerptOf(
  parts: Pick<Station, 'store' | 'data'>,
  { url, watchId, before, after }: Compared,
): Promise<string> {
  try {
    const old = pageOf(await readArchived(parts, before, BYTES_MAX))
    const fresh = pageOf(await readArchived(parts, after, BYTES_MAX))
    const diffOptions = await readWatchDiffOptions(parts, { url, watchId, at: after.at })
    const options =
      diffOptions === null
        ? PLAINLY
        : { selectors: diffOptions.selectors, mask: diffOptions.mask ?? null }
    const diff = await compareBodies({
      before: { ...old, body: old.body.subarray(0, BYTES_MAX) },
      after: { ...fresh, body: fresh.body.subarray(0, BYTES_MAX) },
      options,
    })
    return shortened(diffAsText(diff))
  } catch {
    // Missing or damaged captures are reported by `archive verify`. The alert is sent without an
    // excerpt, or one broken page would hold up all others for ever.
    return ''
  }
}

/** Only what is new, gone or moved; without its first line, which says how much in numbers. */
function shortened(text: string): string {
  const lines = text
    .split('\n')
    .slice(1)
    .filter((line) => /^[-+>] /.test(line))
  const shown = lines.slice(0, LINES_MAX).map(cut)
  if (lines.length > LINES_MAX) shown.push(`… ${lines.length - LINES_MAX}`)
  return shown.join('\n').replaceAll('\0', '')
}

function cut(line: string): string {
  if (line.length <= LINE_CHARS_MAX) return line
  return `${line.slice(0, LINE_CHARS_MAX).toWellFormed()}…`
}
