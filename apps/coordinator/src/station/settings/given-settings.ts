/**
 * What holds when a station starts, before anyone changed anything:
 *
 *   default  <  the file settings.json in its folder  <  an environment variable  <  a flag
 */
import { BadSetting } from '../errors.ts'
import { isSettingName, SETTING_NAMES, type SettingName, type SettingValues } from './registry.ts'

export type GivenSource = 'file' | 'environment' | 'flag'

export interface GivenSettings {
  values: Partial<SettingValues>
  sources: Partial<Record<SettingName, GivenSource>>
}

interface Given {
  /** Text of the file, null when there is none. */
  file: string | null
  environment: Readonly<Record<string, string | undefined>>
  flags: Partial<SettingValues>
}

const PREFIX = 'MINGA_SETTING_'

/** `cacheMs` is MINGA_SETTING_CACHE_MS. */
export function variableOf(name: string): string {
  return PREFIX + name.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
}

/** Whether the values may be what they are is checked where all settings are. */
export function givenSettings({ file, environment, flags }: Given): GivenSettings {
  const parts: [GivenSource, Record<string, unknown>][] = [
    ['file', inFile(file)],
    ['environment', inEnvironment(environment)],
    ['flag', flags],
  ]
  const values = Object.assign({}, ...parts.map(([, part]) => part)) as Partial<SettingValues>
  const sources = parts.flatMap(([source, part]) =>
    Object.keys(part)
      .filter(isSettingName)
      .map((name) => [name, source] as const),
  )
  return { values, sources: Object.fromEntries(sources) }
}

function inFile(text: string | null): Record<string, unknown> {
  if (text === null) return {}
  const found = parsed(text)
  if (typeof found === 'object' && found !== null && !Array.isArray(found)) {
    return found as Record<string, unknown>
  }
  throw new BadSetting(['settings.json must be a JSON object of settings'])
}

/** A misspelt variable is reported, because otherwise it would be silently ignored. */
function inEnvironment(environment: Given['environment']): Record<string, unknown> {
  const names = new Map(SETTING_NAMES.map((name) => [variableOf(name), name]))
  const given = Object.entries(environment).filter(
    ([variable, text]) => variable.startsWith(PREFIX) && text !== undefined && text !== '',
  )
  return Object.fromEntries(
    given.map(([variable, text]) => [names.get(variable) ?? variable, parsed(text!)]),
  )
}

/** A number, JSON or null; what is none of these is a word. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
