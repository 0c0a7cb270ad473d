/**
 * `minga archive verify`: files → captures → index, each checked against what is below it.
 *   1 every record of every WARC file is read and its digests recomputed;
 *   2 every row of the captures table must point at a record of the same address and digest;
 *   3 `index.cdxj` must be sorted and say what the table says.
 * Nothing is opened for writing: a folder is judged as it lies there.
 * Files outside the archive have no rows; their revisits are compared with their own records.
 */
import { isTombstone, verifyRecords, type WarcRecord } from '@minga/archive'
import type { ArchiveFacts } from '@minga/coordinator'
import { basename, join, resolve } from 'node:path'
import { EXIT } from '../../exit-codes.ts'
import { formatBytes } from '../../progress.ts'
import { Findings } from './findings.ts'
import { readBytes, requireArchive, sizeOf, warcFilesOf, withTemporaryFolder } from './folder.ts'
import { Output } from './output.ts'
import { openTable, orDamage, type Check } from './table.ts'
import { FileReferences } from './verify-foreign.ts'
import { verifyIndex } from './verify-index.ts'
import { verifyRows } from './verify-rows.ts'
import { requireReadable } from '../lake/files.ts'

interface VerifyOptions {
  data: string
  json?: boolean
}

export async function verifyArchive(given: string[], options: VerifyOptions): Promise<number> {
  const output = new Output()
  const findings = new Findings(output, options.json ?? false)
  const { inside, outside } = sortOut(given, options.data)
  for (const path of outside) await requireReadable(path)
  const checked = { files: 0, captures: 0 }
  if (given.length === 0 || inside.length > 0) {
    const data = requireArchive(options.data)
    Object.assign(checked, await verifyFolder(data, inside, findings))
  }
  if (outside.length > 0) await verifyForeign(outside, findings)
  checked.files += outside.length
  await findings.end(checked)
  await output.end()
  return findings.errors === 0 ? EXIT.ok : EXIT.error
}

/** A name in the archive, or the path of any file. */
function sortOut(given: string[], data: string): { inside: string[]; outside: string[] } {
  const folder = resolve(data, 'archive')
  const isInside = (file: string): boolean =>
    resolve(file) === join(folder, basename(file)) ||
    (file === basename(file) && sizeOf(file) === null)
  return {
    inside: given.filter(isInside).map((file) => basename(file)),
    outside: given.filter((file) => !isInside(file)),
  }
}

/** Files given together may refer to each other, as those of one crawl do. */
function verifyForeign(paths: string[], findings: Findings): Promise<void> {
  return withTemporaryFolder(null, async (folder) => {
    const references = new FileReferences(folder)
    for (const path of paths) {
      const file = { path, name: path, committedBytes: null, isLive: false }
      await verifyFile(file, findings, (record) => references.add(path, record))
    }
    await references.judge(findings)
  })
}

async function verifyFolder(
  data: string,
  only: string[],
  findings: Findings,
): Promise<{ files: number; captures: number }> {
  const table = await openTable(data, findings)
  try {
    const facts = (await orDamage(findings, () => table?.facts())) ?? null
    const names = only.length > 0 ? only : await allNames(data, facts)
    const isLive = table?.isLive ?? false
    for (const name of names) {
      const known = facts?.files.find(({ file }) => file === name)
      const committedBytes = known?.committedBytes ?? null
      await verifyFile(
        { path: join(data, 'archive', name), name, committedBytes, isLive },
        findings,
      )
    }
    if (!table || !facts) return { files: names.length, captures: 0 }
    const check: Check = { data, facts, findings }
    const wanted = only.length > 0 ? new Set(only) : null
    const rows = await orDamage(findings, () => verifyRows(table, check, wanted))
    if (only.length === 0 && rows) {
      await warnAboutImports(names, rows.files, check)
      await orDamage(findings, () => verifyIndex(table, check))
    }
    return { files: names.length, captures: rows?.captures ?? 0 }
  } finally {
    table?.close()
  }
}

async function allNames(data: string, facts: ArchiveFacts | null): Promise<string[]> {
  const committed = facts?.files.map(({ file }) => file) ?? []
  return [...new Set([...(await warcFilesOf(data)), ...committed])].toSorted()
}

interface CheckedFile {
  path: string
  name: string
  /** Null when no count exists: an imported or foreign file. */
  committedBytes: number | null
  isLive: boolean
}

async function verifyFile(
  file: CheckedFile,
  findings: Findings,
  each?: (record: WarcRecord) => Promise<void>,
): Promise<void> {
  const { path, name } = file
  const sizeBytes = sizeOf(path)
  if (sizeBytes === null) {
    const message = 'The file is missing. Restore it from a backup.'
    return findings.add({ severity: 'error', file: name, offset: 0, code: 'missing-file', message })
  }
  const committedBytes = file.committedBytes ?? sizeBytes
  await verifySize({ name, sizeBytes, committedBytes, isLive: file.isLive }, findings)
  const source = counted(readBytes(path), (bytes) => {
    findings.progress(`${name}: ${formatBytes(bytes)} of ${formatBytes(sizeBytes)}`)
  })
  const see = async (record: WarcRecord): Promise<void> => {
    if (isTombstone(record)) findings.tombstones++
    await each?.(record)
  }
  for await (const finding of verifyRecords(source, see)) {
    // Beyond the committed bytes lies what is just being written, or was when a crash came.
    const isTail = finding.offset >= committedBytes
    if (isTail && (file.isLive || finding.code === 'truncated')) continue
    await findings.add({ ...finding, file: name })
  }
}

async function verifySize(
  file: { name: string; sizeBytes: number; committedBytes: number; isLive: boolean },
  findings: Findings,
): Promise<void> {
  const { name, sizeBytes, committedBytes } = file
  if (sizeBytes < committedBytes) {
    const message = `The file has ${sizeBytes} bytes, but ${committedBytes} were committed. Restore it from a backup.`
    await findings.add({
      severity: 'error',
      file: name,
      offset: sizeBytes,
      code: 'short-file',
      message,
    })
  }
  if (sizeBytes > committedBytes && !file.isLive) {
    const message = `${sizeBytes - committedBytes} bytes were never committed; the next start cuts them.`
    await findings.add({
      severity: 'warning',
      file: name,
      offset: committedBytes,
      code: 'uncommitted-tail',
      message,
    })
  }
}

async function* counted(
  chunks: AsyncIterable<Buffer>,
  tell: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of chunks) {
    yield chunk
    tell((bytes += chunk.length))
  }
}

async function warnAboutImports(
  names: string[],
  withRows: ReadonlySet<string>,
  { facts, findings }: Check,
): Promise<void> {
  const warn = (
    file: string,
    code: 'unfinished-import' | 'unindexed-file',
    message: string,
  ): Promise<void> => findings.add({ severity: 'warning', file, offset: 0, code, message })
  const own = new Set(facts.files.map(({ file }) => file))
  for (const name of names) {
    if (facts.unfinishedImports.includes(name)) {
      await warn(name, 'unfinished-import', 'Its import was cut short; import the file again.')
    } else if (!own.has(name) && !withRows.has(name)) {
      await warn(name, 'unindexed-file', 'None of its captures is listed; import it to list them.')
    }
  }
}
