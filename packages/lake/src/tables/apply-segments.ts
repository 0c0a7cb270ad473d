/**
 * The one way in which tables change: segments come and go in one transaction, which is one new
 * version. It is called inside the transaction of the operation that wrote the files, so that a
 * query ends, or a cursor moves, exactly when its rows are there.
 *
 * Everything is checked before anything is changed: a caller may catch a refusal and end its own
 * work as failed in the same transaction.
 */
import type { Sql } from '@minga/store'
import { BadTable, SegmentGone, TableTaken, UnknownTable, WriterGone } from '../errors.ts'
import { checkLakeName } from '../files/lake-files.ts'
import type { Column, Segment, TableKind } from '../model.ts'
import { checkColumns, checkTableName, grownColumns, type KeptColumn } from './table-rules.ts'
import { tablesNamed, type TableRow } from './table-rows.ts'

export interface SegmentChange {
  table: string
  /** Columns of the segments; those that the table has not are added to it. */
  columns: readonly Column[]
  /** In the order of their rows. Files that the table knows are left out, and those without rows. */
  add: readonly Segment[]
  /** Files that go in the same version: all of them must be in the table now. `all`: whatever is in it. */
  replaces?: readonly string[] | 'all'
  /** A few words for people. */
  why: string
  /** The table is made when it is not there; one of the same name must be of this kind and owner. */
  makes?: { owner: string | null; kind: TableKind }
  /** Who wrote the files, if it took a writer's lease: then that must last still. */
  writer?: string
}

export interface SegmentChanges {
  now: number
  changes: readonly SegmentChange[]
}

export interface ChangedTable {
  table: string
  version: number
}

interface LiveSegment extends Segment {
  place: number
}

/** A change that was found to be possible. */
interface CheckedChange {
  change: SegmentChange
  table: TableRow
  columns: KeptColumn[]
  add: Segment[]
  removed: LiveSegment[]
  places: number[]
  isNews: boolean
}

/** A table stands in `changes` once at most. The answer is in their order. */
export async function applySegments(
  sql: Sql,
  { now, changes }: SegmentChanges,
): Promise<ChangedTable[]> {
  for (const change of changes) checkForm(change)
  const names = changes.map(({ table }) => table)
  if (new Set(names).size < names.length) {
    throw new BadTable('A table can be changed only once at a time.')
  }
  const made = await makeAbsent(sql, changes, now)
  const checked: CheckedChange[] = []
  try {
    const tables = await tablesNamed(sql, names, 'change')
    for (const change of changes) checked.push(await check(sql, change, tables))
  } catch (error) {
    await sql.deleteMany({ table: 'lake_tables', keys: ['id'], rows: made.map((id) => [id]) })
    throw error
  }
  const answers: ChangedTable[] = []
  for (const one of checked) {
    const version = one.isNews ? await write(sql, one, now) : one.table.version
    answers.push({ table: one.table.name, version })
  }
  return answers
}

function checkForm({ table, columns, add, replaces = [] }: SegmentChange): void {
  checkTableName(table)
  checkColumns(columns)
  for (const { file, rows, bytes } of add) {
    checkLakeName(file)
    const areCounts = [rows, bytes].every((count) => Number.isSafeInteger(count) && count >= 0)
    if (!areCounts) throw new BadTable(`${file} cannot have ${rows} rows in ${bytes} bytes.`)
  }
  const files = [...add.map(({ file }) => file), ...(replaces === 'all' ? [] : replaces)]
  if (new Set(files).size < files.length) throw new BadTable('A segment is named twice.')
}

/** Ids of the tables that were made here. They have no version yet: the change gives them their first. */
async function makeAbsent(
  sql: Sql,
  changes: readonly SegmentChange[],
  now: number,
): Promise<number[]> {
  const made: number[] = []
  for (const { table, makes } of changes) {
    if (makes === undefined) continue
    const id = await makeTable(sql, { name: table, ...makes, now })
    if (id !== null) made.push(id)
  }
  return made
}

/** Null when there is one of that name. Waits for a transaction that is creating it right now. */
export async function makeTable(
  sql: Sql,
  { name, owner, kind, now }: { name: string; owner: string | null; kind: TableKind; now: number },
): Promise<number | null> {
  const row = await sql.get<{ id: number }>(
    `INSERT INTO lake_tables (name, owner, kind, columns, version, made_at) VALUES (?, ?, ?, '[]', 0, ?)
     ON CONFLICT DO NOTHING RETURNING id`,
    [name, owner, kind, now],
  )
  return row?.id ?? null
}

async function check(
  sql: Sql,
  change: SegmentChange,
  tables: readonly TableRow[],
): Promise<CheckedChange> {
  const { makes } = change
  const table = tables.find(({ name }) => name === change.table)
  if (table === undefined) throw UnknownTable.named(change.table)
  if (makes && (makes.owner !== table.owner || makes.kind !== table.kind)) {
    throw TableTaken.named(table.name)
  }
  if (change.writer !== undefined) await checkWriter(sql, change.writer)
  const columns = grownColumns(table, change.columns, table.version + 1)
  const filled = change.add.filter(({ rows }) => rows > 0)
  const add = await unknownSegments(sql, table, filled)
  // All of it is there: the same change comes again, after an answer that was lost.
  const isAgain = filled.length > 0 && add.length === 0
  const removed = isAgain ? [] : await liveSegments(sql, table, change.replaces ?? [])
  const places = await placesFor(sql, table, { add, removed })
  const isGrown = columns.length > table.columns.length
  const isNews = table.version === 0 || isGrown || add.length > 0 || removed.length > 0
  return { change, table, columns, add, removed, places, isNews }
}

/** Holds the lease: the sweep, which would take the files, waits for this transaction. */
async function checkWriter(sql: Sql, writer: string): Promise<void> {
  const held = await sql.run('UPDATE lake_writers SET until = until WHERE writer = ?', [writer])
  if (held === 0) throw WriterGone.named(writer)
}

async function unknownSegments(
  sql: Sql,
  table: TableRow,
  segments: readonly Segment[],
): Promise<Segment[]> {
  const known = await sql.selectMany<{ table_id: number }>({
    table: 'lake_segments',
    keys: ['file'],
    rows: segments.map(({ file }) => [file]),
    columns: ['table_id'],
  })
  return segments.filter(({ file }, index) => {
    const owner = known[index]?.table_id
    if (owner !== undefined && owner !== table.id) {
      throw new BadTable(`${file} is a part of another table.`)
    }
    return owner === undefined
  })
}

interface LiveRow {
  file: string
  place: number
  row_count: number
  bytes: number
}

/** What a change replaces, in the order of the table. */
async function liveSegments(
  sql: Sql,
  table: TableRow,
  files: readonly string[] | 'all',
): Promise<LiveSegment[]> {
  if (files.length === 0) return []
  const rows = await sql.all<LiveRow>(
    `SELECT file, place, row_count, bytes FROM lake_segments
     WHERE table_id = ? AND removed_in IS NULL ORDER BY place, file`,
    [table.id],
  )
  const live = new Map(rows.map((row) => [row.file, row]))
  if (files !== 'all') {
    const gone = files.find((file) => !live.has(file))
    if (gone !== undefined) throw SegmentGone.from(table.name, gone)
  }
  const named = new Set(files)
  const wanted = files === 'all' ? rows : rows.filter(({ file }) => named.has(file))
  return wanted.map(({ row_count: count, ...row }) => ({ ...row, rows: count }))
}

/**
 * Where new segments stand. Replacements take the places of what they replace, one after another, so rows that
 * stay before or behind them keep their order; everything else comes to the end.
 */
async function placesFor(
  sql: Sql,
  table: TableRow,
  { add, removed }: { add: readonly Segment[]; removed: readonly LiveSegment[] },
): Promise<number[]> {
  if (removed.length > 0 && add.length <= removed.length) {
    return add.map((_, index) => removed[index]!.place)
  }
  const atEnd = add.map((_, index) => table.places + 1 + index)
  if (removed.length === 0) return atEnd
  const live = await sql.get<{ n: number }>(
    'SELECT count(*) AS n FROM lake_segments WHERE table_id = ? AND removed_in IS NULL',
    [table.id],
  )
  if (live!.n === removed.length) return atEnd
  throw new BadTable(
    `${removed.length} segments of table "${table.name}" cannot be replaced by ${add.length}: there is no place between the others.`,
  )
}

/** Makes the new version. */
async function write(sql: Sql, checked: CheckedChange, now: number): Promise<number> {
  const { table, add, removed, places, columns } = checked
  const version = table.version + 1
  await sql.run('UPDATE lake_tables SET version = ?, columns = ?, places = ? WHERE id = ?', [
    version,
    JSON.stringify(columns),
    Math.max(table.places, ...places),
    table.id,
  ])
  await sql.updateMany({
    table: 'lake_segments',
    keys: ['file'],
    set: ['removed_in'],
    rows: removed.map(({ file }) => [file, version]),
  })
  await sql.insertMany({
    table: 'lake_segments',
    columns: ['file', 'table_id', 'place', 'row_count', 'bytes', 'added_in'],
    rows: add.map(({ file, rows, bytes }, index) => [
      file,
      table.id,
      places[index]!,
      rows,
      bytes,
      version,
    ]),
  })
  await noteVersion(sql, checked, { version, now })
  return version
}

interface Figures {
  at: number
  segments: number
  row_count: number
  bytes: number
}

const NONE: Figures = { at: 0, segments: 0, row_count: 0, bytes: 0 }

async function noteVersion(
  sql: Sql,
  { table, change, add, removed }: CheckedChange,
  { version, now }: { version: number; now: number },
): Promise<void> {
  const [before = NONE] = await sql.selectMany<Figures>({
    table: 'lake_versions',
    keys: ['table_id', 'version'],
    rows: [[table.id, table.version]],
    columns: ['at', 'segments', 'row_count', 'bytes'],
  })
  // Versions follow each other in time, though clocks of several coordinators may differ.
  const at = Math.max(now, before.at)
  await sql.run('UPDATE lake_versions SET ended_at = ? WHERE table_id = ? AND version = ?', [
    at,
    table.id,
    table.version,
  ])
  const rows = before.row_count + sumOf(add, 'rows') - sumOf(removed, 'rows')
  const bytes = before.bytes + sumOf(add, 'bytes') - sumOf(removed, 'bytes')
  await sql.run(
    `INSERT INTO lake_versions (table_id, version, at, why, segments, row_count, bytes)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    [table.id, version, at, change.why, before.segments + add.length - removed.length, rows, bytes],
  )
}

const sumOf = (segments: readonly Segment[], field: 'rows' | 'bytes'): number =>
  segments.reduce((sum, segment) => sum + segment[field], 0)
