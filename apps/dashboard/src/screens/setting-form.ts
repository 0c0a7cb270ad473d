/** Settings as people type them; what a value may be, the station itself says. */
import type { SettingValue, SettingView } from '@minga/protocol'

export function textOf(value: SettingValue): string {
  return value === null ? '' : String(value)
}

/** Numbers are numbers, empty is none, all else goes to the station as it was typed. */
export function valueIn(text: string, { choices }: SettingView): SettingValue {
  const typed = text.trim()
  if (choices !== null) return typed
  if (typed === '') return null
  if (typed === 'true' || typed === 'false') return typed === 'true'
  const number = Number(typed.replace(',', '.'))
  return Number.isNaN(number) ? typed : number
}
