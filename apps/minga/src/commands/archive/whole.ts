/**
 * All of the archive for an export: its WARC files as they are, but for the former records of repaired
 * captures, and an index of the places where things are afterwards.
 */
import { writeCdxjFile, type CdxjEntry } from '@minga/archive'
import { playerEntryOf, type ArchiveFacts } from '@minga/coordinator'
import type { SupersededRecord } from '@minga/protocol'
import { join } from 'node:path'
import { BadOption } from '../../errors.ts'
import { capturesOf, pagesOf } from './captures.ts'
import { appendTo, copyStart, readBytes, sizeOf } from './folder.ts'
import { repairSteps } from './repair.ts'
import type { ExportJob, ExportSource } from './wanted.ts'

type Cuts = ReadonlyMap<string, readonly Cut[]>

export async function wholeArchive(job: ExportJob): Promise<ExportSource> {
  const { api, data, temporary } = job
  for await (const _ of repairSteps(api, { onlyUnresolved: true, dryRun: false }));
  const { lastId, captures } = await api.get<ArchiveFacts>('/archive/facts')
  if (captures === 0) throw new BadOption('--data', 'a folder with captures', data)
  const cuts = cutsOf(await api.get<SupersededRecord[]>('/archive/superseded'))
  const files = new Set<string>()
  const cdxjPath = join(temporary, 'index.cdxj')
  await writeCdxjFile(cdxjPath, entriesOf(job, { lastId, cuts, files }))
  // After the index: everything it names is committed by the time they are read.
  const facts = await api.get<ArchiveFacts>('/archive/facts')
  const committed = new Map(facts.files.map(({ file, committedBytes }) => [file, committedBytes]))
  const warcFiles: string[] = []
  for (const name of [...files].toSorted()) {
    const path = join(data, 'archive', name)
    const bytes = committed.get(name) ?? null
    const cut = cuts.get(name)
    const isGrowing = bytes !== null && (sizeOf(path) ?? 0) > bytes
    if (cut) warcFiles.push(await copyWithout(path, join(temporary, name), { cut, bytes }))
    else warcFiles.push(isGrowing ? await copyStart(path, temporary, bytes) : path)
  }
  return { warcFiles, cdxjPath, lastId }
}

interface Indexing {
  lastId: number
  cuts: Cuts
  /** Grows: the files that hold captures. */
  files: Set<string>
}

async function* entriesOf(
  { api }: ExportJob,
  { lastId, cuts, files }: Indexing,
): AsyncGenerator<CdxjEntry> {
  for await (const row of capturesOf(pagesOf(api), {})) {
    if (row.id > lastId) return
    files.add(row.file)
    const offset = row.offset - cutBefore(cuts.get(row.file) ?? [], row.offset)
    yield { ...playerEntryOf(row), offset }
  }
}

interface Cut extends SupersededRecord {
  /** Bytes that are left out up to its end. */
  total: number
}

function cutsOf(superseded: readonly SupersededRecord[]): Cuts {
  const cuts = new Map<string, Cut[]>()
  for (const record of superseded) {
    const before = cuts.get(record.file) ?? []
    cuts.set(record.file, before)
    before.push({ ...record, total: (before.at(-1)?.total ?? 0) + record.length })
  }
  return cuts
}

/** Bytes that are left out before a place, found by halving. */
function cutBefore(cut: readonly Cut[], offset: number): number {
  let [low, high] = [0, cut.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (cut[middle]!.offset < offset) low = middle + 1
    else high = middle
  }
  return cut[low - 1]?.total ?? 0
}

async function copyWithout(
  path: string,
  copy: string,
  { cut, bytes }: { cut: readonly SupersededRecord[]; bytes: number | null },
): Promise<string> {
  const end = bytes ?? sizeOf(path) ?? 0
  let start = 0
  for (const record of [...cut, { offset: end, length: 0 }]) {
    if (record.offset > start) {
      const part = readBytes(path, { start, end: record.offset - 1 })
      for await (const chunk of part) await appendTo(copy, chunk)
    }
    start = record.offset + record.length
  }
  return copy
}
