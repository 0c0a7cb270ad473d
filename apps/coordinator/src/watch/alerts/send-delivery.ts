/** Brings one delivery to where it is to go, by webhook or e-mail. */
import { sendSigned, webhookSecret } from '../../clients/close-batches.ts'
import type { Station } from '../../station/station.ts'
import type { MailText, SendMail } from '../../accounts/mail/mailer.ts'
import { html, type Html } from '../../http/html.ts'
import { textOf, type AlertText, type Reading } from './alert-text.ts'
import { alertPath } from './alert-tokens.ts'
import type { ClaimedDelivery } from './deliveries.ts'
import { ALERT_WORDS, filled, type AlertWords } from './alert-words.ts'

/** The reason why the message was rejected; null when it was accepted. `sendMail`: null without a mail server. */
export async function sendDelivery(
  station: Station,
  delivery: ClaimedDelivery,
  sendMail: SendMail | null,
): Promise<string | null> {
  const { channel } = delivery.rule
  if (channel === 'webhook') return callHook(station, delivery)
  if (channel === 'email') return mailDelivery(station, delivery, sendMail)
  return null
}

function callHook(station: Station, delivery: ClaimedDelivery): Promise<string | null> {
  const { rule } = delivery
  const atMs = station.clock.now()
  const secret = webhookSecret(station.secrets.givenAt(rule.createdAt, atMs), rule.id)
  const body = JSON.stringify(hookBody(delivery, readingOf(station, delivery)))
  return sendSigned(station, { url: rule.target, body, secret, atMs })
}

/** A receiver that has seen `delivery.id` before has seen it all. */
function hookBody({ id, kind, count, rule, alerts }: ClaimedDelivery, reading: Reading): object {
  return {
    event: kind === 'test' ? 'watch.test' : 'watch.alerts',
    delivery: { id, count },
    alert: { id: rule.id, watchId: rule.watchId },
    alerts: alerts.map((alert) => {
      const { kind: what, watchId, visitId, at, facts, excerpt } = alert
      const { title, said, links } = textOf(alert, reading)
      const { watchName, before, after, ...found } = facts
      const captures = { before: before?.at ?? null, after: after?.at ?? null }
      const text = [title, ...said].join('\n')
      return {
        kind: what,
        watchId,
        watchName,
        visitId,
        at,
        ...found,
        captures,
        text,
        excerpt,
        links,
      }
    }),
  }
}

async function mailDelivery(
  station: Station,
  delivery: ClaimedDelivery,
  sendMail: SendMail | null,
): Promise<string | null> {
  const { secret, publicUrl } = station
  if (sendMail === null) return 'this coordinator has no mail server'
  const { id, rule } = delivery
  const stopPath = alertPath(secret, 'unsubscribe', rule.id)
  const stopUrl = publicUrl === null ? null : `${publicUrl}${stopPath}`
  const text = composeMail(delivery, { reading: readingOf(station, delivery), stopUrl })
  return sendMail({ ...text, to: rule.target, deliveryId: `${id}.${rule.id}`, stopUrl })
}

function readingOf({ publicUrl }: Station, { rule }: ClaimedDelivery): Reading {
  const { language, zone } = rule.settings
  return { language, zone, publicUrl }
}

interface Mail {
  words: AlertWords
  subject: string
  items: AlertText[]
  /** Alerts that are counted only. */
  more: number
  why: string
  /** Null when the world cannot reach this station. */
  stopUrl: string | null
}

const SUBJECT_CHARS_MAX = 150

/** A delivery as an e-mail: subject, plain text and HTML. */
function composeMail(
  delivery: ClaimedDelivery,
  { reading, stopUrl }: { reading: Reading; stopUrl: string | null },
): MailText {
  const words = ALERT_WORDS[reading.language]
  const mail: Mail = {
    words,
    subject: subjectOf(delivery, words),
    items: delivery.alerts.map((alert) => textOf(alert, reading)),
    more: delivery.count - delivery.alerts.length,
    why: filled(words.why, { id: delivery.rule.id }),
    stopUrl,
  }
  const isTest = delivery.kind === 'test'
  return { subject: mail.subject, text: plain(mail, isTest), html: rich(mail, isTest) }
}

function subjectOf({ kind, alerts, count }: ClaimedDelivery, words: AlertWords): string {
  if (kind === 'test') return words.test
  const first = alerts[0]
  if (first === undefined) return filled(words.severalWatches, { count })
  const name = first.facts.watchName.slice(0, SUBJECT_CHARS_MAX).toWellFormed()
  if (count === 1) return filled(words[first.kind], { name })
  const isOneWatch = alerts.every(({ watchId }) => watchId === first.watchId)
  return filled(isOneWatch ? words.several : words.severalWatches, { count, name })
}

function plain({ words, items, more, why, stopUrl }: Mail, isTest: boolean): string {
  const parts = items.map(({ title, url, when, said, excerpt, links }) =>
    [
      title,
      url,
      when,
      ...said,
      ...(excerpt === '' ? [] : ['', words.what, excerpt]),
      ...links.map(({ label, href }) => `${label}: ${href}`),
    ].join('\n'),
  )
  if (isTest) parts.push(words.testText)
  if (more > 0) parts.push(filled(words.more, { count: more }))
  const end = stopUrl === null ? why : `${why} ${words.stop}: ${stopUrl}`
  return `${[...parts, `-- \n${end}`].join('\n\n')}\n`
}

function rich({ words, subject, items, more, why, stopUrl }: Mail, isTest: boolean): string {
  const stop = stopUrl === null ? null : html`<a href="${stopUrl}">${words.stop}</a>`
  return html`<!doctype html>
    <html>
      <head>
        <meta charset="utf-8" />
        <title>${subject}</title>
      </head>
      <body style="font-family:sans-serif;max-width:44rem">
        ${items.map((item) => richItem(item, words))}
        ${isTest ? html`<p>${words.testText}</p>` : null}
        ${more > 0 ? html`<p>${filled(words.more, { count: more })}</p>` : null}
        <hr />
        <p><small>${why} ${stop}</small></p>
      </body>
    </html> `.text
}

function richItem({ title, url, when, said, excerpt, links }: AlertText, words: AlertWords): Html {
  const shown = links.map(({ label, href }) => html`<p><a href="${href}">${label}</a></p>`)
  const what =
    excerpt === ''
      ? null
      : html`<p>${words.what}</p>
          <pre style="white-space:pre-wrap">${excerpt}</pre>`
  return html`<h2 style="font-size:1.1rem">${title}</h2>
    <p><a href="${url}">${url}</a><br />${when}</p>
    <p>${said.join(' ')}</p>
    ${what}${shown} `
}
