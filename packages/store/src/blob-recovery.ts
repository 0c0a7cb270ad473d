/**
 * What happens to a writer's files when its store is opened: they are made equal to their rows.
 * Bytes beyond the committed ones and files without a row come from transactions that never
 * committed; missing bytes mean damage, which is named and never papered over.
 */
import fs from 'node:fs'
import path from 'node:path'
import { syncDirectory, type BlobFolder, type Blobs } from './blobs.ts'
import { StoreDamaged } from './errors.ts'
import type { Sql } from './sql.ts'

interface BlobRow {
  readonly name: string
  readonly series: string
  readonly committed_bytes: number
  readonly closed: number
}

export async function recoverBlobs(sql: Sql, blobs: Blobs, wasEmpty: boolean): Promise<void> {
  const { folder } = blobs
  for (const series of Object.keys(folder.series)) makeFolder(folder.data, series)
  const strays = await deleteStrays(sql, folder, wasEmpty)
  const rows = (await writersRows(sql, folder.writer)).filter((row) => !strays.has(row.name))
  for (const row of rows) cutToCommitted(path.join(folder.data, row.series, row.name), row)
  for (const series of Object.keys(folder.series)) {
    await continueSeries(
      sql,
      blobs,
      rows.filter((row) => row.series === series),
    )
  }
}

function makeFolder(data: string, series: string): void {
  if (fs.mkdirSync(path.join(data, series), { recursive: true }) !== undefined) syncDirectory(data)
}

/**
 * Deletes files without a row. On PostgreSQL the commit of a killed process may still be under
 * way in the server: claiming the name first waits for it, and tells which of the two it was.
 */
async function deleteStrays(sql: Sql, folder: BlobFolder, wasEmpty: boolean): Promise<Set<string>> {
  const known = new Set((await writersRows(sql, folder.writer)).map((row) => row.name))
  const files = Object.keys(folder.series).flatMap((series) =>
    filesOf(folder, series).filter((file) => !known.has(file.name)),
  )
  const [first] = files
  if (first && wasEmpty) {
    // No crash of ours leaves bytes next to an empty database: it was lost or moved.
    throw StoreDamaged.because(
      folder.data,
      `it holds ${path.join(first.series, first.name)}, but its database is missing or new`,
    )
  }
  const isStray = await sql.insertNew({
    table: 'blob_files',
    columns: ['name', 'series', 'writer', 'committed_bytes', 'closed'],
    keys: ['name'],
    rows: files.map((file) => [file.name, file.series, folder.writer, 0, 1]),
  })
  const strays = files.filter((_, index) => isStray[index])
  for (const file of strays) fs.rmSync(path.join(folder.data, file.series, file.name))
  const rows = strays.map((file) => [file.name])
  await sql.deleteMany({ table: 'blob_files', keys: ['name'], rows })
  return new Set(strays.map((file) => file.name))
}

function filesOf(folder: BlobFolder, series: string): { series: string; name: string }[] {
  const prefix = `${series}-${folder.writer}-`
  const names = fs.readdirSync(path.join(folder.data, series))
  const own = names.filter(
    (name) => name.startsWith(prefix) && /^\d{6,}\./.test(name.slice(prefix.length)),
  )
  return own.map((name) => ({ series, name }))
}

function writersRows(sql: Sql, writer: string): Promise<BlobRow[]> {
  // Locked, so that an update by a dying process has ended before its file is judged.
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  return sql.all<BlobRow>(
    `SELECT name, series, committed_bytes, closed FROM blob_files WHERE writer = ?${lock}`,
    [writer],
  )
}

function cutToCommitted(file: string, row: BlobRow): void {
  const sizeBytes = fs.statSync(file, { throwIfNoEntry: false })?.size
  if (sizeBytes === undefined) throw StoreDamaged.because(file, 'the file is missing')
  if (sizeBytes < row.committed_bytes) {
    throw StoreDamaged.because(
      file,
      `it has ${sizeBytes} bytes, but ${row.committed_bytes} were committed`,
    )
  }
  if (sizeBytes === row.committed_bytes) return
  const fd = fs.openSync(file, 'r+')
  try {
    fs.ftruncateSync(fd, row.committed_bytes)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

/** Goes on with the newest file that has room; the others are complete. */
async function continueSeries(sql: Sql, blobs: Blobs, rows: readonly BlobRow[]): Promise<void> {
  const [row] = rows
  if (!row) return
  const { series } = row
  const prefixLength = `${series}-${blobs.folder.writer}-`.length
  const files = rows.map((each) => ({
    ...each,
    number: Number.parseInt(each.name.slice(prefixLength), 10),
  }))
  files.sort((a, b) => b.number - a.number)
  blobs.startNumberingAt(series, (files[0]?.number ?? -1) + 1)
  const maxBytes = blobs.folder.series[series]?.maxBytes ?? 0
  const next = files.find((file) => file.closed === 0 && file.committed_bytes < maxBytes)
  if (next) {
    blobs.adopt({ series, name: next.name, number: next.number, sizeBytes: next.committed_bytes })
  }
  const done = files.filter((file) => file.closed === 0 && file !== next)
  await sql.updateMany({
    table: 'blob_files',
    keys: ['name'],
    set: ['closed'],
    rows: done.map((file) => [file.name, 1]),
  })
}
