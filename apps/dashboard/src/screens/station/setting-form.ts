/** Settings as people type them; what a value may be, the station itself says. */
import type { SettingValue, SettingView } from '@minga/protocol'

export function textOf(value: SettingValue): string {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value, null, 2)
  return value === null ? '' : String(value)
}

/** Whether it takes more than a number or a word: a filter. */
export function isLong({ choices, min }: SettingView): boolean {
  return choices === null && min === null
}

/** Numbers are numbers, empty is none, all else goes to the station as it was typed. */
export function valueIn(text: string, setting: SettingView): SettingValue {
  const typed = text.trim()
  if (setting.choices !== null) return typed
  if (typed === '') return null
  if (isLong(setting)) return parsed(typed)
  if (typed === 'true' || typed === 'false') return typed === 'true'
  const number = Number(typed.replace(',', '.'))
  return Number.isNaN(number) ? typed : number
}

function parsed(text: string): SettingValue {
  try {
    return JSON.parse(text) as SettingValue
  } catch {
    return text
  }
}
