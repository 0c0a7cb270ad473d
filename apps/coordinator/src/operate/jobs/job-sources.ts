/** Where jobs stand that may be many: which rows they are, and what their own words for states mean. */
import { parseSpec } from '@minga/frontier'
import type { JobKind, JobState } from '@minga/protocol'
import { progressOf } from '../../wiki/tasks/wiki-task.ts'
import { errorOf, type JobRow } from './job-rows.ts'

/** All in SQL; what a source does not say is null. */
interface Columns {
  of: string
  subject: string
  about?: string
  startedAt?: string
  endedAt?: string
  attempts?: string
  done?: string
  total?: string
  owner?: string
  error?: string
  /** More that `tell` reads. */
  more?: string
}

export interface JobSource {
  kind: JobKind
  from: string
  where?: string
  groupBy?: string
  /** When it was asked for, by an index; and different for every row, among those of one moment. */
  at: string
  key: string
  isKeyNumber: boolean
  state: string
  columns: Columns
  /** What cannot be said in SQL of both engines. */
  tell?: (row: ToldRow) => Partial<JobRow>
}

export interface ToldRow extends Omit<JobRow, 'error' | 'id' | 'of' | 'subject'> {
  /** Numbers where the table has numbers. */
  id: string | number
  of: string | number
  subject: string | number
  error: string | null
  more: string | null
}

/** Their states in words that all have in common; any other is the last one. */
function stateOf(
  column: string,
  words: Partial<Record<string, JobState>>,
  other: JobState,
): string {
  const cases = Object.entries(words).map(([own, state]) => `WHEN '${own}' THEN '${state}'`)
  return `CASE ${column} ${cases.join(' ')} ELSE '${other}' END`
}

/** A collection has no name of its own; its first seed tells it apart. */
const seedIn = ({ more }: ToldRow): Partial<JobRow> => {
  return more === null ? {} : { subject: parseSpec(more).seeds[0] ?? '' }
}

const collection: JobSource = {
  kind: 'collection',
  from: 'collections c',
  // Others are listed as what they are collected for.
  where: ['watch', 'requests', 'audits', 'wiki']
    .map((kind) => `c.spec NOT LIKE '%"kind":"${kind}"%'`)
    .join(' AND '),
  at: 'c.created_at',
  key: 'c.id',
  isKeyNumber: true,
  state: stateOf(
    'c.state',
    { running: 'running', paused: 'paused', cancelled: 'cancelled' },
    'done',
  ),
  columns: {
    of: 'c.id',
    subject: 'c.id',
    startedAt: 'c.created_at',
    endedAt: 'c.ended_at',
    done: 'c.found - c.queued',
    total: 'c.found',
    owner: 'c.owner',
    more: 'c.spec',
  },
  tell: seedIn,
}

const query: JobSource = {
  kind: 'query',
  from: 'lake_queries q',
  at: 'q.made_at',
  key: 'q.id',
  isKeyNumber: false,
  state: `CASE WHEN q.state = 'running' AND q.started_at IS NULL THEN 'waiting' ELSE q.state END`,
  columns: {
    of: 'q.id',
    subject: 'q.id',
    about: 'q.kind',
    startedAt: 'q.started_at',
    endedAt: 'q.ended_at',
    // Failures of its tasks; those of queries that ended well no longer matter.
    attempts: `CASE WHEN q.state = 'done' THEN NULL ELSE
      (SELECT CAST(SUM(t.attempts + t.deaths) AS BIGINT) FROM lake_tasks t WHERE t.query = q.number) END`,
    done: 'q.done',
    total: 'q.total',
    owner: 'q.owner',
    error: 'q.error',
    more: 'q.ask',
  },
  tell: ({ error, more }) => {
    const { queries } = JSON.parse(more ?? '{}') as { queries?: string[] }
    const failure = error === null ? null : (JSON.parse(error) as { code: string; message: string })
    return {
      ...(queries === undefined || queries.length === 0 ? {} : { subject: queries.join(', ') }),
      error: failure === null ? null : { code: failure.code, message: failure.message },
    }
  },
}

const wiki: JobSource = {
  kind: 'wiki',
  from: 'wiki_tasks t LEFT JOIN wikis w ON w.id = t.wiki_id',
  at: 't.created_at',
  key: 't.id',
  isKeyNumber: true,
  state: 't.state',
  columns: {
    of: `COALESCE(w.key, '')`,
    subject: `COALESCE(w.key, '')`,
    about: 't.kind',
    startedAt: 't.started_at',
    endedAt: 't.ended_at',
    attempts: 't.attempts',
    error: 't.error',
    more: `'[' || t.arguments || ',' || t.progress || ']'`,
  },
  tell: ({ subject, more }) => {
    const [given, progress] = JSON.parse(more ?? '[{},{}]') as Record<string, unknown>[]
    const { pages, pagesDone } = progressOf({ progress: progress ?? {} })
    const asked = given?.['address']
    const owner = given?.['owner']
    return {
      subject: subject === '' && typeof asked === 'string' ? asked : String(subject),
      owner: typeof owner === 'string' ? owner : null,
      done: pagesDone,
      total: pages,
    }
  },
}

const harvest: JobSource = {
  kind: 'harvest',
  from: 'versions v JOIN collections c ON c.id = v.collection_id',
  at: 'v.started_at',
  key: 'v.collection_id * 1000000 + v.number',
  isKeyNumber: true,
  state: stateOf(
    'v.state',
    { waiting: 'waiting', running: 'running', paused: 'paused', cancelled: 'cancelled' },
    'done',
  ),
  columns: {
    of: 'v.collection_id',
    subject: 'v.collection_id',
    about: `'v' || v.number`,
    startedAt: 'v.started_at',
    endedAt: 'v.ended_at',
    done: 'v.documents',
    owner: 'c.owner',
    error: 'v.reason',
    more: 'c.spec',
  },
  tell: seedIn,
}

const batch: JobSource = {
  kind: 'batch',
  from: 'batches b',
  at: 'b.created_at',
  key: 'b.id',
  isKeyNumber: false,
  state: stateOf(
    'b.state',
    { filling: 'waiting', running: 'running', cancelled: 'cancelled' },
    'done',
  ),
  columns: {
    of: 'b.id',
    subject: 'b.id',
    startedAt: 'b.created_at',
    endedAt: 'b.ended_at',
    done: 'b.captured + b.failed + b.denied + b.cancelled',
    total: 'b.total',
    owner: 'b.client',
  },
}

const loadTest: JobSource = {
  kind: 'load-test',
  from: 'load_tests l',
  at: 'l.created_at',
  key: 'l.id',
  isKeyNumber: false,
  state: stateOf(
    'l.state',
    { waiting: 'waiting', preparing: 'running', running: 'running', aborted: 'cancelled' },
    'done',
  ),
  columns: {
    of: 'l.id',
    subject: 'l.host',
    startedAt: 'l.started_at',
    endedAt: 'l.ended_at',
    owner: 'l.account',
    error: 'l.reason',
  },
}

const neutrality: JobSource = {
  kind: 'neutrality',
  from: 'neutrality_runs r JOIN neutrality_monitors m ON m.id = r.monitor',
  at: 'r.started_at',
  key: `r.monitor || '.' || r.no`,
  isKeyNumber: false,
  state: `CASE WHEN r.ended_at IS NULL THEN 'running' ELSE 'done' END`,
  columns: {
    of: 'm.id',
    subject: 'm.name',
    about: `'#' || r.no`,
    startedAt: 'r.started_at',
    endedAt: 'r.ended_at',
    owner: 'm.account',
  },
}

const delivery: JobSource = {
  kind: 'delivery',
  from: 'alert_deliveries d JOIN alert_rules r ON r.id = d.rule_id',
  at: 'd.created_at',
  key: 'd.id',
  isKeyNumber: false,
  state: stateOf('d.state', { sending: 'running', sent: 'done', failed: 'failed' }, 'waiting'),
  columns: {
    of: `COALESCE(CAST(r.collection_id AS TEXT), '')`,
    subject: 'd.channel',
    endedAt: 'd.sent_at',
    attempts: 'd.tries',
    total: 'd.alerts',
    owner: 'r.account',
    error: 'd.problem',
  },
}

/** One for all captures that were asked for together. */
const takedown: JobSource = {
  kind: 'takedown',
  from: 'takedowns t',
  where: `t.kind <> 'superseded'`,
  groupBy: 't.asked_at, t.reason, t.by_whom',
  at: 't.asked_at',
  key: 'MIN(t.id)',
  isKeyNumber: true,
  state: `CASE WHEN MIN(CASE t.state WHEN 'done' THEN 1 ELSE 0 END) = 1 THEN 'done' ELSE 'running' END`,
  columns: {
    of: 'MIN(t.url)',
    subject: 'MIN(t.url)',
    startedAt: 't.asked_at',
    endedAt: 'MAX(t.done_at)',
    done: `CAST(SUM(CASE t.state WHEN 'done' THEN 1 ELSE 0 END) AS BIGINT)`,
    total: 'COUNT(*)',
    owner: 't.by_whom',
  },
}

/** A map that a newer one overtook before it was whole counts for nothing. */
const map: JobSource = {
  kind: 'map',
  from: 'place_maps p',
  at: 'p.at',
  key: 'p.epoch',
  isKeyNumber: true,
  state: `CASE WHEN p.is_whole = 1 THEN 'done'
    WHEN p.epoch = (SELECT MAX(epoch) FROM place_maps) THEN 'running' ELSE 'cancelled' END`,
  columns: {
    of: 'p.epoch',
    subject: 'p.reason',
    about: 'p.way',
    startedAt: 'p.at',
    done: 'p.hosts',
  },
}

export const JOB_SOURCES: readonly JobSource[] = [
  collection,
  query,
  wiki,
  harvest,
  batch,
  loadTest,
  neutrality,
  delivery,
  takedown,
  map,
].map((source) => ({ ...source, tell: (row) => toldBy(source, row) }))

function toldBy({ tell }: JobSource, row: ToldRow): Partial<JobRow> {
  return { error: errorOf(row.error), ...tell?.(row) }
}
