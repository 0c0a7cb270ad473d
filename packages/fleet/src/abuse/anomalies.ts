/**
 * What of a client's day is out of the ordinary: pure rules over the day's counts and the days
 * before. A `notice` is for the operator's eyes; an `alarm` has an effect if the operator set one.
 */

export interface DayCounts {
  submitted: number
  denied: number
  injections: number
  credentials: number
  effects: number
  probes: number
  numbered: number
  answered: number
  refused: number
  missing: number
  reasked: number
}

export interface ClientDay extends DayCounts {
  /** The host that got most of it, when one stands out. */
  topHost: { host: string; submitted: number } | null
  /** What was submitted on each of the days before, the oldest first; 0 on days without any. */
  history: readonly number[]
}

export const FLAG_KINDS = [
  'injection',
  'credentials',
  'denied',
  'volume',
  'hammering',
  'scanning',
  'enumeration',
  'evasion',
  'clicks',
  'probing',
] as const
export type FlagKind = (typeof FLAG_KINDS)[number]
export const SEVERITIES = ['notice', 'alarm'] as const
export type Severity = (typeof SEVERITIES)[number]

export interface Anomaly {
  kind: FlagKind
  severity: Severity
  evidence: Record<string, number | string>
}

interface Rule {
  kind: FlagKind
  /** Null when there is nothing to say. */
  judge: (day: ClientDay) => Omit<Anomaly, 'kind'> | null
}

/** From the count on that a person looking at the log would call it a habit. */
function counted(
  count: number,
  limits: { notice: number; alarm: number },
  evidence: Anomaly['evidence'],
): Omit<Anomaly, 'kind'> | null {
  if (count < limits.notice) return null
  return { severity: count >= limits.alarm ? 'alarm' : 'notice', evidence }
}

/** Half of what is asked for is not there or not for everyone. */
const SCAN_SHARE = 0.5
const DENIED_SHARE = 0.2
const HAMMER_SHARE = 0.8
const NUMBERED_SHARE = 0.5
/** Less than this in a day is too little to be a flood, whatever was before. */
const VOLUME_MIN = 1_000
/** With fewer days of history the usual amount is unknown. */
const HISTORY_DAYS_MIN = 7
/** Robust z: about 6 spreads above the median does not happen by chance. */
const VOLUME_NOTICE_Z = 6
const VOLUME_ALARM_Z = 30

const RULES: readonly Rule[] = [
  {
    // One is reported at once; ten are no accident.
    kind: 'injection',
    judge: ({ injections, submitted }) =>
      counted(injections, { notice: 1, alarm: 10 }, { injections, submitted }),
  },
  {
    kind: 'credentials',
    judge: ({ credentials, submitted }) =>
      counted(credentials, { notice: 1, alarm: 10 }, { credentials, submitted }),
  },
  {
    kind: 'denied',
    judge: ({ denied, submitted }) =>
      denied < submitted * DENIED_SHARE
        ? null
        : counted(denied, { notice: 50, alarm: 1_000 }, { denied, submitted }),
  },
  { kind: 'volume', judge: judgeVolume },
  {
    kind: 'hammering',
    judge: ({ topHost, submitted }) =>
      topHost === null || topHost.submitted < submitted * HAMMER_SHARE
        ? null
        : counted(
            topHost.submitted,
            { notice: 2_000, alarm: 50_000 },
            { ...topHost, all: submitted },
          ),
  },
  {
    kind: 'scanning',
    judge: ({ refused, missing, answered }) =>
      refused + missing < answered * SCAN_SHARE
        ? null
        : counted(refused + missing, { notice: 100, alarm: 500 }, { refused, missing, answered }),
  },
  {
    kind: 'enumeration',
    judge: ({ numbered, submitted }) =>
      numbered < submitted * NUMBERED_SHARE
        ? null
        : counted(numbered, { notice: 500, alarm: 20_000 }, { numbered, submitted }),
  },
  {
    // A client that keeps requesting what a site refused hopes for another machine or country.
    kind: 'evasion',
    judge: ({ reasked, refused }) =>
      counted(reasked, { notice: 5, alarm: 25 }, { reasked, refused }),
  },
  {
    kind: 'clicks',
    judge: ({ effects, submitted }) =>
      counted(effects, { notice: 20, alarm: 200 }, { effects, submitted }),
  },
  {
    kind: 'probing',
    judge: ({ probes, submitted }) =>
      counted(probes, { notice: 5, alarm: 50 }, { probes, submitted }),
  },
]

export function anomaliesOf(day: ClientDay): Anomaly[] {
  return RULES.flatMap(({ kind, judge }) => {
    const found = judge(day)
    return found === null ? [] : [{ kind, ...found }]
  })
}

function judgeVolume({ submitted, history }: ClientDay): Omit<Anomaly, 'kind'> | null {
  if (submitted < VOLUME_MIN || history.length < HISTORY_DAYS_MIN) return null
  const z = robustZ(submitted, history)
  const evidence = { submitted, usual: median(history), z: Math.round(z * 10) / 10 }
  return counted(z, { notice: VOLUME_NOTICE_Z, alarm: VOLUME_ALARM_Z }, evidence)
}

/** Makes the median absolute deviation of a normal distribution its standard deviation. */
const MAD_TO_SIGMA = 1.4826
/** A client that sends exactly 500 a day has no spread: a tenth more must not be infinitely much. */
const SPREAD_SHARE_MIN = 0.1
const SPREAD_MIN = 10

/**
 * How many spreads above its own median. Iglewicz and Hoaglin, "How to detect and handle outliers",
 * 1993: median and MAD are not moved by the very days that are looked for.
 */
export function robustZ(value: number, history: readonly number[]): number {
  const middle = median(history)
  const mad = median(history.map((one) => Math.abs(one - middle)))
  return (value - middle) / Math.max(MAD_TO_SIGMA * mad, middle * SPREAD_SHARE_MIN, SPREAD_MIN)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[half]! : (sorted[half - 1]! + sorted[half]!) / 2
}
