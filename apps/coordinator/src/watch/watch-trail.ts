/** Manual changes of a watch: stored with user and time, and undoable. */
import type { ManualSetting, TrailView, WatchSettings } from '@minga/protocol'
import type { Sql } from '@minga/store'

export interface TrailEntry {
  collectionId: number
  by: string
  kind: TrailView['kind']
  before: object
  after: object
  now: number
}

export async function noteTrail(sql: Sql, entry: TrailEntry): Promise<void> {
  await sql.insertMany({
    table: 'watch_trail',
    columns: ['collection_id', 'at', 'by_account', 'kind', 'before_json', 'after_json'],
    rows: [
      [
        entry.collectionId,
        entry.now,
        entry.by,
        entry.kind,
        JSON.stringify(entry.before),
        JSON.stringify(entry.after),
      ],
    ],
  })
}

interface TrailText extends Omit<TrailView, 'before' | 'after'> {
  before: string
  after: string
}

const COLUMNS = `id, at, by_account AS "by", kind, before_json AS before, after_json AS after,
  undone_at AS "undoneAt", undone_by AS "undoneBy"`

/** Newest first. */
export async function watchTrail(
  sql: Sql,
  args: { id: number; before: number; limit: number },
): Promise<TrailView[]> {
  const rows = await sql.all<TrailText>(
    `SELECT ${COLUMNS} FROM watch_trail WHERE collection_id = ? AND id < ?
     ORDER BY id DESC LIMIT ?`,
    [args.id, args.before, args.limit],
  )
  return rows.map(trailIn)
}

/** The newest change that can be undone. */
export async function lastEdit(sql: Sql, collectionId: number): Promise<TrailView | null> {
  const row = await sql.get<TrailText>(
    `SELECT ${COLUMNS} FROM watch_trail
     WHERE collection_id = ? AND kind = 'edited' AND undone_at IS NULL ORDER BY id DESC LIMIT 1`,
    [collectionId],
  )
  return row ? trailIn(row) : null
}

function trailIn({ before, after, ...row }: TrailText): TrailView {
  return {
    ...row,
    before: JSON.parse(before) as Record<string, unknown>,
    after: JSON.parse(after) as Record<string, unknown>,
  }
}

const BY_HAND = ['periodMs', 'policy'] as const
/** A setting that was chosen longer ago than this many changes is shown without who chose it. */
const TRAIL_READ_MAX = 1_000

/** Which settings were set manually, and by whom. */
export async function byHandOf(
  sql: Sql,
  args: { collectionId: number; settings: WatchSettings },
): Promise<ManualSetting[]> {
  const chosen = BY_HAND.filter((setting) => args.settings[setting] !== null)
  if (chosen.length === 0) return []
  const page = { id: args.collectionId, before: Number.MAX_SAFE_INTEGER, limit: TRAIL_READ_MAX }
  const trail = await watchTrail(sql, page)
  return chosen.flatMap((setting) => {
    const entry = trail.find(({ after, undoneAt }) => undoneAt === null && setting in after)
    return entry === undefined ? [] : [{ setting, by: entry.by, at: entry.at }]
  })
}
