/** Packs that are open for reading: the last used ones stay open, and manifests are kept until they change. */
import type { Calls } from '@minga/store'
import { PackCache } from '../packs/pack-cache.ts'
import { packFiles, type PackFiles } from '../packs/pack-files.ts'
import { PackReader } from '../packs/pack-reader.ts'
import type { RevisionFiles } from './revision-files.ts'
import type { Manifest, SegmentRow } from './segment-operations.ts'
import type { WikiOperations } from './wiki-operations.ts'

/** Trailer, directory and index of some 20,000 revisions. */
const END_BYTES = 64 * 1024

/**
 * Packs are read from their end: trailer, directory, blocks of the index. All of it is together in the last
 * kilobytes of most packs, so these are read once, at opening, and only frames are fetched from the disk later.
 */
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

const OPEN_MOST = 32
/** Of inflated frames, of all packs together. */
const CACHE_BYTES = 96 * 1024 * 1024
const PACKS = endsInMemory(packFiles)

export class PackReaderCache {
  readonly #call: Calls<WikiOperations>['call']
  readonly #files: RevisionFiles
  readonly #open = new Map<string, Promise<PackReader>>()
  readonly #cache = new PackCache(CACHE_BYTES)
  readonly #manifests = new Map<number, Manifest>()

  constructor({ call, files }: { call: Calls<WikiOperations>['call']; files: RevisionFiles }) {
    this.#call = call
    this.#files = files
  }

  /** From the newest segment that has it. `version`: of the manifest, if the caller has just heard it. */
  async text(
    { wikiId, version }: { wikiId: number; version: number },
    { revId, role }: { revId: number; role: string },
  ): Promise<Uint8Array | null> {
    const segments = await this.#segments(wikiId, version)
    for (const segment of segments.toReversed()) {
      if (revId < segment.revMin || revId > segment.revMax) continue
      const text = await (await this.#reader(segment)).text(revId, role)
      if (text !== null) return text
    }
    return null
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()]
    this.#open.clear()
    this.#manifests.clear()
    for (const opening of open) await (await opening).close()
  }

  /** The files below were removed: start over. */
  async forget(): Promise<void> {
    await this.close()
  }

  async #segments(wikiId: number, version: number): Promise<readonly SegmentRow[]> {
    const known = this.#manifests.get(wikiId)
    if (known?.version === version) return known.segments
    const manifest = await this.#call('wikiManifest', { wikiId })
    this.#manifests.set(wikiId, manifest)
    return manifest.segments
  }

  async #reader({ wikiId, pack }: SegmentRow): Promise<PackReader> {
    const key = `${wikiId}/${pack}`
    const open = this.#open.get(key)
    if (open) {
      this.#open.delete(key)
      this.#open.set(key, open)
      return open
    }
    const path = this.#files.at(wikiId, pack)
    const opening = PackReader.open(path, PACKS, { cache: this.#cache })
    this.#open.set(key, opening)
    opening.catch(() => this.#open.delete(key))
    if (this.#open.size > OPEN_MOST) await this.#closeOldest()
    return opening
  }

  async #closeOldest(): Promise<void> {
    const [key, opening] = this.#open.entries().next().value!
    this.#open.delete(key)
    await (await opening).close()
  }
}
