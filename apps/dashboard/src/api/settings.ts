/** What the page asks about the station's settings. */
import type { SettingChangeView, SettingValue, SettingView, SortedPage } from '@minga/protocol'
import type { SortedQuery } from '../components/list/sorted-pages.ts'
import { station } from './station.ts'

export const readSettings = (): Promise<SettingView[]> => station('GET /settings')

export const changeSetting = (change: {
  name: string
  value: SettingValue
  note: string
}): Promise<SettingView[]> =>
  station('PATCH /settings', {
    body: {
      [change.name]: change.value,
      ...(change.note === '' ? {} : { note: change.note }),
    },
  })

export const resetSetting = (name: string): Promise<SettingView[]> =>
  station('DELETE /settings/{name}', { params: { name } })

export const findChanges = (query: SortedQuery): Promise<SortedPage<SettingChangeView>> =>
  station('GET /settings/changes/page', { query })
