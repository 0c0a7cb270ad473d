/** Alerts as an Atom feed (RFC 4287). An entry keeps its id for ever, and so does the feed. */
import { createHash } from 'node:crypto'
import { escaped } from '../../http/html.ts'
import type { AlertRule } from './alert-rules.ts'
import { textOf, type AlertText, type Reading } from './alert-text.ts'
import { ALERT_WORDS, filled } from './alert-words.ts'
import type { DeliveredAlert, FeedRows } from './deliveries.ts'

export interface Feed extends FeedRows {
  selfUrl: string
  reading: Reading
}

export function atomFeed({ rule, alerts, watchName, selfUrl, reading }: Feed): string {
  const words = ALERT_WORDS[reading.language]
  const title = watchName === null ? words.feedAll : filled(words.feed, { name: watchName })
  const updated = alerts.reduce((newest, { at }) => Math.max(newest, at), rule.createdAt)
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${reading.language}">
  <id>${stableId(rule.id)}</id>
  <title>${xml(title)}</title>
  <updated>${timeOf(updated)}</updated>
  <author><name>Minga</name></author>
  <link rel="self" type="application/atom+xml" href="${xml(selfUrl)}"/>
${alerts.map((alert) => entryOf(alert, rule, reading)).join('')}</feed>
`
}

/** Changes with every entry, and with nothing else. */
export function feedTag({ rule, alerts, watchName }: FeedRows): string {
  const newest = alerts.map(({ id }) => id).join(' ')
  const { language, zone } = rule.settings
  const told = JSON.stringify([rule.id, newest, watchName, language, zone])
  return `"${createHash('sha256').update(told).digest('hex').slice(0, 32)}"`
}

function entryOf(alert: DeliveredAlert, rule: AlertRule, reading: Reading): string {
  const text = textOf(alert, reading)
  const link = text.links[0]?.href ?? text.url
  return `  <entry>
    <id>${stableId(`${rule.id} ${alert.visitId} ${alert.kind}`)}</id>
    <title>${xml(text.title)}</title>
    <updated>${timeOf(alert.at)}</updated>
    <link rel="alternate" href="${xml(link)}"/>
    <content type="text">${xml(contentOf(text))}</content>
  </entry>
`
}

function contentOf({ url, when, said, excerpt }: AlertText): string {
  return [url, when, said.join(' '), ...(excerpt === '' ? [] : ['', excerpt])].join('\n')
}

/** A name-based UUID (RFC 9562, version 8), which need not be stored. */
function stableId(name: string): string {
  const hex = createHash('sha256').update(`minga alert ${name}`).digest('hex')
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`]
  return `urn:uuid:${[...parts, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')}`
}

const timeOf = (at: number): string => new Date(at).toISOString()

/** What XML 1.0 cannot say at all, not even escaped; half of a pair of surrogates included. */
const UNSAYABLE = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

function xml(text: string): string {
  return escaped(text.replaceAll(UNSAYABLE, '\u{FFFD}'))
}
