/**
 * Packs are read from their end: trailer, directory, blocks of the index. All of it is together in the last
 * kilobytes of most packs, so these are read once, at opening, and only frames are fetched from the disk later.
 */
import type { PackFiles } from './pack-files.ts'

/** Trailer, directory and index of some 20,000 revisions. */
const END_BYTES = 64 * 1024

export function endsInMemory(files: Pick<PackFiles, 'open'>): Pick<PackFiles, 'open'> {
  return {
    open: async (path) => {
      const source = await files.open(path)
      const from = Math.max(0, source.bytes - END_BYTES)
      const end = await source.read(from, source.bytes - from).catch(async (error: unknown) => {
        await source.close()
        throw error
      })
      return {
        ...source,
        read: async (offset, length, into) =>
          offset < from
            ? source.read(offset, length, into)
            : end.subarray(offset - from, offset - from + length),
      }
    },
  }
}
