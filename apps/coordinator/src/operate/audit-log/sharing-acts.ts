/** Who may read a thing, as it was set: each entry has the whole state after the act. */
import type { Sharing } from '@minga/protocol'
import type { NewAuditEntry, Sql } from '@minga/store'
import { findWiki } from '@minga/wiki'
import type { SharedKind } from '../../accounts/visibility/sharing.ts'
import type { By } from './account-acts.ts'
import type { EntriesOf } from './audited-operations.ts'

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

export const sharingActs = {
  shareCollectionWith,
  shareBatchWith,
  shareWikiWith,
  shareTable,
  shareSaved,
}
