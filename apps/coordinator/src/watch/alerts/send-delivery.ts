/** Brings one delivery to where it is to go, by webhook or e-mail. */
import { sendSigned, webhookSecret } from '../../clients/close-batches.ts'
import { textOf, type Reading } from './alert-text.ts'
import { alertPath } from './alert-tokens.ts'
import { composeMail } from './compose-mail.ts'
import type { Station } from '../../station/station.ts'
import type { ClaimedDelivery } from './deliveries.ts'
import type { SendMail } from '../../accounts/mail/mailer.ts'

/** The reason why the message was rejected; null when it was accepted. `sendMail`: null without a mail server. */
export async function sendDelivery(
  station: Station,
  delivery: ClaimedDelivery,
  sendMail: SendMail | null,
): Promise<string | null> {
  const { channel } = delivery.rule
  if (channel === 'webhook') return callHook(station, delivery)
  if (channel === 'email') return mail(station, delivery, sendMail)
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

async function mail(
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
