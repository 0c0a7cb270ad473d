/** `minga watch hook` and `notices`: how others report changes, and what they reported. */
import type { NoticeView, SignalView, WebsubView } from '@minga/protocol'
import { throughApi, type WatchOptions } from './station.ts'
import { print, printJson, say, tableText, timeText } from './text.ts'

export interface HookOptions extends WatchOptions {
  drop?: boolean
}

/** The secret is data: it goes to stdout, alone, and is shown this once. */
export function hook(id: string, options: HookOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const path = `/watches/${Number(id)}/hook`
    if (options.drop) {
      await api.remove(path)
      return say(`the hook of watch ${id} is closed`)
    }
    const { secret } = await api.post<{ secret: string }>(path, {})
    if (options.json) return printJson({ secret })
    print(secret)
    say(`this secret is shown once; the former one of watch ${id} is no longer valid`)
  })
}

interface Told {
  signals: SignalView[]
  notices: NoticeView[]
}

export function notices(id: string, options: WatchOptions & { limit: number }): Promise<number> {
  return throughApi(options, async (api) => {
    const at = `/watches/${Number(id)}`
    const told = await api.get<Told>(`${at}/notices?limit=${options.limit}`)
    const hubs = await api.get<WebsubView[]>(`${at}/hubs`)
    if (options.json) return printJson({ ...told, hubs })
    const sources = told.signals.map((signal) => [
      signal.source,
      String(signal.notices),
      String(signal.changed),
      signal.precision === null ? '-' : signal.precision.toFixed(2),
    ])
    print(tableText([['SOURCE', 'NOTICES', 'TRUE', 'PRECISION'], ...sources]))
    const lines = told.notices.map((notice) => [
      timeText(notice.at),
      notice.source,
      notice.isEarly ? 'due at once' : 'noted',
      notice.outcome ?? 'open',
      notice.url,
    ])
    if (lines.length > 0) print(tableText(lines))
    for (const { hub, topic, state, problem } of hubs) {
      print(`hub ${hub} for ${topic}: ${state}${problem === null ? '' : ` (${problem})`}`)
    }
  })
}
