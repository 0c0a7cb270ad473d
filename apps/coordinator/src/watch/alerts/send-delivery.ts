/** Brings one delivery to where it is to go, by webhook or e-mail. */
import type { GuardPolicy, Resolver } from '@minga/net'
import { sendSigned, webhookSecret } from '../../clients/webhooks.ts'
import { textOf, type Reading } from './alert-text.ts'
import { alertPath } from './alert-tokens.ts'
import { composeMail } from './compose-mail.ts'
import type { StationSecrets } from '../../station/secrets/station-secrets.ts'
import type { ClaimedDelivery } from './deliveries.ts'
import type { SendMail } from '../../accounts/mail/mailer.ts'

export interface SendingParts {
  resolver: Resolver
  guard: GuardPolicy
  secret: string
  secrets: StationSecrets
  publicUrl: string | null
  /** Null: this coordinator has no mail server. */
  sendMail: SendMail | null
}

/** The reason why the message was rejected; null when it was accepted. */
export async function sendDelivery(
  parts: SendingParts,
  delivery: ClaimedDelivery,
  now: number,
): Promise<string | null> {
  const { channel } = delivery.rule
  if (channel === 'webhook') return callHook(parts, delivery, now)
  if (channel === 'email') return mail(parts, delivery)
  return null
}

function callHook(
  parts: SendingParts,
  delivery: ClaimedDelivery,
  now: number,
): Promise<string | null> {
  const { rule } = delivery
  const secret = webhookSecret(parts.secrets.givenAt(rule.createdAt, now), rule.id)
  const body = JSON.stringify(hookBody(delivery, readingOf(parts, delivery)))
  return sendSigned(parts, { url: rule.target, body, secret, atMs: now })
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

async function mail(parts: SendingParts, delivery: ClaimedDelivery): Promise<string | null> {
  const { secret, publicUrl, sendMail } = parts
  if (sendMail === null) return 'this coordinator has no mail server'
  const { id, rule } = delivery
  const stopPath = alertPath(secret, 'unsubscribe', rule.id)
  const stopUrl = publicUrl === null ? null : `${publicUrl}${stopPath}`
  const text = composeMail(delivery, { reading: readingOf(parts, delivery), stopUrl })
  return sendMail({ ...text, to: rule.target, deliveryId: `${id}.${rule.id}`, stopUrl })
}

function readingOf({ publicUrl }: SendingParts, { rule }: ClaimedDelivery): Reading {
  const { language, zone } = rule.settings
  return { language, zone, publicUrl }
}
