/** `minga watch categories`: the station's list of topics. */
import type { WatchCategoryView } from '@minga/protocol'
import { BadOption } from '../../errors.ts'
import { throughApi, type WatchOptions } from './station.ts'
import { print, printJson, tableText } from './text.ts'

export interface CategoryOptions extends WatchOptions {
  add?: string
  rename?: string
  remove?: number
}

export function categories(options: CategoryOptions): Promise<number> {
  return throughApi(options, async (api) => {
    const at = '/watches/categories'
    if (options.add !== undefined) await api.post(at, entryIn('--add', options.add))
    if (options.rename !== undefined) {
      const { code, name } = entryIn('--rename', options.rename)
      await api.patch(`${at}/${code}`, { name })
    }
    if (options.remove !== undefined) await api.remove(`${at}/${options.remove}`)
    const list = await api.get<WatchCategoryView[]>(at)
    if (options.json) return printJson({ categories: list })
    const rows = list.map(({ code, name, watches }) => [String(code), String(watches), name])
    print(tableText([['CODE', 'WATCHES', 'NAME'], ...rows]))
  })
}

function entryIn(option: string, text: string): { code: number; name: string } {
  const found = /^(\d{1,6})=(.+)$/.exec(text)
  if (found === null) throw new BadOption(option, 'CODE=NAME, as in 315=gardening', text)
  return { code: Number(found[1]), name: found[2]! }
}
