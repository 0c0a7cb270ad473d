/** Looks for a text in every file of a data folder, whatever it is packed in. */
import { readRecords } from '@minga/archive'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createZstdDecompress, inflateRawSync } from 'node:zlib'

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** Names of the files that hold it. */
export async function filesWith(data: string, text: string): Promise<string[]> {
  const found: string[] = []
  for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = await readFile(path)
    for await (const content of contentsOf(entry.name, bytes)) {
      if (!content.includes(text)) continue
      found.push(entry.name)
      break
    }
  }
  return found
}

async function* contentsOf(name: string, bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes
  if (/\.warc(\.gz)?$/.test(name)) yield* recordsOf(bytes)
  for (let at = bytes.indexOf(ZSTD_MAGIC); at >= 0; at = bytes.indexOf(ZSTD_MAGIC, at + 1)) {
    yield await unzstd(bytes.subarray(at))
  }
}

/** Also what only half a gzip member is left of. */
async function* recordsOf(bytes: Buffer): AsyncGenerator<Buffer> {
  for await (const item of readRecords(bytes)) {
    if ('damage' in item) continue
    yield Buffer.from(item.headers.pairs.flat().join('\n'))
    yield item.block
    const encoded = item.block.indexOf('\r\n\r\n')
    try {
      yield inflateRawSync(item.block.subarray(encoded + 4 + 10))
    } catch {
      continue
    }
  }
}

/** As far as it goes: what follows a frame need not be one. */
function unzstd(bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = []
    const stream = createZstdDecompress()
    const end = (): void => resolve(Buffer.concat(pieces))
    stream.on('data', (piece: Buffer) => pieces.push(piece))
    stream.on('error', end)
    stream.on('end', end)
    stream.end(bytes)
  })
}
