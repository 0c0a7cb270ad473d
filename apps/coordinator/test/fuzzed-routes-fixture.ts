/**
 * Routes outside of the API document for callers that the station does not know: agents, other
 * stations, workers, and programs that read archives. Their messages are made from the schemas by
 * which the station reads them.
 */
import {
  askMessage,
  beatMessage,
  challengeMessage,
  claimMessage,
  enrolMessage,
  graphMessage,
  helloMessage,
  joinMessage,
  loadReport,
  ownerQuestion,
  promotedMessage,
  renewMessage,
  workerMessages,
  workerNotes,
} from '@minga/protocol'
import { z } from 'zod'
import type { Schema } from './api-fuzz-fixture.ts'

export interface FuzzedRoute {
  method: 'GET' | 'POST' | 'PUT'
  path: string
  /** Names of parameters in the query. */
  query?: readonly string[]
  body?: Schema
  contentType?: string
}

/** As stations send to each other, and agents their results: what the fuzzer puts there is none of it. */
const BYTES = 'application/octet-stream'
const UPLOAD = 'application/vnd.minga.upload'
const TASK = ['query', 'stage', 'index', 'fence']
const CDX = ['url', 'matchType', 'output', 'limit', 'offset', 'from', 'to', 'sort', 'closest']
const CDX_PAGES = ['filter', 'fl', 'collapse', 'page', 'pageSize', 'showNumPages', 'resumeKey']

const schemaOf = (message: z.ZodType): Schema =>
  z.toJSONSchema(message, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as Schema

const POSTED = {
  '/agent/enrol': enrolMessage,
  '/agent/challenge': challengeMessage,
  '/agent/hello': helloMessage,
  '/agent/beat': beatMessage,
  '/agent/load-tests/{id}/figures': loadReport,
  // By these a session may end.
  '/agent/ask': askMessage,
  '/agent/goodbye': z.object({}),
  '/agent/revoke': z.object({}),
  '/worker/lease': workerMessages.lease,
  '/worker/beat': workerMessages.beat,
  '/worker/commit': workerMessages.commit,
  '/worker/fail': workerMessages.fail,
  '/worker/return': workerMessages.return,
  '/worker/ended': z.object({ boot: z.string() }),
  '/worker/notes': workerNotes,
}

const OF_STATIONS = {
  join: joinMessage,
  renew: renewMessage,
  claim: claimMessage,
  batch: z.object({}),
  graph: graphMessage,
  owner: ownerQuestion,
  leave: z.object({}),
  promoted: promotedMessage,
}

export const FUZZED_ROUTES: readonly FuzzedRoute[] = [
  { method: 'POST', path: '/agent/results', body: {}, contentType: UPLOAD },
  ...Object.entries(POSTED).map(([path, message]): FuzzedRoute => ({
    method: 'POST',
    path,
    body: schemaOf(message),
  })),
  ...Object.entries(OF_STATIONS).map(([name, message]): FuzzedRoute => {
    const path = `/federation/${name}`
    return { method: 'POST', path, body: schemaOf(message), contentType: BYTES }
  }),
  { method: 'GET', path: '/federation/state' },
  { method: 'GET', path: '/worker/files/{name}', query: TASK },
  {
    method: 'PUT',
    path: '/worker/files/{name}',
    query: [...TASK, 'offset', 'total'],
    body: {},
    contentType: BYTES,
  },
  { method: 'GET', path: '/worker/outside', query: [...TASK, 'path'] },
  { method: 'GET', path: '/memento/timegate/{url}' },
  { method: 'GET', path: '/memento/timemap/link/{url}' },
  { method: 'GET', path: '/memento/timemap/json/{url}' },
  { method: 'GET', path: '/memento/{time}/{url}' },
  { method: 'GET', path: '/cdx', query: ['url'] },
  { method: 'GET', path: '/cdx', query: [...CDX, ...CDX_PAGES] },
]
