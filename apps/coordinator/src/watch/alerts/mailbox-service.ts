/**
 * Asks mailboxes whether they want alerts, and receives their answers. Only the hash of a link is
 * stored.
 */
import { randomBytes } from 'node:crypto'
import { secretHash } from '@minga/fleet'
import type { AlertLanguage, SuppressedAddress } from '@minga/protocol'
import { z } from 'zod'
import { AlertRefused } from '../../station/errors.ts'
import type { MailText, SendMail } from '../../accounts/mail/mailer.ts'
import { addressOf } from '../../accounts/mail/mailbox-key.ts'
import type { Station } from '../../station/station.ts'
import { html } from '../../http/html.ts'
import type { ClaimedConfirmation, Confirmation } from './mailboxes.ts'
import { ALERT_WORDS, filled } from './alert-words.ts'

/** Each is a call to the mail server, which may take its time. */
const SENDING_MAX = 5
const TOKEN_BYTES = 32

export type AskedMailbox = Pick<Confirmation, 'address'> & { language: AlertLanguage }

type LinkOperation = 'confirmationBy' | 'confirmMailbox' | 'refuseMailbox'

export class MailboxService {
  readonly #station: Station
  readonly #sendMail: SendMail | null
  readonly #sending = new Set<Promise<void>>()

  constructor(station: Station, sendMail: SendMail | null) {
    this.#station = station
    this.#sendMail = sendMail
  }

  /** What is sent is not waited for. */
  async tick(): Promise<void> {
    const { store, clock } = this.#station
    const sendMail = this.#sendMail
    const room = SENDING_MAX - this.#sending.size
    if (sendMail === null || room <= 0) return
    const tokens = Array.from({ length: room }, () =>
      randomBytes(TOKEN_BYTES).toString('base64url'),
    )
    const tokenOf = new Map(tokens.map((token) => [secretHash(token), token]))
    const claimed = await store.call('claimConfirmations', {
      tokenHashes: [...tokenOf.keys()],
      now: clock.now(),
    })
    for (const { tokenHash, ...asked } of claimed) {
      const sending = this.#ask(sendMail, { ...asked, token: tokenOf.get(tokenHash)! }).finally(
        () => this.#sending.delete(sending),
      )
      this.#sending.add(sending)
    }
  }

  async #ask(
    sendMail: SendMail,
    { id, address, token, ...asked }: Omit<ClaimedConfirmation, 'tokenHash'> & { token: string },
  ): Promise<void> {
    const { store, clock, publicUrl } = this.#station
    const confirmPath = `/api/alerts/mailbox/${token}`
    const refusePath = `${confirmPath}/refuse`
    const language = this.#languageOf(asked)
    const text = composeConfirmMail({ language, publicUrl, confirmPath, refusePath })
    const stopUrl = publicUrl === null ? null : `${publicUrl}${refusePath}`
    const deliveryId = `confirm_${secretHash(token).slice(0, 20)}`
    const problem = await sendMail({ ...text, to: address, deliveryId, stopUrl })
    if (problem === null) return
    process.stderr.write(`minga: a confirmation by e-mail was rejected: ${problem}\n`)
    await store
      .call('confirmationFailed', { id, now: clock.now() })
      .catch((error: unknown) => process.stderr.write(`minga: ${String(error)}\n`))
  }

  #languageOf({ language }: { language: AlertLanguage | '' }): AlertLanguage {
    return language === '' ? this.#station.settings.current().messageLanguage : language
  }

  /** Resolves when nothing is being sent. */
  async settled(): Promise<void> {
    while (this.#sending.size > 0) await Promise.all(this.#sending)
  }

  /** Whom a link is about; looking changes nothing. */
  find(token: string): Promise<AskedMailbox> {
    return this.#byLink('confirmationBy', token)
  }

  confirm(token: string): Promise<AskedMailbox> {
    return this.#byLink('confirmMailbox', token)
  }

  refuse(token: string): Promise<AskedMailbox> {
    return this.#byLink('refuseMailbox', token)
  }

  async #byLink(operation: LinkOperation, token: string): Promise<AskedMailbox> {
    const { store, clock } = this.#station
    const args = { tokenHash: secretHash(token), now: clock.now() }
    const found = await store.call(operation, args)
    return { address: found.address, language: this.#languageOf(found) }
  }

  suppressed(): Promise<SuppressedAddress[]> {
    return this.#station.store.call('listSuppressions', {})
  }

  /** The owner of an address has notified the operator that they want no mail. */
  async suppress(target: string, by: string): Promise<SuppressedAddress[]> {
    const { store, clock } = this.#station
    const address = addressOf(target)
    if (!z.email().max(254).safeParse(address).success) {
      throw AlertRefused.address(target, 'it is no e-mail address')
    }
    await store.call('suppressAddress', { address, by, now: clock.now() })
    return this.suppressed()
  }
}

interface ConfirmMail {
  language: AlertLanguage
  /** Where this station is; null when the world cannot reach it. */
  publicUrl: string | null
  confirmPath: string
  refusePath: string
}

/**
 * What a mailbox receives before its first alert. Nothing in it comes from the user who wants the
 * alert or from the watched pages: no user can send their own words to an address that has not
 * agreed.
 */
function composeConfirmMail({ language, publicUrl, ...mail }: ConfirmMail): MailText {
  const words = ALERT_WORDS[language]
  const at = (path: string): string => `${publicUrl ?? ''}${path}`
  const [confirmUrl, refuseUrl] = [at(mail.confirmPath), at(mail.refusePath)]
  const lead = filled(words.askText, { station: publicUrl ?? words.aStation })
  const where = publicUrl === null ? words.askWhere : ''
  const text = [
    lead,
    `${words.confirm}: ${confirmUrl}`,
    ...(where === '' ? [] : [where]),
    words.askElse,
    `-- \n${words.refuse}: ${refuseUrl}`,
  ].join('\n\n')
  const rich = html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <title>${words.askSubject}</title>
      </head>
      <body style="font-family:sans-serif;max-width:44rem">
        <p>${lead}</p>
        <p><a href="${confirmUrl}">${words.confirm}</a> ${where}</p>
        <p>${words.askElse}</p>
        <hr />
        <p>
          <small><a href="${refuseUrl}">${words.refuse}</a></small>
        </p>
      </body>
    </html> `.text
  return { subject: words.askSubject, text: `${text}\n`, html: rich }
}
