/** What the page asks about the station's settings. */
import type { SettingChangeView, SettingValue, SettingView } from '@minga/protocol'
import { call, queryOf } from './call.ts'

export const readSettings = (): Promise<SettingView[]> => call('GET', '/settings')

export const changeSetting = (change: {
  name: string
  value: SettingValue
  note: string
}): Promise<SettingView[]> =>
  call('PATCH', '/settings', {
    [change.name]: change.value,
    ...(change.note === '' ? {} : { note: change.note }),
  })

export const resetSetting = (name: string): Promise<SettingView[]> =>
  call('DELETE', `/settings/${name}`)

/** Newest first. */
export const readChanges = (before: number | null, limit: number): Promise<SettingChangeView[]> =>
  call('GET', `/settings/changes${queryOf({ before, limit })}`)
