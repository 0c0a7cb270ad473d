/** One alert in words: what all channels say of a visit. */
import { cdxjTimestamp } from '@minga/archive'
import type { AlertSettings } from '@minga/protocol'
import { ALERT_WORDS, filled, type AlertWords } from './alert-words.ts'
import type { DeliveredAlert } from './deliveries.ts'

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
