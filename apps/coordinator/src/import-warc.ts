/** Takes a foreign WARC file into the archive: copied, then indexed in one transaction. */
import { indexWarc, parseTimestamp } from '@minga/archive'
import type { Store } from '@minga/store'
import { copyFile, mkdir, open, rename, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { BadImport } from './errors.ts'
import type { ImportedCapture } from './captures.ts'

export interface ImportAnswer {
  file: string
  captures: number
}

export async function importWarc(
  parts: { store: Store; data: string },
  source: string,
): Promise<ImportAnswer> {
  const name = `import-${basename(source)}`
  if (!/\.warc(\.gz)?$/.test(name)) throw new BadImport(source, 'its name does not end in .warc or .warc.gz')
  const folder = join(parts.data, 'archive')
  await mkdir(folder, { recursive: true })
  const target = join(folder, name)
  if (await exists(target)) throw new BadImport(source, `${name} is in the archive already`)
  await copyDurably(source, target)
  const captures: ImportedCapture[] = []
  for await (const entry of indexWarc(target)) {
    captures.push({
      url: entry.url,
      capturedAt: parseTimestamp(entry.timestamp) ?? 0,
      kind: entry.mime === 'warc/revisit' ? 'revisit' : 'response',
      status: Number(entry.status) || 0,
      mime: entry.mime,
      digest: entry.digest,
      payloadBytes: 0,
      offset: entry.offset,
      length: entry.length,
    })
  }
  await parts.store.call('importCaptures', { file: name, captures })
  return { file: name, captures: captures.length }
}

/** Complete and synced before its rows exist. */
async function copyDurably(source: string, target: string): Promise<void> {
  try {
    await copyFile(source, `${target}.new`)
  } catch (cause) {
    throw new BadImport(source, 'it cannot be read', { cause })
  }
  const handle = await open(`${target}.new`, 'r+')
  await handle.sync()
  await handle.close()
  await rename(`${target}.new`, target)
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}
