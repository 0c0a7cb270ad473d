/**
 * Flags: findings about a client, until an operator decides. While a flag is open or confirmed its
 * effect holds; a dismissed one is not raised again on the same day.
 */
import { conditionsOf, readSortedPage, type FoundPage, type PageArgs, type Sql } from '@minga/store'
import { ClientHeld, NoSuchFlag } from './abuse-errors.ts'
import { anomaliesOf, type Anomaly, type FlagKind, type Severity } from './anomalies.ts'
import { dayOf, lockDay, readDay } from './client-days.ts'
import type { Samples } from './submission.ts'

export const FLAG_EFFECTS = ['notify', 'hold', 'cut'] as const
/** What an alarm does besides telling: new batches are refused, or fewer requests a day allowed. */
export type FlagEffect = (typeof FLAG_EFFECTS)[number]
export const FLAG_STATES = ['open', 'dismissed', 'confirmed'] as const
export type FlagState = (typeof FLAG_STATES)[number]

export interface Flag {
  id: string
  client: string
  kind: FlagKind
  severity: Severity
  evidence: Anomaly['evidence']
  samples: string[]
  effect: FlagEffect
  /** Requests a day, while a cut holds. */
  dayMax: number | null
  state: FlagState
  openedAt: number
  changedAt: number
  note: string | null
  decidedBy: string | null
  decidedAt: number | null
}

export type FlagRow = Omit<Flag, 'evidence' | 'samples'> & { evidence: string; samples: string }

export const FLAG_FIELDS = `id, client, kind, severity, evidence, samples, effect, day_max AS "dayMax", state,
  opened_at AS "openedAt", changed_at AS "changedAt", note, decided_by AS "decidedBy",
  decided_at AS "decidedAt"`

export const flagOf = (row: FlagRow): Flag => ({
  ...row,
  evidence: JSON.parse(row.evidence) as Anomaly['evidence'],
  samples: JSON.parse(row.samples) as string[],
})

export interface RaiseFlags {
  client: string
  /** Made by the caller, new for every call. */
  newId: string
  /** What an alarm does. */
  effect: FlagEffect
  cutDayMax: number
  now: number
}

/**
 * Checks the client's day, one check at a time; returns how many flags are new or more serious than
 * before.
 */
export async function raiseFlags(sql: Sql, args: RaiseFlags): Promise<number> {
  await lockDay(sql, args.client, dayOf(args.now))
  const read = await readDay(sql, args)
  if (read === null) return 0
  let news = 0
  for (const anomaly of anomaliesOf(read.day)) {
    const known = await standing(sql, args, anomaly.kind)
    if (known === undefined) await insertFlag(sql, args, { anomaly, samples: read.samples })
    else if (known.state === 'open') await renewFlag(sql, args, { known, anomaly, ...read })
    if (known === undefined || isWorse(known, anomaly)) news++
  }
  return news
}

const isWorse = (known: FlagRow, { severity }: Anomaly): boolean =>
  known.state === 'open' && known.severity === 'notice' && severity === 'alarm'

/** The flag that speaks for this kind: an undecided or confirmed one, or one dismissed today. */
async function standing(
  sql: Sql,
  { client, now }: RaiseFlags,
  kind: FlagKind,
): Promise<FlagRow | undefined> {
  const row = await sql.get<FlagRow>(
    `SELECT ${FLAG_FIELDS} FROM abuse_flags WHERE client = ? AND kind = ?
     ORDER BY opened_at DESC LIMIT 1`,
    [client, kind],
  )
  if (row?.state !== 'dismissed') return row
  return dayOf(row.decidedAt ?? 0) === dayOf(now) ? row : undefined
}

interface Raising {
  anomaly: Anomaly
  samples: Samples
}

async function insertFlag(
  sql: Sql,
  args: RaiseFlags,
  { anomaly, samples }: Raising,
): Promise<void> {
  const { kind, severity, evidence } = anomaly
  const { effect, dayMax } = effectOf(args, severity)
  await sql.insertMany({
    table: 'abuse_flags',
    columns: FLAG_COLUMNS,
    rows: [
      [
        `flg_${args.newId}_${kind}`,
        args.client,
        kind,
        severity,
        JSON.stringify(evidence),
        JSON.stringify(samplesOf(kind, samples)),
        effect,
        dayMax,
        'open',
        args.now,
        args.now,
      ],
    ],
  })
}

const FLAG_COLUMNS = [
  'id',
  'client',
  'kind',
  'severity',
  'evidence',
  'samples',
  'effect',
  'day_max',
  'state',
  'opened_at',
  'changed_at',
]

/** The numbers follow the day; what it does follows only when it becomes more serious. */
async function renewFlag(
  sql: Sql,
  args: RaiseFlags,
  { known, anomaly, samples }: Raising & { known: FlagRow },
): Promise<void> {
  const isNews = isWorse(known, anomaly)
  const severity = isNews ? 'alarm' : known.severity
  const { effect, dayMax } = isNews ? effectOf(args, severity) : known
  await sql.run(
    `UPDATE abuse_flags SET evidence = ?, samples = ?, severity = ?, effect = ?, day_max = ?,
       changed_at = ?, notified_at = ${isNews ? 'NULL' : 'notified_at'} WHERE id = ?`,
    [
      JSON.stringify(anomaly.evidence),
      JSON.stringify(samplesOf(known.kind, samples)),
      severity,
      effect,
      dayMax,
      args.now,
      known.id,
    ],
  )
}

function effectOf(
  args: Pick<RaiseFlags, 'effect' | 'cutDayMax'>,
  severity: Severity,
): { effect: FlagEffect; dayMax: number | null } {
  const effect = severity === 'alarm' ? args.effect : 'notify'
  return { effect, dayMax: effect === 'cut' ? args.cutDayMax : null }
}

/** Which of the day's samples show what a flag is about. */
const SAMPLES_OF: Partial<Record<FlagKind, string>> = {
  injection: 'injections',
  credentials: 'credentials',
  enumeration: 'numbered',
  evasion: 'reasked',
  clicks: 'effects',
  probing: 'probes',
}

function samplesOf(kind: FlagKind, samples: Samples): string[] {
  return samples[SAMPLES_OF[kind] ?? ''] ?? []
}

export interface DecideFlag {
  id: string
  state: FlagState | null
  effect: FlagEffect | null
  cutDayMax: number
  note: string | null
  by: string
  now: number
}

/** What an operator makes of it. An effect that is not named stays as it is. */
export async function decideFlag(sql: Sql, args: DecideFlag): Promise<Flag> {
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  const known = await sql.get<FlagRow>(
    `SELECT ${FLAG_FIELDS} FROM abuse_flags WHERE id = ?${lock}`,
    [args.id],
  )
  if (!known) throw new NoSuchFlag(args.id)
  const effect = args.effect ?? known.effect
  const row = await sql.get<FlagRow>(
    `UPDATE abuse_flags SET state = ?, effect = ?, day_max = ?, note = ?, decided_by = ?,
       decided_at = ?, changed_at = ? WHERE id = ? RETURNING ${FLAG_FIELDS}`,
    [
      args.state ?? known.state,
      effect,
      effect === 'cut' ? (known.dayMax ?? args.cutDayMax) : null,
      args.note ?? known.note,
      args.by,
      args.now,
      args.now,
      args.id,
    ],
  )
  return flagOf(row!)
}

/** Flags that hold something back for this client now, the oldest first. */
export async function restrictionsOf(sql: Sql, args: { client: string }): Promise<Flag[]> {
  const rows = await sql.all<FlagRow>(
    `SELECT ${FLAG_FIELDS} FROM abuse_flags
     WHERE client = ? AND state IN ('open', 'confirmed') AND effect <> 'notify'
     ORDER BY opened_at, id`,
    [args.client],
  )
  return rows.map(flagOf)
}

/** Refuses a held client; answers how many requests a day a cut leaves, or null. */
export async function checkRestrictions(
  sql: Sql,
  args: { client: string },
): Promise<number | null> {
  const flags = await restrictionsOf(sql, args)
  const hold = flags.find(({ effect }) => effect === 'hold')
  if (hold) throw new ClientHeld(hold)
  const cuts = flags.map(({ dayMax }) => dayMax).filter((dayMax) => dayMax !== null)
  return cuts.length === 0 ? null : Math.min(...cuts)
}

/** Returns flags that were not reported to the operator yet, and marks them as reported. */
export async function claimUnreportedFlags(
  sql: Sql,
  args: { limit: number; now: number },
): Promise<Flag[]> {
  const rows = await sql.all<FlagRow>(
    `SELECT ${FLAG_FIELDS} FROM abuse_flags WHERE notified_at IS NULL
     ORDER BY opened_at, id LIMIT ?${sql.forUpdateSkipLocked}`,
    [args.limit],
  )
  await sql.updateMany({
    table: 'abuse_flags',
    keys: ['id'],
    set: ['notified_at'],
    rows: rows.map(({ id }) => [id, args.now]),
  })
  return rows.map(flagOf)
}

/** How many wait for a decision. */
export async function openFlags(sql: Sql): Promise<number> {
  const row = await sql.get<{ open: number }>(
    `SELECT COUNT(*) AS open FROM abuse_flags WHERE state = 'open'`,
  )
  return row!.open
}

/** Later than any time: what waits for a decision comes together, each part by its age. */
const LATE = 1_000_000_000_000_000

const ORDERS = {
  openedAt: 'opened_at',
  changedAt: 'changed_at',
  client: 'client',
  kind: 'kind',
  severity: 'severity',
  state: `(CASE WHEN state = 'open' THEN opened_at + ${LATE} ELSE opened_at END)`,
  effect: 'effect',
} as const
export const FLAG_ORDERS = Object.keys(ORDERS) as (keyof typeof ORDERS)[]

export interface FindFlagsArgs extends PageArgs {
  readonly state?: FlagState | null | undefined
  readonly client?: string | null | undefined
  readonly kind?: FlagKind | undefined
  readonly severity?: Severity | undefined
  readonly effect?: FlagEffect | undefined
  readonly from?: number | undefined
  readonly to?: number | undefined
  readonly order: keyof typeof ORDERS
}

/** Flags by client, kind, weight and what was decided, in an order that the reader chose, page by page. */
export async function findFlags(sql: Sql, args: FindFlagsArgs): Promise<FoundPage<Flag>> {
  const listing = {
    columns: FLAG_FIELDS,
    from: 'FROM abuse_flags',
    id: 'id',
    order: ORDERS[args.order],
    texts: ['client', `COALESCE(note, '')`, 'id'],
    conditions: conditionsOf([
      ['state = ?', args.state],
      ['client = ?', args.client],
      ['kind = ?', args.kind],
      ['severity = ?', args.severity],
      ['effect = ?', args.effect],
      ['opened_at >= ?', args.from],
      ['opened_at < ?', args.to],
    ]),
  }
  const page = await readSortedPage<FlagRow>(sql, listing, args)
  return { ...page, rows: page.rows.map(flagOf) }
}
