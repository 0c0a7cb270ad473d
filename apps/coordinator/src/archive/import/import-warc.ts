/**
 * Takes a foreign WARC file into the archive: copy → check → (repack) → rename → index.
 *
 * The name in the archive holds the digest of the content, so that the same file comes in once
 * however often it is imported, an import that was killed resumes where it was, and two files of
 * one name do not meet. Until the rename nothing is visible; from then on every row points at
 * synced bytes. Files that others could not seek in (plain, or many records in one gzip member) or
 * that have damage are repacked, one member per readable record.
 */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import {
  bareUri,
  encodeRecord,
  indexEntry,
  parseDigest,
  parseHttpBlock,
  readRecordAt,
  readRecords,
  sha256Label,
  verifyRecords,
  type CdxjEntry,
  type Finding,
  type RecordDraft,
  type WarcRecord,
} from '@minga/archive'
import type { Calls } from '@minga/store'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { canonicalUrl } from '@minga/net'
import { BadImport } from '../errors.ts'
import { repairUnresolved } from '../repair/repair.ts'
import type { Operations } from '../../station/station-operations.ts'
import type { RepairOperations } from '../repair/repair-rows.ts'
import type { ContentOperations } from '../captures/capture-content.ts'
import type { ImportStep, ImportedCapture } from './import-captures.ts'

export interface ImportAnswer {
  file: string
  captures: number
  /** It had been imported before; nothing was done. */
  already: boolean
  repacked: boolean
  /** What is wrong with the file, the first of it; `findingCount` says how much there was. */
  findings: Finding[]
  findingCount: number
}

type ImportOperations = RepairOperations &
  ContentOperations &
  Pick<Operations, 'importCaptures' | 'importedTotal'>

interface Parts {
  store: Calls<ImportOperations>
  data: string
}

/** Captures per transaction: a second of work at most, and no more memory however large the file. */
const STEP_CAPTURES = 10_000
const FINDINGS_SHOWN = 100
/** What the caller's file can be, by the code of the error; everything else is a problem of the station. */
const PROBLEMS = new Map([
  ['EACCES', 'it may not be read'],
  ['ELOOP', 'its links lead in a circle'],
  ['ENAMETOOLONG', 'its name is too long'],
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'there is no such file'],
  ['ERR_INVALID_ARG_VALUE', 'its name has a null byte'],
])
/** The collection of what was imported. */
const IMPORTS = 0

export function importWarc(parts: Parts, source: string): Promise<ImportAnswer> {
  // One at a time, because the incoming file has one name: what a crash leaves is overwritten.
  return runExclusive(parts, () => importOne(parts, source))
}

async function importOne(parts: Parts, source: string): Promise<ImportAnswer> {
  const folder = join(parts.data, 'archive')
  await mkdir(folder, { recursive: true })
  const incoming = join(folder, 'incoming.part')
  try {
    const digest = await copy(source, incoming)
    const file = await nameFor(folder, digest, source)
    const done = await parts.store.call('importedTotal', { file })
    const check = await inspect(incoming)
    const facts = { file, repacked: check.mustRepack, ...check.report }
    if (done !== null) return { ...facts, captures: done, already: true }
    const ready = check.mustRepack ? await repack(incoming) : incoming
    await requireCaptures(ready, source)
    await putInPlace(ready, join(folder, file))
    const captures = await indexFile(parts.store, join(folder, file))
    // What it holds may be what captures of earlier files refer to.
    await repairUnresolved(parts, IMPORTS)
    return { ...facts, captures, already: false }
  } finally {
    await rm(incoming, { force: true })
    await rm(`${incoming}.repacked`, { force: true })
  }
}

/** The name under which the same content came in before, or a new one. */
async function nameFor(folder: string, digest: string, source: string): Promise<string> {
  const prefix = `import-${digest.slice(0, 16)}-`
  const former = (await readdir(folder)).find((name) => name.startsWith(prefix))
  return former ?? `${prefix}${stemOf(source)}.warc.gz`
}

function stemOf(source: string): string {
  const stem = basename(source).replace(/(\.warc)?(\.gz)?$/i, '')
  return stem.replaceAll(/[^\w.-]+/g, '_').slice(0, 80) || 'unnamed'
}

/** Answers the digest of what was copied, which is what the rest works on. */
async function copy(source: string, target: string): Promise<string> {
  const hash = createHash('sha256')
  try {
    if (!(await stat(source)).isFile()) throw new BadImport(source, 'it is not a file')
    await writeDurably(target, hashed(createReadStream(source), hash))
  } catch (cause) {
    const problem = PROBLEMS.get((cause as { code?: string }).code ?? '')
    throw problem === undefined ? cause : new BadImport(source, problem, { cause })
  }
  return hash.digest('hex')
}

async function* hashed(
  chunks: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk)
    yield chunk
  }
}

async function writeDurably(target: string, chunks: AsyncIterable<Buffer>): Promise<void> {
  const handle = await open(target, 'w')
  try {
    for await (const chunk of chunks) await handle.appendFile(chunk)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

interface Inspection {
  mustRepack: boolean
  report: Pick<ImportAnswer, 'findings' | 'findingCount'>
}

/** Findings that a repacked file no longer has. */
const MENDED_BY_REPACKING = new Set<Finding['code']>([
  'not-a-record',
  'bad-head',
  'bad-length',
  'bad-gzip',
  'bad-checksum',
  'truncated',
  'shared-member',
  'block-digest',
])

async function inspect(file: string): Promise<Inspection> {
  const findings: Finding[] = []
  let findingCount = 0
  let mustRepack = !(await isGzip(file))
  for await (const finding of verifyRecords(createReadStream(file))) {
    mustRepack ||= MENDED_BY_REPACKING.has(finding.code)
    if (finding.severity === 'warning') continue
    if (findingCount++ < FINDINGS_SHOWN) findings.push(finding)
  }
  return { mustRepack, report: { findings, findingCount } }
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file, 'r')
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0)
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b
  } finally {
    await handle.close()
  }
}

async function repack(incoming: string): Promise<string> {
  const ready = `${incoming}.repacked`
  await writeDurably(ready, repacked(createReadStream(incoming)))
  return ready
}

async function putInPlace(ready: string, target: string): Promise<void> {
  await rename(ready, target)
  const folder = await open(join(target, '..'), 'r')
  await folder.sync()
  await folder.close()
}

/** Before anything is visible: a file without captures has no business in an archive. */
async function requireCaptures(file: string, source: string): Promise<void> {
  const captures = capturesIn(file, createReadStream(file))
  const first = await captures.next()
  await captures.return(undefined)
  if (first.done !== true) return
  throw new BadImport(source, 'it holds no capture that can be read')
}

async function indexFile(store: Calls<ImportOperations>, path: string): Promise<number> {
  const file = basename(path)
  let captures: ImportedCapture[] = []
  let total = 0
  for await (const capture of capturesIn(path, createReadStream(path))) {
    total++
    captures.push(capture)
    if (captures.length < STEP_CAPTURES) continue
    await store.call('importCaptures', { file, captures, total: null } satisfies ImportStep)
    captures = []
  }
  await store.call('importCaptures', { file, captures, total } satisfies ImportStep)
  return total
}

/** HTTP heads are far smaller; bodies are not needed. */
const HEAD_BYTES = 256 * 1024
/** Outside of these a timestamp of 14 digits cannot say the year, and no page is that old. */
const EARLIEST = Date.UTC(1_000, 0)
const LATEST = Date.UTC(10_000, 0)

/** Captures of web pages, in file order. Damage and other records are passed over. */
export async function* capturesIn(
  path: string,
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<ImportedCapture> {
  for await (const item of readRecords(source, { blockLimitBytes: HEAD_BYTES })) {
    if ('damage' in item) continue
    const entry = indexEntry(item, '')
    const url = entry && canonicalUrl(entry.url)
    const capturedAt = Date.parse(item.headers.get('WARC-Date') ?? '')
    // Others keep notes under addresses such as metadata:// or urn:, which are no web pages.
    if (!entry || !url || capturedAt < EARLIEST || capturedAt >= LATEST) continue
    const { offset, length } = item
    const seen = whatWasSeen(item, entry)
    const digest = await digestOf(path, item)
    // Whether what a revisit refers to is here is known when the whole file is.
    const recordId = seen.kind === 'revisit' ? null : (item.headers.get('WARC-Record-ID') ?? null)
    const payloadBytes = payloadBytesOf(item)
    yield { url, capturedAt, ...seen, digest, payloadBytes, recordId, offset, length }
  }
}

function whatWasSeen(
  record: WarcRecord,
  entry: CdxjEntry,
): Pick<ImportedCapture, 'kind' | 'status' | 'mime'> {
  const status = Number(entry.status) || 0
  if (record.type !== 'revisit') return { kind: 'response', status, mime: oneLine(entry.mime) }
  const type = parseHttpBlock(record.block)?.headers.get('content-type') ?? ''
  const mime = oneLine(type.split(';', 1)[0]!.trim().toLowerCase())
  return { kind: 'revisit', status, mime: mime || 'unk' }
}

/** PostgreSQL takes no NUL, tables and terminals no control characters. */
function oneLine(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '').slice(0, 200)
}

/** The file's own word where it has one; a digest of ours where it has none. */
async function digestOf(path: string, record: WarcRecord): Promise<string> {
  const label = record.headers.get('WARC-Payload-Digest') ?? ''
  if (parseDigest(label) !== null) return oneLine(label)
  if (record.type === 'revisit') return '-'
  const whole = record.isWhole ? record : await readRecordAt(path, record.offset, record.length)
  return payloadDigest(whole)
}

/** Of a record whose block is whole. */
function payloadDigest(record: WarcRecord): string {
  const http = record.type === 'resource' ? null : parseHttpBlock(record.block)
  return sha256Label([http?.body ?? record.block])
}

function payloadBytesOf(record: WarcRecord): number {
  const http = record.type === 'resource' ? null : parseHttpBlock(record.block)
  return record.blockBytes - (record.block.length - (http?.body.length ?? record.block.length))
}

/** More than a page ever has; larger records are left out of a repacked file. */
const REPACK_BLOCK_BYTES = 256 * 1024 * 1024

/** Every readable record as a gzip member of its own. */
export async function* repacked(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const item of readRecords(source, { blockLimitBytes: REPACK_BLOCK_BYTES })) {
    if ('damage' in item || !item.isWhole) continue
    const headers = item.headers.pairs.filter(([name]) => !RECOMPUTED.has(name.toLowerCase()))
    const type = item.type as RecordDraft['type']
    yield encodeRecord({ type, headers: headers.map((pair) => bareUri(pair)), block: [item.block] })
  }
}

const RECOMPUTED = new Set(['warc-type', 'warc-block-digest', 'content-length'])
