/** What a volunteer lends, as options: each one is remembered by the agent until it is changed. */
import type { VolunteerLimits } from '@minga/agent'
import { Option, type Command } from 'commander'
import { readFile } from 'node:fs/promises'
import { BadLimitsFile, BadOption } from '../../errors.ts'
import { append, wholeNumber } from '../../options.ts'

/** Not null: the parser of options would make an empty text of it. */
type None = 'none'

export interface LimitOptions {
  limits?: string
  requestsPerSecond?: number | None
  bandwidth?: number | None
  monthly?: number | None
  disk?: number
  cpu?: number | None
  hours?: string
  concurrencyMax?: number
  pauseOnBattery?: boolean
  pauseOnMetered?: boolean
  neverHost?: string[]
}

export function addLimitOptions(command: Command): Command {
  return command
    .option('--limits <file>', 'JSON file with any of the limits; options come after it')
    .option('--requests-per-second <n>', 'or none', orNone(positive('--requests-per-second')))
    .option(
      '--bandwidth <bytes>',
      'per second, such as 1MB, or none',
      orNone(amount('--bandwidth')),
    )
    .option(
      '--monthly <bytes>',
      'per calendar month, such as 20GB, or none',
      orNone(amount('--monthly')),
    )
    .option('--disk <bytes>', 'for its log, such as 200MB', amount('--disk'))
    .option(
      '--cpu <share>',
      'of processors: 0.5 is half of one; or none',
      orNone(positive('--cpu')),
    )
    .option('--hours <hours>', 'such as 22:00-07:00,12:00-13:00, or always')
    .option(
      '--concurrency-max <n>',
      'requests in flight that the tuning stays below',
      wholeNumber('--concurrency-max', 1),
    )
    .option('--pause-on-battery', 'pause while this machine runs on battery (the default)')
    .option('--no-pause-on-battery', 'work on battery too')
    .option('--pause-on-metered', 'pause on a metered connection (the default)')
    .option('--no-pause-on-metered', 'work on a metered line too')
    .addOption(
      new Option(
        '--never-host <name>',
        'a host that is never requested, `*.` allowed (repeatable)',
      ).argParser(append),
    )
}

/** What was asked for, the file's first; what was not named stays as it is remembered. */
export async function limitsIn(options: LimitOptions): Promise<Partial<VolunteerLimits>> {
  const given: Partial<VolunteerLimits> = {
    ...(options.requestsPerSecond === undefined
      ? {}
      : { requestsPerSecond: orNull(options.requestsPerSecond) }),
    ...(options.bandwidth === undefined ? {} : { bytesPerSecond: orNull(options.bandwidth) }),
    ...(options.monthly === undefined ? {} : { bytesPerMonth: orNull(options.monthly) }),
    ...(options.disk === undefined ? {} : { diskBytes: options.disk }),
    ...(options.cpu === undefined ? {} : { cpuShare: orNull(options.cpu) }),
    ...(options.hours === undefined
      ? {}
      : { hours: options.hours === 'always' ? null : options.hours }),
    ...(options.concurrencyMax === undefined ? {} : { concurrencyMax: options.concurrencyMax }),
    ...(options.pauseOnBattery === undefined ? {} : { pauseOnBattery: options.pauseOnBattery }),
    ...(options.pauseOnMetered === undefined ? {} : { pauseOnMetered: options.pauseOnMetered }),
    ...(options.neverHost === undefined ? {} : { neverHosts: options.neverHost }),
  }
  return { ...(options.limits === undefined ? {} : await limitsFile(options.limits)), ...given }
}

/** Its fields are judged by the agent, like those of its page. */
async function limitsFile(file: string): Promise<Partial<VolunteerLimits>> {
  try {
    const limits: unknown = JSON.parse(await readFile(file, 'utf8'))
    if (typeof limits === 'object' && limits !== null && !Array.isArray(limits)) return limits
  } catch (cause) {
    throw new BadLimitsFile(file, { cause })
  }
  throw new BadLimitsFile(file)
}

function orNone<T>(parse: (value: string) => T): (value: string) => T | None {
  return (value) => (value === 'none' ? 'none' : parse(value))
}

function orNull(limit: number | None): number | null {
  return limit === 'none' ? null : limit
}

function positive(option: string): (value: string) => number {
  return (value) => {
    const number = Number(value)
    if (!/^\d+(\.\d+)?$/.test(value) || number <= 0) {
      throw new BadOption(option, 'a number above 0, or none', value)
    }
    return number
  }
}

const UNITS: Record<string, number> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  ki: 1024,
  mi: 1024 ** 2,
  gi: 1024 ** 3,
  ti: 1024 ** 4,
}

/** `500kB`, `1.5 GB`, `200MiB`, or plain bytes. */
export function amount(option: string): (value: string) => number {
  return (value) => {
    const match = /^(\d+(?:\.\d+)?)\s*((?:[kmgt]i?)?)b?$/i.exec(value)
    const unit = UNITS[(match?.[2] ?? '').toLowerCase()]
    const bytes = Math.round(Number(match?.[1]) * (unit ?? Number.NaN))
    if (!Number.isSafeInteger(bytes) || bytes <= 0) {
      throw new BadOption(option, 'an amount such as 500kB, 1MB or 20GB', value)
    }
    return bytes
  }
}
