/** Answers of the feeds: recent changes and the log, as pages to check again and as events. */
import { problemOf, type Envelope } from './answer-envelope.ts'
import { flagAt, listAt, numberAt, objectAt, textAt, timeAt, type Json } from './answer-shape.ts'
import {
  newsOf,
  type PageChange,
  type WikiEvent,
  type WikiEventKind,
  type WikiNews,
} from './wiki-news.ts'
import { isSame, type LogEventsStep, type RecentChangesStep } from './wiki-step.ts'

export function readFeed(
  step: RecentChangesStep | LogEventsStep,
  { query, more, warnings }: Envelope,
): WikiNews {
  const rows = listAt(query, step.kind)
  const events = rows.flatMap((row) => eventOf(row) ?? [])
  const changes = step.kind === 'recentchanges' ? rows.flatMap((row) => changeOf(row) ?? []) : []
  const times = rows.flatMap((row) => timeAt(row, 'timestamp') ?? [])
  const feedUntil = times.length === 0 ? null : times.reduce((a, b) => Math.max(a, b))
  const told = newsOf({ events, changes, feedUntil, warnings })
  if (more === null) return told
  if (isSame(more, step.more)) {
    const message =
      'The wiki continues its feed where it has been before; what came so far is kept.'
    return { ...told, problem: problemOf('MINGA_WIKI_LOOP', 'never', 0, message) }
  }
  return { ...told, next: [{ ...step, more }] }
}

/** An entry of the log is a change as well: the page it names may have got other revisions. */
function changeOf(row: Json): PageChange | null {
  const at = timeAt(row, 'timestamp')
  const title = textAt(row, 'title')
  if (at === null || title === null) return null
  const [pageId, revId] = [positive(row, 'pageid'), positive(row, 'revid')]
  return { pageId, revId, ns: numberAt(row, 'ns') ?? 0, title, at, changeId: numberAt(row, 'rcid') }
}

/** 0 stands for nothing. */
function positive(row: Json, key: string): number | null {
  const value = numberAt(row, key)
  return value === null || value <= 0 ? null : value
}

/** Null for log entries that leave histories as they are (blocks, thanks, patrols). */
export function eventOf(row: Json): WikiEvent | null {
  // Recent changes call the fields otherwise than the log itself.
  const type = textAt(row, 'logtype') ?? textAt(row, 'type') ?? ''
  const action = textAt(row, 'logaction') ?? textAt(row, 'action') ?? ''
  const kind = eventKindOf(type, action)
  const at = timeAt(row, 'timestamp')
  const title = textAt(row, 'title')
  if (kind === null || at === null || title === null) return null
  const params = objectAt(row, 'logparams') ?? objectAt(row, 'params') ?? objectAt(row, type)
  // This one alone is written at the page that took the other in.
  const taken = action === 'merge-into' ? textAt(params, 'src_title') : null
  return {
    kind,
    at,
    logId: numberAt(row, 'logid'),
    // `logpage` is the page at the time of the entry, `pageid` the one that has its title today.
    pageId: positive(row, 'logpage') ?? positive(row, 'pageid'),
    ns: numberAt(row, 'ns') ?? 0,
    title: taken ?? title,
    newTitle: taken === null ? newTitleOf(params) : title,
    revIds: revIdsOf(params),
    isSuppressed: type === 'suppress' || flagAt(objectAt(params, 'new'), 'restricted'),
  }
}

const KINDS: Readonly<Record<string, WikiEventKind>> = {
  'create/create': 'created',
  'delete/delete': 'deleted',
  'delete/delete_redir': 'deleted',
  'delete/delete_redir2': 'deleted',
  'suppress/delete': 'deleted',
  'delete/restore': 'restored',
  'delete/revision': 'hidden',
  'suppress/revision': 'hidden',
  'move/move': 'moved',
  'move/move_redir': 'moved',
  'merge/merge': 'merged',
  'merge/merge-into': 'merged',
  'import/upload': 'imported',
  'import/interwiki': 'imported',
}

export function eventKindOf(type: string, action: string): WikiEventKind | null {
  return KINDS[`${type}/${action}`] ?? null
}

/** Moves and merges name it otherwise, and moves did so before 1.25. */
function newTitleOf(params: Json | null): string | null {
  return (
    textAt(params, 'target_title') ?? textAt(params, 'new_title') ?? textAt(params, 'dest_title')
  )
}

function revIdsOf(params: Json | null): number[] {
  const ids = params?.['ids']
  if (!Array.isArray(ids) || (textAt(params, 'type') ?? 'revision') !== 'revision') return []
  return ids.map(Number).filter((id) => Number.isSafeInteger(id) && id > 0)
}
