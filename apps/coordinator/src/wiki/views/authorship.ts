/** Who wrote each word of a revision. */
import type { WikiAuthorship } from '@minga/protocol'
import type { StoredRevision } from '@minga/wiki'
import { NoSuchRevision } from '../errors.ts'
import { followHistory } from '../read/text-worker.ts'
import type { PageParts } from '../histories/find-page.ts'
import { authoredRuns } from './authored-runs.ts'
import { askedPage, type PageAsked } from './page-track.ts'

/** By default for the newest revision. */
export async function readAuthorship(
  parts: PageParts,
  wiki: string,
  asked: PageAsked & { revId?: number | undefined },
): Promise<WikiAuthorship> {
  const { key, page } = await askedPage(parts, wiki, asked)
  const options = { withText: true, onLost: () => {} }
  const seen: Seen = { revId: null, text: null }
  const rows = parts.revisions.history(key, { pageId: page.pageId }, options)
  const history = await followHistory(upTo(rows, asked.revId ?? null, seen))
  const isFound = asked.revId === undefined || seen.revId === asked.revId
  if (!isFound || seen.revId === null || seen.text === null) {
    throw new NoSuchRevision(key, asked.revId ?? page.lastRevId ?? 0)
  }
  const { editors, tokens } = history
  const places = new Map(editors.map(({ user }, place) => [user, place]))
  return {
    revId: seen.revId,
    authors: editors.map(({ user, added, present, share }) => ({ user, added, present, share })),
    runs: authoredRuns(seen.text, tokens, (user) => places.get(user) ?? 0),
  }
}

interface Seen {
  revId: number | null
  text: string | null
}

/** The history up to a revision, this one included. */
async function* upTo(
  rows: AsyncGenerator<StoredRevision>,
  revId: number | null,
  seen: Seen,
): AsyncGenerator<StoredRevision> {
  for await (const row of rows) {
    const text = row.slots.find(({ role }) => role === 'main')?.text ?? null
    seen.revId = row.revId
    seen.text = text === null ? null : Buffer.from(text).toString('utf8')
    yield row
    if (row.revId === revId) return
  }
}
