/** Packs that are open for reading: the last used ones stay open, and manifests are kept until they change. */
import type { Calls } from '@minga/store'
import { endsInMemory } from '../packs/ends-in-memory.ts'
import { PackCache } from '../packs/pack-cache.ts'
import { packFiles } from '../packs/pack-files.ts'
import { PackReader } from '../packs/pack-reader.ts'
import type { RevisionFiles } from './revision-files.ts'
import type { Manifest, SegmentRow } from './segment-operations.ts'
import type { WikiOperations } from './wiki-operations.ts'

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
