/** Packs in memory, for tests: files that can be looked into, damaged and counted. */
import type { PackFiles } from '../../src/packs/pack-files.ts'
import { PackReader } from '../../src/packs/pack-reader.ts'
import { PackWriter, type PackText, type PackWriterOptions } from '../../src/packs/pack-writer.ts'

export interface MemoryFiles extends PackFiles {
  held: Map<string, Buffer>
  /** Bytes that were read, in order. */
  reads: { path: string; offset: number; length: number }[]
}

export function memoryFiles(): MemoryFiles {
  const held = new Map<string, Buffer>()
  const reads: MemoryFiles['reads'] = []
  const fileAt = (path: string): Buffer => {
    const bytes = held.get(path)
    if (bytes === undefined) throw new Error(`there is no file ${path}`)
    return bytes
  }
  return {
    held,
    reads,
    create: async (path) => {
      const chunks: Buffer[] = []
      held.set(path, Buffer.alloc(0))
      return {
        write: async (bytes) => void chunks.push(Buffer.from(bytes)),
        sync: async () => void held.set(path, Buffer.concat(chunks)),
        close: async () => undefined,
      }
    },
    open: async (path) => ({
      bytes: fileAt(path).length,
      read: async (offset, length, into) => {
        reads.push({ path, offset, length })
        const bytes = fileAt(path).subarray(offset, offset + length)
        return into === undefined ? Buffer.from(bytes) : into.subarray(0, bytes.copy(into))
      },
      close: async () => undefined,
    }),
    publish: async (from, to) => {
      held.set(to, fileAt(from))
      held.delete(from)
    },
    remove: async (path) => void held.delete(path),
  }
}

/** A text that no other one resembles. */
export function textOf(pageId: number, revId: number, words = 20): Buffer {
  const list = Array.from(
    { length: words },
    (_, word) => (pageId * 7919 + revId * 31 + word) % 9973,
  )
  return Buffer.from(`Page ${pageId}, revision ${revId}: ${list.join(' ')}`)
}

export async function packed(
  files: PackFiles,
  path: string,
  texts: Iterable<PackText>,
  options?: PackWriterOptions,
): Promise<PackReader> {
  const writer = await PackWriter.create(path, files, options)
  for (const text of texts) await writer.add(text)
  await writer.finish()
  return PackReader.open(path, files)
}

export async function allTexts(pack: PackReader): Promise<PackText[]> {
  const texts: PackText[] = []
  for await (const text of pack.texts()) texts.push(text)
  return texts
}
