/** Which addresses a collection would take, and why not the others: by the code that decides it later, without a fetch. */
import { filterOfSpec, isHostWanted } from '@minga/frontier'
import {
  canonicalUrl,
  checkPatterns,
  compileScope,
  compileUrlPattern,
  hostKeyOf,
  type GuardPolicy,
} from '@minga/net'
import type { Filter } from '@minga/partition'
import type { CollectionSpec, PreviewedUrl, ScopePreview } from '@minga/protocol'
import type { Calls } from '@minga/store'
import { readArchived } from '../archive/captures/capture-content.ts'
import { pageWorker } from '../archive/pages/page-worker.ts'
import { findRefusal, type Origin } from '../station/admission.ts'
import type { Operations } from '../station/station-operations.ts'

interface Preview {
  spec: CollectionSpec
  guard: GuardPolicy
  station: Filter | null
  /** Who would collect, and where the addresses were found. */
  origin: Origin
}

export function previewUrls(urls: readonly string[], preview: Preview): PreviewedUrl[] {
  const judge = judgeOf(preview)
  return urls.map((given) => {
    const url = canonicalUrl(given.trim())
    if (url === null) return { given, url, isIn: false, why: 'no-address', pattern: null }
    return { given, url, ...judge(url) }
  })
}

type Verdict = Pick<PreviewedUrl, 'isIn' | 'why' | 'pattern'>

/** In the order in which they decide when the collection runs. */
function judgeOf({ spec, guard, station, origin }: Preview): (url: string) => Verdict {
  checkPatterns(spec)
  const seeds = new Set(spec.seeds)
  const reaches = compileScope({ kind: spec.scope, seeds: spec.seeds })
  const excluded = spec.exclude.map((text) => ({ text, pattern: compileUrlPattern(text) }))
  const included = spec.include.map((text) => ({ text, pattern: compileUrlPattern(text) }))
  const filters = [station, filterOfSpec(spec)].filter((filter) => filter !== null)
  const out = (why: PreviewedUrl['why'], pattern: string | null = null): Verdict => ({
    isIn: false,
    why,
    pattern,
  })
  return (url) => {
    if (!reaches(url)) return out('reach')
    const excluding = excluded.find(({ pattern }) => pattern.test(url))
    if (excluding) return out('exclude', excluding.text)
    const including = included.find(({ pattern }) => pattern.test(url))
    if (included.length > 0 && !including) return out('include')
    if (!isHostWanted(filters, hostKeyOf(url))) return out('filter')
    const purpose = seeds.has(url) ? 'seed' : 'link'
    if (findRefusal(url, purpose, { guard }, origin) !== null) return out('refused')
    return { isIn: true, why: 'in', pattern: including?.text ?? null }
  }
}

/** A page has thousands at most; a longer list is of no use to a reader. */
const LINKS_MOST = 500
/** A longer page is read from its beginning. */
const BYTES_MOST = 16 * 1024 * 1024

/** The links of the newest capture of an address. */
export async function linksOfPage(
  parts: { store: Calls<Operations>; data: string },
  address: string,
): Promise<{ links: string[]; page: ScopePreview['page'] }> {
  const { capture, body } = await readArchived(parts, { url: address, at: null }, BYTES_MOST)
  const { url, capturedAt } = capture
  const links = await pageWorker.run('links', { url, body, most: LINKS_MOST })
  return { links, page: { url, capturedAt } }
}
