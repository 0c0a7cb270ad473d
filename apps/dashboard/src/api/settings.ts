/** What the page asks about the station's settings. */
import type { SettingChangeView, SettingValue, SettingView } from '@minga/protocol'
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

/** Newest first. */
export const readChanges = (before: number | null, limit: number): Promise<SettingChangeView[]> =>
  station('GET /settings/changes', { query: { before, limit } })
