/** Mails about accounts: one confirms an address, another brings its owner a link to a new password. */
import { randomUUID } from 'node:crypto'
import { newSecret, secretHash, type Caller, type MailedAccount } from '@minga/fleet'
import type { AlertLanguage } from '@minga/protocol'
import { AlertRefused, MailNotSent, NoMailServer, RateLimited } from '../station/errors.ts'
import { placeOf, type RateLimits } from '../http/request-limits/rate-limits.ts'
import type { Station } from '../station/station.ts'
import { html } from '../http/html.ts'
import { addressOf, type MailboxKey } from './mail/mailbox-key.ts'
import type { MailText, SendMail } from './mail/mailer.ts'
import type { Accounts } from './accounts.ts'

interface AccountMailDeps {
  limits: RateLimits
  accounts: Pick<Accounts, 'requirePassword'>
  /** Null: this coordinator has no mail server. */
  sendMail: SendMail | null
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
/**
 * Long enough for a slow mail server, short enough that a later reader of the mailbox cannot use
 * the link.
 */
const LINK_MS = HOUR_MS

const CONFIRMATIONS = { what: 'confirming an e-mail address', burst: 5, everyMs: 10 * MINUTE_MS }
const LINKS_USED = { what: 'links in mails', burst: 10, everyMs: MINUTE_MS }
const RESETS_BY_PLACE = { what: 'reset links by mail', burst: 5, everyMs: 10 * MINUTE_MS }
/** By place as well: who requests mails for others must not keep them from requesting theirs. */
const RESETS_BY_NAME = { what: 'reset links by mail', burst: 3, everyMs: 20 * MINUTE_MS }
/** What one mailbox gets, from wherever it was requested. It is not said to who requests more. */
const RESETS_BY_ACCOUNT = { what: 'mails to one account', burst: 6, everyMs: HOUR_MS }
/** Requests whose mail waits for the mail server. */
const WAITING_MOST = 100

interface MailRequest {
  /** Where the links lead. */
  origin: string
  language: AlertLanguage | null
}

export class AccountMail {
  readonly #station: Station
  readonly #deps: AccountMailDeps
  #waiting = 0
  #queue: Promise<void> = Promise.resolve()

  constructor(station: Station, deps: AccountMailDeps) {
    this.#station = station
    this.#deps = deps
  }

  get isOn(): boolean {
    return this.#deps.sendMail !== null
  }

  /** Sends the link that confirms the address. Until it is opened, nothing changes. */
  async requestEmail(
    caller: Caller,
    wanted: { email: string; password: string },
    request: MailRequest,
  ): Promise<void> {
    const { store, clock } = this.#station
    const { limits, accounts } = this.#deps
    if (!this.isOn) throw new NoMailServer()
    limits.take(CONFIRMATIONS, caller.accountId)
    await accounts.requirePassword(caller, wanted.password)
    const token = newSecret('email')
    const { accountId, name } = caller
    const { email } = wanted
    const now = clock.now()
    const claim = { address: addressOf(email), account: accountId, now }
    await this.#claim(claim)
    const expiresAt = now + LINK_MS
    await store.call('saveEmailLink', { hash: secretHash(token), accountId, email, expiresAt })
    const link = `${request.origin}/confirm-email#${token}`
    const problem = await this.#send(email, { purpose: 'confirm', name, link }, request)
    if (problem === null) return
    await store.call('returnAccountMail', claim)
    throw new MailNotSent(email)
  }

  /**
   * The limits apply to the address, however many accounts request it: it may be a stranger's until
   * its link is opened.
   */
  async #claim(mail: MailboxKey & { now: number }): Promise<void> {
    const { store } = this.#station
    const claim = await store.call('claimAccountMail', mail)
    if (claim.isSuppressed) {
      throw AlertRefused.address(mail.address, 'its owner wants no mail of this station')
    }
    if (claim.waitMs > 0) throw new RateLimited('mails to this address', claim.waitMs)
  }

  async confirmEmail(args: { token: string; address: string }): Promise<MailedAccount> {
    const { store, clock, eventLog } = this.#station
    this.#deps.limits.take(LINKS_USED, placeOf(args.address))
    const link = { hash: secretHash(args.token), now: clock.now() }
    const confirmed = await store.call('confirmEmail', link)
    const { id, name } = confirmed
    const sentence = `The e-mail address of ${name} was confirmed.`
    eventLog.note({ code: 'account:email', subject: id, sentence, details: { name }, by: id })
    return confirmed
  }

  /**
   * Whether there is such an account shows neither in the answer nor in its time: it is given before anything is
   * looked up.
   */
  requestReset(args: { account: string; address: string }, request: MailRequest): void {
    const { limits } = this.#deps
    if (!this.isOn) throw new NoMailServer()
    const place = placeOf(args.address)
    limits.take(RESETS_BY_PLACE, place)
    limits.take(RESETS_BY_NAME, `${args.account.toLowerCase()} ${place}`)
    if (this.#waiting >= WAITING_MOST) return
    this.#waiting++
    this.#queue = this.#queue
      .then(() => this.#sendResets(args.account, request))
      // The store is closing, or busy for too long: the mail can be requested again.
      .catch(() => {})
      .finally(() => this.#waiting--)
  }

  async #sendResets(account: string, request: MailRequest): Promise<void> {
    const { store } = this.#station
    const found = await store.call('listMailedAccounts', { account })
    for (const each of found) await this.#sendReset(each, request)
  }

  async #sendReset({ id, name, email }: MailedAccount, request: MailRequest): Promise<void> {
    const { store, clock, eventLog } = this.#station
    const { limits } = this.#deps
    if (!isWithin(limits, id)) return
    const token = newSecret('reset')
    const now = clock.now()
    const reset = { hash: secretHash(token), accountId: id, now, expiresAt: now + LINK_MS }
    await store.call('createMailedReset', reset)
    const link = `${request.origin}/reset#${token}`
    const problem = await this.#send(email, { purpose: 'reset', name, link }, request)
    const noted = { subject: id, details: { name } }
    if (problem === null) {
      const sentence = `A link to a new password was mailed to ${name}.`
      eventLog.note({ code: 'account:reset-mailed', sentence, ...noted })
    } else {
      const sentence = `A link to a new password of ${name} could not be mailed.`
      eventLog.note({ code: 'account:mail-failed', sentence, ...noted })
    }
  }

  #send(
    to: string,
    facts: Omit<AccountMailFacts, 'language'>,
    request: MailRequest,
  ): Promise<string | null> {
    const { settings } = this.#station
    const { sendMail } = this.#deps
    const language = request.language ?? settings.current().messageLanguage
    if (sendMail === null) throw new NoMailServer()
    const text = composeAccountMail({ ...facts, language })
    return sendMail({ ...text, to, deliveryId: `account.${randomUUID()}`, stopUrl: null })
  }
}

function isWithin(limits: RateLimits, accountId: string): boolean {
  try {
    limits.take(RESETS_BY_ACCOUNT, accountId)
    return true
  } catch {
    return false
  }
}

type Purpose = 'confirm' | 'reset'

interface Words {
  subject: string
  lead: string
  /** What to do when the mail was not requested. */
  otherwise: string
}

const WORDS: Record<AlertLanguage, Record<Purpose, Words>> = {
  en: {
    confirm: {
      subject: 'Confirm your e-mail address',
      lead: 'The account {name} at {host} wants to use this address. Open the link within an hour to confirm it:',
      otherwise: 'If that is not your account, do nothing: the address is not used then.',
    },
    reset: {
      subject: 'A new password for {name}',
      lead: 'A new password was requested for the account {name} at {host}. Open the link within an hour to choose it:',
      otherwise: 'If you did not request it, do nothing: your password stays as it is.',
    },
  },
  es: {
    confirm: {
      subject: 'Confirma tu dirección de correo',
      lead: 'La cuenta {name} de {host} quiere usar esta dirección. Abre el enlace antes de una hora para confirmarla:',
      otherwise: 'Si la cuenta no es tuya, no hagas nada: la dirección no se usará.',
    },
    reset: {
      subject: 'Una contraseña nueva para {name}',
      lead: 'Se pidió una contraseña nueva para la cuenta {name} de {host}. Abre el enlace antes de una hora para elegirla:',
      otherwise: 'Si no la pediste, no hagas nada: tu contraseña sigue igual.',
    },
  },
  pt: {
    confirm: {
      subject: 'Confirma o teu endereço de correio',
      lead: 'A conta {name} de {host} quer usar este endereço. Abre a ligação dentro de uma hora para o confirmar:',
      otherwise: 'Se a conta não é tua, não faças nada: o endereço não será usado.',
    },
    reset: {
      subject: 'Uma palavra-passe nova para {name}',
      lead: 'Foi pedida uma palavra-passe nova para a conta {name} de {host}. Abre a ligação dentro de uma hora para a escolher:',
      otherwise: 'Se não a pediste, não faças nada: a tua palavra-passe fica como está.',
    },
  },
}

interface AccountMailFacts {
  purpose: Purpose
  language: AlertLanguage
  name: string
  link: string
}

/** What mails about an account say. {…} stand for facts. */
function composeAccountMail(facts: AccountMailFacts): MailText {
  const { purpose, language, name, link } = facts
  const words = WORDS[language][purpose]
  const { host } = new URL(link)
  const filled = (text: string): string =>
    text.replaceAll('{name}', () => name).replaceAll('{host}', () => host)
  const [subject, lead] = [filled(words.subject), filled(words.lead)]
  return {
    subject,
    text: `${lead}\n\n${link}\n\n${words.otherwise}\n`,
    html: html`<!doctype html>
      <html>
        <head>
          <meta charset="utf-8" />
          <title>${subject}</title>
        </head>
        <body style="font-family:sans-serif;max-width:44rem">
          <p>${lead}</p>
          <p><a href="${link}">${link}</a></p>
          <p>${words.otherwise}</p>
        </body>
      </html> `.text,
  }
}
