/** Entries of a dump of logs as events of pages, in the terms of the API's entries. */
import type { DumpLogItem } from '../dump/dump-model.ts'
import type { EventNote } from './page-operations.ts'

const KINDS: Readonly<Record<string, string>> = {
  'create/create': 'created',
  'delete/delete': 'deleted',
  'delete/delete_redir': 'deleted',
  'delete/restore': 'restored',
  'delete/revision': 'hidden',
  'import/interwiki': 'imported',
  'import/upload': 'imported',
  'merge/merge': 'merged',
  'move/move': 'moved',
  'move/move_redir': 'moved',
  'suppress/delete': 'deleted',
  'suppress/revision': 'hidden',
}

export function eventOfLog(item: DumpLogItem): EventNote {
  const name = `${item.kind}/${item.action}`
  return {
    kind: KINDS[name] ?? name,
    at: item.at,
    logId: item.logId,
    pageId: null,
    title: item.title ?? '',
    details: { user: item.user, comment: item.comment, params: item.params },
  }
}
