/** The one line that a volunteer copies, with the limits that they chose. */

/** As the fields of the form have them; empty: no such limit, or the agent's own. */
export interface JoinLimits {
  /** Bytes per second, such as `1MB`. */
  bandwidth: string
  /** Bytes per month, such as `20GB`. */
  monthly: string
  /** Such as `22:00-07:00`. */
  hours: string
  /** Share of a processor: 0.5 is half of one. */
  cpu: string
  worksOnBattery: boolean
  worksOnMetered: boolean
}

export const NO_LIMITS: JoinLimits = {
  bandwidth: '',
  monthly: '',
  hours: '',
  cpu: '',
  worksOnBattery: false,
  worksOnMetered: false,
}

/** The fields that are text, what each takes, and its option. */
export const LIMIT_FIELDS = [
  ['bandwidth', '--bandwidth', /^\d+(\.\d+)? ?[kmgt]?i?b?$/i],
  ['monthly', '--monthly', /^\d+(\.\d+)? ?[kmgt]?i?b?$/i],
  ['hours', '--hours', /^\d{1,2}:\d{2}-\d{1,2}:\d{2}( ?, ?\d{1,2}:\d{2}-\d{1,2}:\d{2})*$/],
  ['cpu', '--cpu', /^\d+(\.\d+)?$/],
] as const

export type LimitField = (typeof LIMIT_FIELDS)[number][0]

/** Fields that say nothing that an agent understands. */
export function badLimits(limits: JoinLimits): LimitField[] {
  return LIMIT_FIELDS.filter(([name, , form]) => {
    const text = limits[name].trim()
    return text !== '' && !form.test(text)
  }).map(([name]) => name)
}

/** Where a volunteer joins, and what the station hands out for it. */
export interface JoinPlace {
  /** Its address, without a slash at its end. */
  station: string
  /** Path of the program's tarball; null when the station has none. */
  programPath: string | null
}

/** Whether only the machine that the station runs on reaches this address. */
export function isOnlyHere(station: string): boolean {
  const { hostname } = new URL(station)
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
}

/** From the second time on. A machine without the station's tarball needs Minga itself. */
export function joinAgain({ station, programPath }: JoinPlace): string {
  return `${programPath === null ? 'minga agent' : 'minga-agent'} join ${station}`
}

/** What is not understood is left out: the line is always one that works. */
export function joinCommand(
  place: JoinPlace,
  token: string,
  limits: JoinLimits = NO_LIMITS,
): string {
  const bad = badLimits(limits)
  const options = LIMIT_FIELDS.flatMap(([name, option]) => {
    const text = limits[name].replaceAll(' ', '')
    return text === '' || bad.includes(name) ? [] : [`${option} ${text}`]
  })
  if (limits.worksOnBattery) options.push('--no-pause-on-battery')
  if (limits.worksOnMetered) options.push('--no-pause-on-metered')
  const { station, programPath } = place
  const install = programPath === null ? '' : `npm install -g ${station}${programPath} && `
  return [`${install}${joinAgain(place)} --token ${token}`, ...options].join(' ')
}
