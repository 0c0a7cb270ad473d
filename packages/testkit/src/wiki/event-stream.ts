/**
 * Recent changes as they happen, in the form of Wikimedia's EventStreams: server-sent events, each
 * with an id after which a reader can go on. In between come what a reader must pass over: test
 * events of the stream itself and events of other wikis.
 */

import type { ServerResponse } from 'node:http'

import type { FakeSite } from './api/site-info.ts'
import type { FakeChange } from './fake-revision.ts'
import type { FakeWikiModel } from './fake-wiki-model.ts'
import { iso } from './perform-operation.ts'

export const STREAM_PATH = '/v2/stream/recentchange'
/** After so many events one comes that is not this wiki's. */
const STRANGER_EVERY = 3

export interface EventStream {
  /** Everything after the event that the reader saw last; then whatever comes. */
  open(
    response: ServerResponse,
    request: { lastEventId: string | null; since: string | null },
  ): void
  /** Something happened: all listeners are notified. */
  publish(): void
}

export function openEventStream(model: FakeWikiModel, site: FakeSite): EventStream {
  const listeners = new Map<ServerResponse, number>()
  const send = (response: ServerResponse, after: number): void => {
    const fresh = model.changes.filter(({ rcId }) => rcId > after)
    for (const change of fresh) response.write(eventText(site, change))
    listeners.set(response, fresh.at(-1)?.rcId ?? after)
  }
  return {
    open: (response, { lastEventId, since }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
      response.write(':ok\n\n')
      response.once('close', () => listeners.delete(response))
      send(response, placeOf(model, lastEventId, since))
    },
    publish: () => {
      for (const [response, after] of listeners) send(response, after)
    },
  }
}

function placeOf(model: FakeWikiModel, lastEventId: string | null, since: string | null): number {
  const [, seen] = /"offset":(\d+)/.exec(lastEventId ?? '') ?? []
  if (seen !== undefined) return Number(seen)
  const newest = model.changes.at(-1)?.rcId ?? 0
  if (since === null) return newest
  const at = Date.parse(since)
  const first = model.changes.find((change) => change.at >= at)
  return first === undefined ? newest : first.rcId - 1
}

function eventText(site: FakeSite, change: FakeChange): string {
  const own = event(change.rcId, changeData(site, change))
  if (change.rcId % STRANGER_EVERY !== 0) return own
  const canary = { meta: { domain: 'canary', stream: 'mediawiki.recentchange' } }
  const foreign = { ...changeData(site, change), wiki: 'otherwiki', server_name: 'other.example' }
  const other = { ...foreign, meta: { domain: 'other.example', stream: 'mediawiki.recentchange' } }
  return event(change.rcId - 1, canary) + event(change.rcId - 1, other) + own
}

function event(offset: number, data: object): string {
  const id = JSON.stringify([{ topic: 'recentchange', partition: 0, offset }])
  return `event: message\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`
}

function changeData(site: FakeSite, change: FakeChange): object {
  const domain = new URL(site.url).host
  const { type, ns: namespace, title, user, comment, log } = change
  const common = {
    $schema: '/mediawiki/recentchange/1.0.0',
    meta: { dt: iso(change.at), domain, stream: 'mediawiki.recentchange' },
    id: change.rcId,
    type,
    namespace,
    title,
    comment,
    timestamp: Math.floor(change.at / 1000),
    user,
    bot: change.isBot,
    server_url: site.url,
    server_name: domain,
    wiki: 'wiki',
  }
  if (log !== null) {
    const { logId, type: logType, action, params } = log
    return { ...common, log_id: logId, log_type: logType, log_action: action, log_params: params }
  }
  const { oldLen, newLen, oldRevId, revId } = change
  const isNew = oldRevId === 0
  return {
    ...common,
    minor: change.isMinor,
    length: { ...(isNew ? {} : { old: oldLen }), new: newLen },
    revision: { ...(isNew ? {} : { old: oldRevId }), new: revId },
  }
}
