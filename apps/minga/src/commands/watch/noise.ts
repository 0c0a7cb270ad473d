/** `minga watch noise`: the regions of watched pages that are ignored, and how to restore them. */
import type { NoiseRegionView } from '@minga/protocol'
import { BadOption } from '../../errors.ts'
import { throughApi, type WatchOptions } from './station.ts'
import { print, printJson, say, tableText, timeText } from './text.ts'

export interface NoiseOptions extends WatchOptions {
  restore?: number
  url?: string
  forget?: boolean
}

export function noise(id: string, options: NoiseOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const path = `/watches/${Number(id)}/noise`
    const before = await api.get<NoiseRegionView[]>(path)
    const regions =
      options.restore !== undefined
        ? await api.post<NoiseRegionView[]>(`${path}/restore`, regionIn(before, options))
        : options.forget
          ? await api.post<NoiseRegionView[]>(`${path}/forget`, {})
          : before
    if (options.json) return printJson({ regions })
    const ignored = regions.filter(({ state }) => state === 'ignored').length
    say(`${ignored} ${ignored === 1 ? 'region' : 'regions'} ignored as noise`)
    if (regions.length > 0) print(tableText([HEAD, ...regions.map(lineOf)]))
  })
}

const HEAD = ['REGION', 'STATE', 'WORDS', 'DIFFERED', 'SINCE', 'ADDRESS', 'PREVIEW']

function lineOf(region: NoiseRegionView): string[] {
  const { visits, differed, ignoredSince } = region
  return [
    String(region.region),
    region.isWarned ? 'ignored, may hide changes' : region.state,
    `${Math.round(100 * region.share)} %`,
    `${differed} of ${visits}`,
    ignoredSince === null ? '-' : timeText(ignoredSince),
    region.url,
    region.preview.replaceAll(/\s+/g, ' ') || '-',
  ]
}

/** The number of a region is that of its page; where two pages have the same, the page must be named. */
function regionIn(
  regions: readonly NoiseRegionView[],
  { restore, url }: NoiseOptions,
): { url: string; region: number } {
  const found = regions.filter((one) => one.region === restore && (url ?? one.url) === one.url)
  const [first, second] = found
  if (second !== undefined) {
    throw new BadOption('--url', `the page whose region ${restore} is meant`, 'nothing')
  }
  return { url: first?.url ?? url ?? regions[0]?.url ?? '-', region: restore! }
}
