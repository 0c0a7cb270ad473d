/** What the page asks about the station's settings. */
import type { SettingValue, SettingView } from '@minga/protocol'
import { station } from './station.ts'

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
