/** Files of the wiki commands: exports are there whole or not at all. */
import { open, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { giveUserMode } from '@minga/protocol/private-files'
import { Readable, type Transform } from 'node:stream'
import { createGzip, createZstdCompress } from 'node:zlib'
import { BadOption, UnreadableFile } from '../../errors.ts'
import { isDevice, requireFile, writingTo } from '../../output-place.ts'

export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new UnreadableFile(file, { cause })
  }
}

/** Asked before a history is exported, which may take hours. */
export async function requireOut(file: string): Promise<void> {
  packingOf(file)
  await requireFile('--out', file)
}

/** Written to a temporary file next to it and renamed at the end. Returns its size. */
export function writeWhole(file: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  return writingTo(file, () => writePacked(file, pieces))
}

async function writePacked(file: string, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  const packing = packingOf(file)
  const isInPlace = await isDevice(file)
  const partial = isInPlace ? file : `${file}.partial`
  const handle = await open(partial, 'w')
  try {
    const bytes = await writeAll(handle, packing === null ? pieces : packed(pieces, packing))
    if (!isInPlace) await handle.sync()
    await handle.close()
    if (!isInPlace) await giveUserMode(partial)
    if (!isInPlace) await rename(partial, file)
    return bytes
  } catch (error) {
    await handle.close().catch(() => {})
    if (!isInPlace) await rm(partial, { force: true })
    throw error
  }
}

async function writeAll(handle: FileHandle, pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0
  for await (const piece of pieces) {
    await handle.writeFile(piece)
    bytes += piece.length
  }
  return bytes
}

function packingOf(file: string): Transform | null {
  if (file.endsWith('.gz')) return createGzip()
  if (file.endsWith('.zst')) return createZstdCompress()
  if (/\.(bz2|7z|xz)$/.test(file)) {
    throw new BadOption('--out', 'a name that ends in .gz, .zst or neither', file)
  }
  return null
}

function packed(pieces: AsyncIterable<Uint8Array>, packing: Transform): AsyncIterable<Uint8Array> {
  const source = Readable.from(pieces)
  source.on('error', (error) => packing.destroy(error))
  return source.pipe(packing)
}
