/** What each client did, day by day: written in the transactions that take requests in and end them. */
import type { Sql } from '@minga/store'
import type { ClientDay, DayCounts } from './anomalies.ts'
import { addSample, isNextNumber, type Samples, type Submission } from './submission.ts'

const DAY_MS = 86_400_000
/** As much as "usual" is computed from, and a little more. */
const KEPT_DAYS = 35
const HISTORY_DAYS = 28

export const dayOf = (now: number): number => Math.floor(now / DAY_MS)

interface DayRow extends DayCounts {
  last_url: string | null
  samples: string
}

/** The client's row of today, locked: two uploads of one client must not lose each other's counts. */
export async function lockDay(sql: Sql, client: string, day: number): Promise<DayRow> {
  await sql.insertMany({
    table: 'client_days',
    columns: ['client', 'day'],
    rows: [[client, day]],
    onConflict: 'ignore',
  })
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  const row = await sql.get<DayRow>(
    `SELECT * FROM client_days WHERE client = ? AND day = ?${lock}`,
    [client, day],
  )
  return row!
}

export interface NoteSubmission {
  client: string
  submission: Submission
  /** Of these, requests that were answered with a site's earlier refusal. */
  reasked: readonly string[]
  now: number
}

/** Answers whether the day is worth a look: something was noticed, or much has come since the last. */
export async function noteSubmission(sql: Sql, args: NoteSubmission): Promise<boolean> {
  const { client, submission, reasked, now } = args
  const day = dayOf(now)
  const row = await lockDay(sql, client, day)
  const goesOn =
    row.last_url !== null &&
    submission.firstUrl !== null &&
    isNextNumber(row.last_url, submission.firstUrl)
  const numbered = submission.numbered + (goesOn ? 1 : 0)
  const { submitted, denied, injections, credentials, effects, probes, lastUrl } = submission
  await sql.run(
    `UPDATE client_days SET submitted = submitted + ?, denied = denied + ?,
       injections = injections + ?, credentials = credentials + ?, effects = effects + ?,
       probes = probes + ?, numbered = numbered + ?, reasked = reasked + ?, last_url = ?,
       samples = ?, changed_at = ?
     WHERE client = ? AND day = ?`,
    [
      submitted,
      denied,
      injections,
      credentials,
      effects,
      probes,
      numbered,
      reasked.length,
      lastUrl,
      mergedSamples(row.samples, { ...submission.samples, reasked: [...reasked] }),
      now,
      client,
      day,
    ],
  )
  for (const [host, count] of submission.hosts) {
    await sql.run(
      `INSERT INTO client_hosts (client, day, host, submitted) VALUES (?, ?, ?, ?)
       ON CONFLICT (client, day, host) DO UPDATE SET
         submitted = client_hosts.submitted + excluded.submitted`,
      [client, day, host, count],
    )
  }
  const isSuspect = denied + injections + credentials + effects + probes + reasked.length > 0
  return isSuspect || isPast(row.submitted, submitted)
}

/** Single requests come by the thousand: their client is checked once in a hundred. */
const LOOK_EVERY = 100

const isPast = (before: number, added: number): boolean =>
  Math.floor(before / LOOK_EVERY) !== Math.floor((before + added) / LOOK_EVERY)

function mergedSamples(known: string, added: Samples): string {
  const samples = JSON.parse(known) as Samples
  for (const [kind, urls] of Object.entries(added)) {
    for (const url of urls) addSample(samples, kind, url)
  }
  return JSON.stringify(samples)
}

export interface Answered {
  client: string
  status: number | null
}

/** Statuses by which a site says that this is not for everyone. */
const REFUSED: ReadonlySet<number> = new Set([401, 403, 407, 451])
const MISSING: ReadonlySet<number> = new Set([404, 410])

/** Counts what sites answered; a request that was never sent is not among them. */
export async function noteAnswers(
  sql: Sql,
  args: { answers: readonly Answered[]; now: number },
): Promise<void> {
  const answers = args.answers.filter(({ status }) => status !== null)
  const byClient = Map.groupBy(answers, ({ client }) => client)
  const day = dayOf(args.now)
  // In one order for everyone, so that two uploads never wait for each other's clients.
  for (const client of [...byClient.keys()].toSorted()) {
    const statuses = byClient.get(client)!.map(({ status }) => status!)
    const refused = statuses.filter((status) => REFUSED.has(status)).length
    const missing = statuses.filter((status) => MISSING.has(status)).length
    await sql.run(
      `INSERT INTO client_days (client, day, answered, refused, missing, changed_at)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (client, day) DO UPDATE SET
         answered = client_days.answered + excluded.answered,
         refused = client_days.refused + excluded.refused,
         missing = client_days.missing + excluded.missing,
         changed_at = excluded.changed_at`,
      [client, day, statuses.length, refused, missing, args.now],
    )
  }
}

/** Today as the rules want it, with the samples; null when the client did nothing. */
export async function readDay(
  sql: Sql,
  args: { client: string; now: number },
): Promise<{ day: ClientDay; samples: Samples } | null> {
  const { client } = args
  const today = dayOf(args.now)
  const rows = await sql.all<DayRow & { day: number }>(
    'SELECT * FROM client_days WHERE client = ? AND day >= ? ORDER BY day',
    [client, today - HISTORY_DAYS],
  )
  const row = rows.at(-1)
  if (row?.day !== today) return null
  const topHost = await sql.get<{ host: string; submitted: number }>(
    `SELECT host, submitted FROM client_hosts WHERE client = ? AND day = ?
     ORDER BY submitted DESC, host LIMIT 1`,
    [client, today],
  )
  const bySubmitted = new Map(rows.map((one) => [one.day, one.submitted]))
  const history: number[] = []
  for (let day = rows[0]!.day; day < today; day++) history.push(bySubmitted.get(day) ?? 0)
  const samples = JSON.parse(row.samples) as Samples
  return { day: { ...row, topHost: topHost ?? null, history }, samples }
}

/** Clients of whom something new is known since then. */
export async function clientsSince(sql: Sql, args: { since: number }): Promise<string[]> {
  const rows = await sql.all<{ client: string }>(
    'SELECT DISTINCT client FROM client_days WHERE changed_at >= ? ORDER BY client',
    [args.since],
  )
  return rows.map(({ client }) => client)
}

/** Deletes days that no rule reads any more. */
export async function sweepClientDays(sql: Sql, args: { now: number }): Promise<void> {
  const before = dayOf(args.now) - KEPT_DAYS
  await sql.run('DELETE FROM client_days WHERE day < ?', [before])
  // The hosts that a client requested matter today only.
  await sql.run('DELETE FROM client_hosts WHERE day < ?', [dayOf(args.now) - 1])
}
