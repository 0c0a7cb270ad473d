/** Acts on accounts: who may do what, with which secret, and with how much money. */
import type {
  Account,
  ApiKey,
  CreateJoinTokenArgs,
  CreateKeyArgs,
  CreateResetArgs,
  Posted,
  RotateKeyArgs,
  TopUpArgs,
} from '@minga/fleet'
import type { NewAuditEntry } from '@minga/store'
import { SIGN_IN } from '../../accounts/sign-in-links.ts'
import type { EntriesOf } from './audited-operations.ts'

/** Who does it; without one it is the station itself, or a command on its machine. */
export interface By {
  by?: string | null
}

type Args<T> = T & By & { now: number }

const topUp: EntriesOf<TopUpArgs & By, Posted> = (
  { by = null, at, client, micros, id },
  { outcome },
) =>
  outcome === 'posted'
    ? [{ at, actor: by, act: 'budget:top-up', subject: client, details: { micros, posting: id } }]
    : []

interface Quota {
  client: string
  openMax: number | null
  dayMax: number | null
}

const setQuota: EntriesOf<Args<Quota>, void> = ({ by = null, now, client, openMax, dayMax }) => [
  { at: now, actor: by, act: 'budget:quota', subject: client, details: { openMax, dayMax } },
]

const registerAccount: EntriesOf<Args<{ id: string; roles: readonly string[] }>, Account> = ({
  by = null,
  now,
  id,
  roles,
}) => [
  { at: now, actor: by, act: 'account:made', subject: id, details: { roles: roles.join(' ') } },
]

const setRoles: EntriesOf<Args<{ id: string; roles: readonly string[] }>, Account> = ({
  by = null,
  now,
  id,
  roles,
}) => [
  { at: now, actor: by, act: 'account:roles', subject: id, details: { roles: roles.join(' ') } },
]

const changePassword: EntriesOf<Args<{ id: string }>, void> = ({ id, now }) => [
  { at: now, actor: id, act: 'account:password', subject: id, details: {} },
]

const createReset: EntriesOf<CreateResetArgs, { accountId: string }> = (args, { accountId }) => {
  const { now, madeBy, expiresAt } = args
  const details = { expiresAt }
  return [{ at: now, actor: madeBy, act: 'account:reset-made', subject: accountId, details }]
}

const consumeReset: EntriesOf<{ now: number }, { accountId: string }> = (
  { now },
  { accountId },
) => [{ at: now, actor: accountId, act: 'account:reset-used', subject: accountId, details: {} }]

/** `account`: the key's, who is the only one to make or to replace it. */
function keyEntry(act: string, now: number, key: ApiKey): NewAuditEntry {
  const { id, accountId, scopes, expiresAt } = key
  const details = { account: accountId, scopes: scopes?.join(' ') ?? null, expiresAt }
  return { at: now, actor: accountId, act, subject: id, details }
}

const createKey: EntriesOf<CreateKeyArgs, ApiKey> = ({ now }, key) => [
  keyEntry('key:made', now, key),
]

const rotateKey: EntriesOf<RotateKeyArgs, ApiKey> = ({ now, id }, key) => {
  const entry = keyEntry('key:replaced', now, key)
  return [{ ...entry, details: { ...entry.details, former: id } }]
}

const revokeKey: EntriesOf<Args<{ id: string }>, ApiKey> = ({ by = null, now }, key) => [
  { ...keyEntry('key:revoked', now, key), actor: by },
]

/** The key of station.json, when it is a new one. */
const ensureOperator: EntriesOf<{ now: number }, { newKey: string | null }> = (
  { now },
  { newKey },
) => {
  if (newKey === null) return []
  const details = { account: 'operator', scopes: null, expiresAt: null }
  return [{ at: now, actor: null, act: 'key:made', subject: newKey, details }]
}

const createJoinToken: EntriesOf<CreateJoinTokenArgs, void> = (args) => {
  const { now, owner, id, isReusable, isTrusted, expiresAt } = args
  const details = { isReusable, isTrusted, expiresAt }
  return [{ at: now, actor: owner, act: 'join-token:made', subject: id, details }]
}

/**
 * Within one process each start makes a token that is never shown: opening a folder is not an act.
 */
const ensureStationToken: EntriesOf<
  { now: number; isUnshown?: boolean },
  { isNew: boolean; id: string }
> = ({ now, isUnshown = false }, { isNew, id }) => {
  const details = { isReusable: true, isTrusted: true, expiresAt: null }
  if (!isNew || isUnshown) return []
  return [{ at: now, actor: null, act: 'join-token:made', subject: id, details }]
}

const revokeJoinToken: EntriesOf<Args<{ id: string }>, void> = ({ by = null, now, id }) => [
  { at: now, actor: by, act: 'join-token:revoked', subject: id, details: {} },
]

interface Ticket {
  address: string
  lifeMs?: number
}

/** A ticket for one download is no act worth a row; one that opens a session is. */
const keepTicket: EntriesOf<Args<Ticket>, void> = ({ by = null, now, address, lifeMs = 0 }) => {
  if (address !== SIGN_IN) return []
  const details = { expiresAt: now + lifeMs }
  return [{ at: now, actor: by, act: 'sign-in-link:made', subject: by ?? 'operator', details }]
}

const signInByLink: EntriesOf<{ now: number }, { accountId: string }> = (
  { now },
  { accountId },
) => [{ at: now, actor: accountId, act: 'sign-in-link:used', subject: accountId, details: {} }]

export const accountActs = {
  topUp,
  setQuota,
  registerAccount,
  setRoles,
  changePassword,
  createReset,
  consumeReset,
  createKey,
  rotateKey,
  revokeKey,
  ensureOperator,
  createJoinToken,
  ensureStationToken,
  revokeJoinToken,
  keepTicket,
  signInByLink,
}
