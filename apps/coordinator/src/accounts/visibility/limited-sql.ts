/**
 * The one place that decides who may read what. An operation that is run for a viewer gets an `Sql` in which the names of
 * tables mean those rows of them that this viewer may see: before each SELECT stand common table expressions of the same
 * names. So no operation, and none that is written later, has a rule of its own about it.
 *
 * `hidden_collections` is what the viewer may not see; everything with a number of a collection follows from it. Captures
 * of clients' requests lie in one hidden collection, and those that answered a request are shown to its client and to
 * those with whom the batch is shared.
 */
import { StoreMisused, type Row, type SelectMany, type Sql } from '@minga/store'
import { accountOf, type Viewer } from './viewer.ts'

interface Part {
  sql: string
  params: Row
}

/** Tables whose rows belong to a collection, with the column that names it. */
const OF_COLLECTION: Readonly<Record<string, string>> = {
  collections: 'id',
  collection_errors: 'collection_id',
  collection_facets: 'collection_id',
  collection_hosts: 'collection_id',
  collection_samples: 'collection_id',
  collection_trail: 'collection_id',
  urls: 'collection_id',
  watches: 'collection_id',
  forecasts: 'collection_id',
  visit_chains: 'collection_id',
  sketches: 'collection_id',
  visits: 'collection_id',
  versions: 'collection_id',
  watch_trail: 'collection_id',
  watch_sources: 'collection_id',
  websub_subscriptions: 'collection_id',
  notices: 'collection_id',
  alert_rules: 'collection_id',
  alerts: 'collection_id',
}

/** Tables whose rows belong to a wiki, with the column that names it. */
const OF_WIKI: Readonly<Record<string, string>> = {
  wikis: 'id',
  wiki_pages: 'wiki_id',
  wiki_titles: 'wiki_id',
  wiki_events: 'wiki_id',
  wiki_gaps: 'wiki_id',
  wiki_batches: 'wiki_id',
  wiki_pending: 'wiki_id',
  wiki_segments: 'wiki_id',
  wiki_superseded: 'wiki_id',
  wiki_folds: 'wiki_id',
  wiki_purges: 'wiki_id',
  wiki_checkpoints: 'wiki_id',
}

/** Of tasks, questions are their askers' alone; their answers may be of any wiki. */
const WIKI_TASKS = `SELECT t.* FROM TABLE_ t
  WHERE (t.collection_id IS NULL OR t.collection_id NOT IN (SELECT id FROM hidden_collections))
    AND (t.wiki_id IS NULL OR t.wiki_id NOT IN (SELECT id FROM hidden_wikis))
    AND (t.kind <> 'metric' OR t.arguments LIKE ?)`

/** Tables that follow from the captures that are seen, in the order in which they refer to each other. */
const OF_CAPTURES: Readonly<Record<string, string>> = {
  text_captures: `SELECT m.* FROM TABLE_ m WHERE EXISTS
    (SELECT 1 FROM captures c WHERE c.id = m.capture_id)`,
  superseded_records: `SELECT s.* FROM TABLE_ s WHERE EXISTS
    (SELECT 1 FROM captures c WHERE c.id = s.capture_id)`,
  // A row stands for all captures of an address: its title and times are those of the captures that are seen.
  archived_urls: `SELECT u.url_key, u.host_id, u.hash, u.url,
      (SELECT c.title FROM captures c WHERE c.host_id = u.host_id AND c.hash = u.hash
         AND c.title IS NOT NULL ORDER BY c.captured_at DESC LIMIT 1) AS title,
      (SELECT MIN(c.captured_at) FROM captures c
         WHERE c.host_id = u.host_id AND c.hash = u.hash) AS first_at,
      (SELECT MAX(c.captured_at) FROM captures c
         WHERE c.host_id = u.host_id AND c.hash = u.hash) AS last_at
    FROM TABLE_ u WHERE EXISTS
      (SELECT 1 FROM captures c WHERE c.host_id = u.host_id AND c.hash = u.hash)`,
}

/** Tables with the number of a collection that readers reach by no operation of theirs. */
export const NOT_READ: Readonly<Record<string, string>> = {
  trap_places: 'counters of the frontier',
  host_leases: 'leases, for agents',
  reserved_urls: 'second opinions, for agents',
  audits: 'of devices, for operators',
  twin_requests: 'of visits, for agents',
  request_details: 'of a device, for its owner',
  collection_sweeps: 'how far a change of scope came',
  watch_hooks: 'secrets of a watch, by its number only, which is checked before',
  watch_seen: 'what an account has seen of a watch, joined to the watches it sees',
  sent_urls: 'between stations',
  federation_outbox: 'between stations',
  kept_batches: 'between stations',
  takedowns: 'tombstones, shown to those who name their address',
  lake_doomed: 'rows that are to leave the tables of the lake',
}

export const LIMITED_TABLES: ReadonlySet<string> = new Set([
  ...Object.keys(OF_COLLECTION),
  'captures',
  ...Object.keys(OF_CAPTURES),
  ...Object.keys(OF_WIKI),
  'wiki_tasks',
])

/** Not written with COALESCE or OR at the top: the index of private collections answers it. */
function hiddenCollections({ isReader }: Viewer, table: string): string {
  const which = isReader ? `h.visibility = 'private'` : `h.visibility <> 'public'`
  return `SELECT h.id FROM ${table} h WHERE ${which} AND (h.owner IS NULL OR h.owner <> ?)
    AND NOT EXISTS (SELECT 1 FROM readers r WHERE r.kind = 'collection'
      AND r.subject = CAST(h.id AS TEXT) AND r.account = ?)`
}

function hiddenWikis({ isReader }: Viewer, table: string): string {
  const which = isReader ? `w.visibility = 'private'` : `w.visibility <> 'public'`
  return `SELECT w.id FROM ${table} w WHERE ${which} AND (w.owner IS NULL OR w.owner <> ?)
    AND NOT EXISTS (SELECT 1 FROM readers r WHERE r.kind = 'wiki'
      AND r.subject = CAST(w.id AS TEXT) AND r.account = ?)`
}

/** The captures that answered requests of the viewer, or of a batch that is shared with them. */
const ANSWERED = `EXISTS (SELECT 1 FROM requests q JOIN batches b ON b.id = q.batch_id
  WHERE q.outcome = 'captured' AND q.host_id = k.host_id AND q.hash = k.hash
    AND q.captured_at = k.captured_at
    AND (b.client = ? OR EXISTS (SELECT 1 FROM readers r
      WHERE r.kind = 'batch' AND r.subject = b.id AND r.account = ?)))`

const NOT_HIDDEN = 'NOT IN (SELECT id FROM hidden_collections)'

/** What the database itself calls a table, where an expression of the same name hides it. */
const wholeName = (sql: Sql, table: string): string =>
  sql.dialect === 'sqlite' ? `main.${table}` : table

/** The numbers of the collections that the viewer may not see, or that of one if it is hidden. */
export async function listHidden(
  sql: Sql,
  viewer: Viewer,
  id: number | null = null,
): Promise<number[]> {
  const account = accountOf(viewer)
  const one = id === null ? '' : ' AND h.id = ?'
  const rows = await sql.all<{ id: number }>(
    `${hiddenCollections(viewer, 'collections')}${one}`,
    id === null ? [account, account] : [account, account, id],
  )
  return rows.map((row) => row.id)
}

/** The keys of the wikis that the viewer may not see. */
export async function listHiddenWikis(sql: Sql, viewer: Viewer): Promise<string[]> {
  const account = accountOf(viewer)
  const rows = await sql.all<{ key: string }>(
    `SELECT key FROM wikis WHERE id IN (${hiddenWikis(viewer, 'wikis')})`,
    [account, account],
  )
  return rows.map(({ key }) => key)
}

/** An indexed look: most stations hide nothing, and then nothing of what follows costs anything. */
async function isAnythingHidden(sql: Sql, viewer: Viewer): Promise<boolean> {
  const account = accountOf(viewer)
  const collections = `${hiddenCollections(viewer, 'collections')} LIMIT 1`
  if ((await sql.get(collections, [account, account])) !== undefined) return true
  const wikis = `${hiddenWikis(viewer, 'wikis')} LIMIT 1`
  return (await sql.get(wikis, [account, account])) !== undefined
}

/** The same database as a viewer sees it. */
export async function limitSql(sql: Sql, viewer: Viewer): Promise<Sql> {
  return (await isAnythingHidden(sql, viewer)) ? new LimitedSql(sql, viewer) : sql
}

/**
 * All rows, for an operation that has found what the viewer may see and looks for what belongs to it: the payload of a
 * revisit that they see may lie in a collection that they do not.
 */
export function wholeSql(sql: Sql): Sql {
  return sql instanceof LimitedSql ? sql.whole : sql
}

export const isLimited = (sql: Sql): boolean => sql instanceof LimitedSql

class LimitedSql implements Sql {
  readonly dialect: Sql['dialect']
  readonly forUpdateSkipLocked = ''
  readonly whole: Sql
  readonly #viewer: Viewer
  readonly #known = new Map<string, Part>()

  constructor(whole: Sql, viewer: Viewer) {
    this.dialect = whole.dialect
    this.whole = whole
    this.#viewer = viewer
  }

  all<R>(sql: string, params: Row = []): Promise<R[]> {
    const limited = this.#limit(sql)
    return this.whole.all<R>(limited.sql, [...limited.params, ...params])
  }

  get<R>(sql: string, params: Row = []): Promise<R | undefined> {
    const limited = this.#limit(sql)
    return this.whole.get<R>(limited.sql, [...limited.params, ...params])
  }

  /** One by one: lists show a few. */
  async selectMany<R>(query: SelectMany): Promise<(R | undefined)[]> {
    const { table, keys, rows, columns } = query
    if (!LIMITED_TABLES.has(table)) return this.whole.selectMany<R>(query)
    const where = keys.map((key) => `${key} = ?`).join(' AND ')
    const found: (R | undefined)[] = []
    for (const row of rows) {
      found.push(
        await this.get<R>(`SELECT ${columns.join(', ')} FROM ${table} WHERE ${where}`, row),
      )
    }
    return found
  }

  run = refused
  insertMany = refused
  insertNew = refused
  updateMany = refused
  deleteMany = refused
  append = refused
  wipe = refused

  /** Texts are few and constant; what stands before them is, too. */
  #limit(sql: string): Part {
    const known = this.#known.get(sql)
    if (known !== undefined) return known
    const limited = limitStatement(this.whole, this.#viewer, sql)
    this.#known.set(sql, limited)
    return limited
  }
}

function refused(): Promise<never> {
  throw new StoreMisused('An operation that is run for a viewer only reads.')
}

function limitStatement(whole: Sql, viewer: Viewer, sql: string): Part {
  const [, verb = ''] = /^\s*(SELECT|WITH(?!\s+RECURSIVE\b))\s/i.exec(sql) ?? []
  if (verb === '') return refusedStatement(sql)
  const before = expressionsFor(whole, viewer, sql)
  if (before.sql === '') return { sql, params: [] }
  const rest = verb.toUpperCase() === 'WITH' ? `, ${sql.replace(/^\s*WITH\s/i, '')}` : ` ${sql}`
  return { sql: `WITH ${before.sql}${rest}`, params: before.params }
}

function refusedStatement(sql: string): never {
  throw new StoreMisused(`A viewer reads by SELECT only, not by "${sql.trim().slice(0, 40)}".`)
}

/** Those of the tables that the text names, each after those that it refers to. */
function expressionsFor(whole: Sql, viewer: Viewer, sql: string): Part {
  const isNamed = (table: string): boolean => new RegExp(`\\b${table}\\b`).test(sql)
  const derived = Object.entries(OF_CAPTURES).filter(([table]) => isNamed(table))
  const direct = Object.entries(OF_COLLECTION).filter(([table]) => isNamed(table))
  const ofWiki = Object.entries(OF_WIKI).filter(([table]) => isNamed(table))
  const hasTasks = isNamed('wiki_tasks')
  const hasCaptures = derived.length > 0 || isNamed('captures')
  const isOfWikis = hasTasks || ofWiki.length > 0
  if (!hasCaptures && !isOfWikis && direct.length === 0) return { sql: '', params: [] }
  const account = accountOf(viewer)
  const hidden = hiddenCollections(viewer, wholeName(whole, 'collections'))
  const parts = [`hidden_collections AS (${hidden})`]
  const params = [account, account]
  if (isOfWikis) {
    parts.push(`hidden_wikis AS (${hiddenWikis(viewer, wholeName(whole, 'wikis'))})`)
    params.push(account, account)
  }
  if (hasCaptures) {
    parts.push(
      named(
        'captures',
        `SELECT k.* FROM ${wholeName(whole, 'captures')} k
         WHERE (k.collection_id ${NOT_HIDDEN} OR ${ANSWERED})`,
      ),
    )
    params.push(account, account)
  }
  for (const [table, text] of derived) {
    parts.push(named(table, text.replace('TABLE_', wholeName(whole, table))))
  }
  if (hasTasks) {
    parts.push(named('wiki_tasks', WIKI_TASKS.replace('TABLE_', wholeName(whole, 'wiki_tasks'))))
    params.push(`%"owner":"${account}"%`)
  }
  for (const [table, column] of ofWiki) {
    const select = `SELECT t.* FROM ${wholeName(whole, table)} t`
    parts.push(named(table, `${select} WHERE t.${column} NOT IN (SELECT id FROM hidden_wikis)`))
  }
  for (const [table, column] of direct) {
    parts.push(
      named(
        table,
        `SELECT t.* FROM ${wholeName(whole, table)} t
         WHERE (t.${column} IS NULL OR t.${column} ${NOT_HIDDEN})`,
      ),
    )
  }
  return { sql: parts.join(',\n'), params }
}

/** Not computed as a whole: the conditions of the question go into it, and with them the indexes. */
const named = (table: string, text: string): string => `${table} AS NOT MATERIALIZED (${text})`
