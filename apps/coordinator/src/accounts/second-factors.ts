/** The second factor of a log-in by password: a code of an authenticator app, or a recovery code in its place. */
import { randomBytes } from 'node:crypto'
import {
  BadCode,
  findTotpStep,
  newTotpSecret,
  SecondFactorNeeded,
  SecondFactorOn,
  secretHash,
  toBase32,
  totpUri,
  type StoredTotp,
} from '@minga/fleet'
import type { RateLimits } from '../http/request-limits/rate-limits.ts'
import type { Station } from '../station/station.ts'

/** With three codes of a million accepted at a time, a day of guessing finds one once in a thousand. */
const WRONG_CODES = { what: 'the code', burst: 5, everyMs: 5 * 60_000 }
const RECOVERY_CODES = 10
/** 80 bits: a fast digest is as good as a slow one. */
const RECOVERY_BYTES = 10

interface Named {
  accountId: string
  name: string
}

export class SecondFactors {
  readonly #station: Station
  readonly #limits: RateLimits

  constructor(station: Station, limits: RateLimits) {
    this.#station = station
    this.#limits = limits
  }

  /** A new secret for the app. It counts when a code of it is shown. */
  async begin({ accountId, name }: Named, host: string): Promise<{ secret: string; uri: string }> {
    const { store, secrets } = this.#station
    const secret = newTotpSecret()
    const sealed = secrets.seal(secret.toString('base64'))
    await store.call('saveTotp', { accountId, secret: sealed })
    return { secret: toBase32(secret), uri: totpUri(secret, { issuer: `Minga ${host}`, name }) }
  }

  /** Answers the recovery codes, this once. */
  async confirm({ accountId, name }: Named, code: string): Promise<string[]> {
    const { store, clock } = this.#station
    this.#limits.take(WRONG_CODES, accountId)
    const stored = await store.call('readTotp', { accountId })
    if (stored === null) throw new BadCode()
    if (stored.confirmedAt !== null) throw new SecondFactorOn()
    const step = this.#stepOf(stored, code)
    if (step === null) throw new BadCode()
    const codes = Array.from({ length: RECOVERY_CODES }, newRecoveryCode)
    const hashes = codes.map((each) => recoveryHash(accountId, each))
    const confirmed = { accountId, secret: stored.secret, step, hashes, now: clock.now() }
    if (!(await store.call('confirmTotp', confirmed))) throw new BadCode()
    this.#limits.giveBack(WRONG_CODES, accountId)
    this.#note('account:factor-on', { accountId, name }, accountId)
    return codes
  }

  /** Nothing for an account without a second factor. */
  async require({ accountId, name }: Named, code: string | null): Promise<void> {
    const { store, eventLog } = this.#station
    const stored = await store.call('readTotp', { accountId })
    if (stored === null || stored.confirmedAt === null) return
    if (code === null) throw new SecondFactorNeeded()
    this.#limits.take(WRONG_CODES, accountId)
    if (!(await this.#isSpent(accountId, stored, code))) {
      const sentence = `A wrong code of the second factor of ${name} was tried.`
      eventLog.note({
        code: 'account:code-refused',
        subject: accountId,
        sentence,
        details: { name },
      })
      throw new BadCode()
    }
    this.#limits.giveBack(WRONG_CODES, accountId)
  }

  /** Removed by an operator, for a user who lost both app and codes, or by its owner. */
  async remove({ accountId, name }: Named, by: string): Promise<void> {
    const { store, clock } = this.#station
    const args = { accountId, by, now: clock.now() }
    const wasOn = await store.call('removeSecondFactor', args)
    if (wasOn) this.#note('account:factor-off', { accountId, name }, by)
  }

  async #isSpent(accountId: string, stored: StoredTotp, code: string): Promise<boolean> {
    const { store, clock } = this.#station
    const step = this.#stepOf(stored, code)
    if (step !== null) return store.call('spendTotpStep', { accountId, step })
    const hash = recoveryHash(accountId, code)
    return store.call('spendRecoveryCode', { accountId, hash, now: clock.now() })
  }

  #stepOf({ secret }: StoredTotp, code: string): number | null {
    const { secrets, clock } = this.#station
    const bytes = Buffer.from(secrets.open(secret), 'base64')
    return findTotpStep(bytes, code.replaceAll(' ', ''), clock.now())
  }

  #note(
    code: 'account:factor-on' | 'account:factor-off',
    { accountId, name }: Named,
    by: string,
  ): void {
    const sentence =
      code === 'account:factor-on'
        ? `Log-ins of ${name} need a second factor from now on.`
        : `Log-ins of ${name} need no second factor from now on.`
    this.#station.eventLog.note({ code, subject: accountId, sentence, details: { name }, by })
  }
}

/** As in `ABCD-EFGH-IJKL-MNOP`. */
function newRecoveryCode(): string {
  return toBase32(randomBytes(RECOVERY_BYTES)).replaceAll(/.{4}(?=.)/g, '$&-')
}

/** However it was typed. */
function recoveryHash(accountId: string, code: string): string {
  const letters = code.toUpperCase().replaceAll(/[^A-Z2-7]/g, '')
  return secretHash(`recovery ${accountId} ${letters}`)
}
