/** Settings as people type them; what a value may be, the station itself says. */
import type { SettingValue, SettingView } from '../../api/station-api.ts'

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

/** What the page can tell before the station is asked: no number, or one out of range. */
export function problemIn(text: string, setting: SettingView): 'number' | 'range' | null {
  const { choices, min, max } = setting
  const value = valueIn(text, setting)
  // Whether it may be left empty only the station knows.
  if (choices !== null || min === null || max === null || value === null) return null
  if (typeof value !== 'number') return 'number'
  return value < min || value > max ? 'range' : null
}

export function differs({ value, default: usual }: SettingView): boolean {
  return JSON.stringify(value) !== JSON.stringify(usual)
}

/** As a station reads them from its environment: `MINGA_SETTING_CACHE_MS=3600000`. */
export function environmentOf(settings: readonly SettingView[]): string {
  return settings.map(({ name, value }) => `${variableOf(name)}=${quoted(value)}`).join('\n')
}

function variableOf(name: string): string {
  return `MINGA_SETTING_${name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}

/** For a shell: what is no plain word stands in quotes. */
function quoted(value: SettingValue): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return /^[\w.:/-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** As settings.json in the folder of a station. */
export function jsonOf(settings: readonly SettingView[]): string {
  return JSON.stringify(
    Object.fromEntries(settings.map(({ name, value }) => [name, value])),
    null,
    2,
  )
}
