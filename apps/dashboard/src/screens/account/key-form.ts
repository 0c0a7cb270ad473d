/** From what the user chose to the requested key, and the current state of a key. */
import type { NewKey } from '../../api/people.ts'
import type { StatusKind } from '../../components/status-badge.tsx'
import type { ApiKey } from '../../api/station-api.ts'

export interface KeyForm {
  name: string
  /** Days, or empty for a key without an end. */
  days: string
  isNarrow: boolean
  scopes: readonly string[]
}

export const EMPTY_KEY: KeyForm = { name: '', days: '90', isNarrow: false, scopes: [] }
/** In days; empty: without an end. */
export const LIFETIMES = ['30', '90', '365', ''] as const

/** The station gives no key these alone: they lead to every other right. */
const NO_SCOPES: ReadonlySet<string> = new Set(['accounts:write', 'resets:make'])

export function scopesOffered(actions: readonly string[]): string[] {
  return actions.filter((action) => !NO_SCOPES.has(action))
}

const DAY_S = 86_400

/** Null while something is missing: a name, or the rights of a key that has only some. */
export function keyAsked({ name, days, isNarrow, scopes }: KeyForm): NewKey | null {
  if (name.trim() === '' || (isNarrow && scopes.length === 0)) return null
  return {
    name: name.trim(),
    scopes: isNarrow ? [...scopes] : null,
    lifetimeS: days === '' ? null : Number(days) * DAY_S,
  }
}

export interface KeyState {
  kind: StatusKind
  /** Under `keys.state` in the catalogues. */
  word: 'open' | 'replaced' | 'expired' | 'revoked'
}

export function keyStateOf(key: ApiKey, now: number): KeyState {
  if (key.revokedAt !== null) return { kind: 'bad', word: 'revoked' }
  if (key.expiresAt !== null && key.expiresAt <= now) return { kind: 'quiet', word: 'expired' }
  return key.replacedBy === null
    ? { kind: 'good', word: 'open' }
    : { kind: 'warn', word: 'replaced' }
}
