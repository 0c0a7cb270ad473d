/** `minga watch set`, `undo`, `pause`, `resume` and `remove`. */
import type { WatchDetail } from '@minga/protocol'
import { BadOption } from '../../errors.ts'
import { settingsOf, type SettingOptions } from './settings.ts'
import { throughApi, type WatchOptions } from './station.ts'
import { formatBytes } from '../../progress.ts'
import { durationText, printJson, say } from './text.ts'

export interface SetOptions extends WatchOptions, SettingOptions {
  addUrl?: string[]
  removeUrl?: string[]
  addFeed?: string[]
  addSitemap?: string[]
}

export async function set(id: string, options: SetOptions): Promise<number> {
  const changes = {
    ...settingsOf(options),
    ...(options.addUrl ? { addUrls: options.addUrl } : {}),
    ...(options.removeUrl ? { removeUrls: options.removeUrl } : {}),
    ...(options.addFeed ? { addFeeds: options.addFeed } : {}),
    ...(options.addSitemap ? { addSitemaps: options.addSitemap } : {}),
  }
  if (Object.keys(changes).length === 0) {
    throw new BadOption('watch set', 'something to change, as in --period 6h', 'nothing')
  }
  return throughApi(options, async (api) => {
    tell(await api.patch<WatchDetail>(`/watches/${Number(id)}`, changes), options)
  })
}

/** A change of one word: undo, pause, resume. */
export function turn(
  id: string,
  verb: 'undo' | 'pause' | 'resume',
  options: WatchOptions,
): Promise<number> {
  return throughApi(options, async (api) => {
    tell(await api.post<WatchDetail>(`/watches/${Number(id)}/${verb}`, {}), options)
  })
}

function tell(watch: WatchDetail, { json }: WatchOptions): void {
  if (json) return printJson(watch)
  const { id, name, isActive, periodMs, policy, importance, urls } = watch
  const pace = periodMs === null ? 'auto' : durationText(periodMs)
  say(
    `watch ${id} “${name}”: ${isActive ? 'active' : 'paused'}, period ${pace}, ` +
      `policy ${policy ?? 'auto'}, importance ${importance}, ${urls} addresses`,
  )
}

interface Removed {
  kept: number
  removed: number
  bytesInFiles: number
}

export function remove(
  id: string,
  options: WatchOptions & { withCaptures?: boolean },
): Promise<number> {
  return throughApi(options, async (api) => {
    const query = options.withCaptures ? '?withCaptures=true' : ''
    const removed = await api.remove<Removed>(`/watches/${Number(id)}${query}`)
    if (options.json) return printJson(removed)
    say(`watch ${id} is removed; ${removed.kept} captures of it are stored`)
    if (removed.removed > 0) {
      say(
        `${removed.removed} captures are no longer in the index; their ${formatBytes(removed.bytesInFiles)} ` +
          'stay inside the WARC files until these are repacked',
      )
    }
  })
}
