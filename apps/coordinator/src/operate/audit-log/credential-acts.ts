/** Acts on the ways into an account, on its mailbox, and on the account as a whole. */
import { createHash } from 'node:crypto'
import type { NewAuditEntry, Sql } from '@minga/store'
import type { Sharing } from '@minga/protocol'
import { findWiki } from '@minga/wiki'
import type { DeleteAccountArgs } from '../../accounts/account-ends.ts'
import type { SharedKind } from '../../accounts/visibility/sharing.ts'
import type { By } from './account-acts.ts'
import type { EntriesOf } from './audited-operations.ts'

interface Own {
  accountId: string
  now: number
}

const DIGEST_CHARS = 16

function ownEntry(act: string, { accountId, now }: Own): NewAuditEntry {
  return { at: now, actor: accountId, act, subject: accountId, details: {} }
}

const confirmTotp: EntriesOf<Own, boolean> = (args, isConfirmed) =>
  isConfirmed ? [ownEntry('account:factor-on', args)] : []

/** By its owner, or by an operator for who lost both app and codes. */
const removeSecondFactor: EntriesOf<Own & By, boolean> = ({ by = null, ...args }, wasOn) =>
  wasOn ? [{ ...ownEntry('account:factor-off', args), actor: by }] : []

const addPasskey: EntriesOf<Own & { id: string }, unknown> = (args) => [
  { ...ownEntry('account:passkey-added', args), details: { passkey: args.id } },
]

const removePasskey: EntriesOf<Own & { id: string }, void> = (args) => [
  { ...ownEntry('account:passkey-removed', args), details: { passkey: args.id } },
]

/** The issuer alone: what it calls the person is not the audit log's to keep. */
const linkIdentity: EntriesOf<Own & { issuer: string }, void> = (args) => [
  { ...ownEntry('account:linked', args), details: { issuer: args.issuer } },
]

const unlinkIdentity: EntriesOf<Own & { id: string }, void> = (args) => [
  { ...ownEntry('account:unlinked', args), details: { identity: args.id } },
]

interface ByIdentity {
  id: string
  issuer: string
  roles: readonly string[]
  now: number
}

const registerIdentity: EntriesOf<ByIdentity, boolean> = (args, isNew) => {
  const { id: accountId, now, issuer, roles } = args
  if (!isNew) return []
  const made = ownEntry('account:made', { accountId, now })
  return [{ ...made, details: { roles: roles.join(' '), issuer } }]
}

const confirmEmail: EntriesOf<{ now: number }, { id: string }> = ({ now }, { id: accountId }) => [
  ownEntry('account:email', { accountId, now }),
]

const removeEmail: EntriesOf<Own, void> = (args) => [ownEntry('account:email-removed', args)]

interface Exported {
  id: string
  /** An operator; who exports their own account is not written down. */
  by?: string | undefined
  now: number
}

const exportAccount: EntriesOf<Exported, unknown> = ({ id, by, now }) =>
  by === undefined
    ? []
    : [{ at: now, actor: by, act: 'account:exported', subject: id, details: {} }]

const deleteAccount: EntriesOf<DeleteAccountArgs & By, unknown> = ({ id, by = null, now }) => [
  { at: now, actor: by, act: 'account:deleted', subject: id, details: {} },
]

interface Suppressed extends By {
  address: string
  now: number
}

/**
 * Recorded by a digest: a person who knows the address finds its entry, and the log, which cannot
 * forget, contains no addresses.
 */
const suppressAddress: EntriesOf<Suppressed, void> = ({ address, by = null, now }) => {
  const digest = createHash('sha256').update(address).digest('hex').slice(0, DIGEST_CHARS)
  return [{ at: now, actor: by, act: 'mail:suppressed', subject: `sha256 ${digest}`, details: {} }]
}

export const credentialActs = {
  confirmTotp,
  removeSecondFactor,
  addPasskey,
  removePasskey,
  linkIdentity,
  unlinkIdentity,
  registerIdentity,
  confirmEmail,
  removeEmail,
  exportAccount,
  deleteAccount,
  suppressAddress,
}

type Args<T> = T & By & { now: number }

interface SharedSubject {
  kind: SharedKind
  /** By which the list of readers knows it. */
  subject: string
  /** By which people know it, when that is another. */
  name?: string
}

/** Readers by their ids, which the answer does not have: it has their names. */
async function sharingEntry(
  sql: Sql,
  { now, by = null }: Args<object>,
  shared: SharedSubject & Pick<Sharing, 'visibility'>,
): Promise<NewAuditEntry> {
  const { kind, subject, name = subject, visibility } = shared
  const readers = await sql.all<{ account: string }>(
    'SELECT account FROM readers WHERE kind = ? AND subject = ? ORDER BY account',
    [kind, subject],
  )
  const sharedWith = readers.map(({ account }) => account).join(' ')
  const details = { visibility, sharedWith }
  return { at: now, actor: by, act: `${kind}:sharing`, subject: name, details }
}

const shareCollectionWith: EntriesOf<Args<{ id: number }>, Sharing> = async (
  args,
  { visibility },
  sql,
) => [await sharingEntry(sql, args, { kind: 'collection', subject: String(args.id), visibility })]

const shareBatchWith: EntriesOf<Args<{ id: string }>, Sharing> = async (
  args,
  { visibility },
  sql,
) => [await sharingEntry(sql, args, { kind: 'batch', subject: args.id, visibility })]

const shareWikiWith: EntriesOf<Args<{ wiki: string }>, Sharing> = async (
  args,
  { visibility },
  sql,
) => {
  const { wikiId, key: name } = await findWiki(sql, args)
  const subject = String(wikiId)
  return [await sharingEntry(sql, args, { kind: 'wiki', subject, name, visibility })]
}

const shareTable: EntriesOf<Args<{ name: string }>, Sharing> = async (
  args,
  { visibility },
  sql,
) => {
  const { name } = args
  const table = await sql.get<{ id: number }>(
    'SELECT id FROM lake_tables WHERE name = ? AND dropped_at IS NULL',
    [name],
  )
  const subject = String(table!.id)
  return [await sharingEntry(sql, args, { kind: 'table', subject, name, visibility })]
}

const shareSaved: EntriesOf<Args<{ id: number }>, Sharing> = async (args, { visibility }, sql) => [
  await sharingEntry(sql, args, { kind: 'query', subject: String(args.id), visibility }),
]

/** Who may read a thing, as it was set: each entry has the whole state after the act. */
export const sharingActs = {
  shareCollectionWith,
  shareBatchWith,
  shareWikiWith,
  shareTable,
  shareSaved,
}
