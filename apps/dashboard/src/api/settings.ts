/** What the page asks about the station's settings. */
import { call, queryOf } from './call.ts'

export type SettingValue = string | number | boolean | null

export interface Setting {
  name: string
  value: SettingValue
  source: 'default' | 'flag' | 'changed'
  default: SettingValue
  unit: string | null
  about: string
  /** From when on a change holds. */
  holds: string
  min: number | null
  max: number | null
  choices: readonly string[] | null
  changedAt: number | null
  changedBy: string | null
}

export interface SettingChange {
  no: number
  name: string
  before: SettingValue
  after: SettingValue
  by: string | null
  at: number
  note: string | null
}

export const readSettings = (): Promise<Setting[]> => call('GET', '/settings')

export const changeSetting = (change: {
  name: string
  value: SettingValue
  note: string
}): Promise<Setting[]> =>
  call('PATCH', '/settings', {
    [change.name]: change.value,
    ...(change.note === '' ? {} : { note: change.note }),
  })

export const resetSetting = (name: string): Promise<Setting[]> =>
  call('DELETE', `/settings/${name}`)

/** Newest first. */
export const readChanges = (before: number | null, limit: number): Promise<SettingChange[]> =>
  call('GET', `/settings/changes${queryOf({ before, limit })}`)
