/** A station and its agents as processes, and its API as a program calls it. */
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CollectionStatus } from '@minga/protocol'
import { startProcess, type Child } from '@minga/testkit'
import { MINGA } from './run-minga.ts'

/** As station.json says. */
export interface Station {
  url: string
  joinToken: string
  apiKey: string
}

/** Without an agent of its own; with workers only where there are queries: each is one more process to start. */
export async function startStation(
  data: string,
  { workers = 0 }: { workers?: number } = {},
): Promise<Station> {
  const args = ['up', '--data', data, '--port', '0', '--no-agent', '--allow-private-addresses']
  const up = await startProcess(process.execPath, [MINGA, ...args, '--workers', String(workers)])
  await up.waitOutput(/Minga is up/, 30_000)
  return JSON.parse(fs.readFileSync(path.join(data, 'station.json'), 'utf8')) as Station
}

export function joinStation(
  { url, joinToken }: Station,
  data: string,
  options: readonly string[] = [],
): Promise<Child> {
  const args = ['agent', 'join', url, '--token', joinToken, '--data', data, ...options]
  return startProcess(process.execPath, [MINGA, ...args, '--allow-private-addresses'])
}

export async function callStation<T>(
  { url, apiKey }: Pick<Station, 'url' | 'apiKey'>,
  [method, route]: readonly [method: string, route: string],
  body?: object,
): Promise<T> {
  const response = await fetch(`${url}/api${route}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as T
  assert.ok(response.ok, JSON.stringify(answer))
  return answer
}

const LOOK_EVERY_MS = 100

export async function untilFinished(
  station: Pick<Station, 'url' | 'apiKey'>,
  id: number,
  patienceMs: number,
): Promise<CollectionStatus> {
  for (let waited = 0; waited < patienceMs; waited += LOOK_EVERY_MS) {
    const status = await callStation<CollectionStatus>(station, ['GET', `/collections/${id}`])
    if (status.state === 'finished') return status
    await sleep(LOOK_EVERY_MS)
  }
  assert.fail(`the collection did not finish within ${patienceMs / 1_000} s`)
}
