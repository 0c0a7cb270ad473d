/** `minga watch harvest` and `versions`: a watched site gathered whole, now or at earlier times. */
import type { VersionView } from '@minga/protocol'
import { formatBytes } from '../../progress.ts'
import { throughApi, type WatchOptions } from './station.ts'
import { print, printJson, say, tableText, timeText } from './text.ts'

export interface HarvestOptions extends WatchOptions {
  pause?: boolean
  resume?: boolean
  cancel?: boolean
}

const VERBS = ['pause', 'resume', 'cancel'] as const

export function harvest(id: string, options: HarvestOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const verb = VERBS.find((name) => options[name])
    if (verb !== undefined) {
      const [version] = await api.post<VersionView[]>(`/watches/${id}/harvest/${verb}`, {})
      if (options.json) return printJson({ version: version ?? null })
      return say(`version ${version!.number} is ${version!.state}`)
    }
    const { number } = await api.post<{ number: number }>(`/watches/${id}/harvest`, {})
    if (options.json) return printJson({ number })
    say(`version ${number} starts as soon as nothing else of the watch is in progress`)
  })
}

export function versions(id: string, options: WatchOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const found = await api.get<VersionView[]>(`/watches/${id}/versions`)
    if (options.json) return printJson({ versions: found })
    const rows = found.map((version) => [
      String(version.number),
      version.reason === null ? version.state : `${version.state} (${version.reason})`,
      timeText(version.startedAt),
      timeText(version.endedAt),
      String(version.documents),
      formatBytes(version.bytes),
      version.cause,
    ])
    print(tableText([['VERSION', 'STATE', 'FROM', 'TO', 'PAGES', 'SIZE', 'CAUSE'], ...rows]))
  })
}
