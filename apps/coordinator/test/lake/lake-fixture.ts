/** A station whose lake is asked by people, and a worker that speaks to it as real ones do, one task after the other. */
import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Role } from '@minga/fleet'
import type { Task, TaskDone } from '@minga/lake'
import { isMingaError, type QueryMessage, type QueryView, type TableView } from '@minga/protocol'
import { folderDepot } from '../../../../packages/lake/src/kernel/folder-depot.ts'
import { runTask } from '../../../../packages/lake/src/kernel/run-task.ts'
import { People } from '../accounts/people-fixture.ts'
import { openStation, TOKENS, type Said, type StationChanges } from '../station-fixture.ts'
import type { TestStation } from '../station-fixture.ts'

const WORKER = { worker: 'a worker', boot: 'boot of a worker' }

export class LakeStation extends People {
  readonly folder: string
  #people = 0

  constructor(station: TestStation) {
    super(station)
    this.folder = join(station.data, 'lake')
  }

  /** A file on the station's machine. */
  write(name: string, text: string): string {
    const folder = join(this.station.data, 'given')
    mkdirSync(folder, { recursive: true })
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }

  worker(call: string, payload: object, token = TOKENS.workerToken): Promise<Said> {
    const headers = { authorization: `Bearer ${token}` }
    const body = { ...WORKER, ...payload }
    return this.station.inject({ method: 'POST', url: `/worker/${call}`, headers, payload: body })
  }

  async lease(): Promise<Task | null> {
    const { status, body } = await this.worker('lease', { engine: 'any', waitMs: 0 })
    assert.equal(status, 200, JSON.stringify(body))
    return (body as { task: Task | null }).task
  }

  async run(task: Task): Promise<TaskDone> {
    const { signal } = new AbortController()
    const functions = {
      map: async (_name: string, columns: readonly (readonly unknown[])[]) =>
        columns[0]!.map((text) => String(text).length),
      close: async () => {},
    }
    return runTask(task, folderDepot(this.folder), { signal, functions: functions as never })
  }

  async commit(task: Task, done: TaskDone): Promise<string> {
    const { query, stage, index, fence } = task
    const { status, body } = await this.worker('commit', { query, stage, index, fence, done })
    assert.equal(status, 200, JSON.stringify(body))
    return (body as { answer: string }).answer
  }

  /** Does all there is to do, or so many tasks. */
  async work(most = Infinity): Promise<number> {
    let did = 0
    for (; did < most; did++) {
      const task = await this.lease()
      if (task === null) break
      try {
        assert.equal(await this.commit(task, await this.run(task)), 'accepted')
      } catch (error) {
        if (!isMingaError(error)) throw error
        await this.fail(task, error)
      }
    }
    return did
  }

  async fail(task: Task, { code, message, retry, ...rest }: Error & TaskFailure): Promise<void> {
    const { query, stage, index, fence } = task
    const { sql } = rest as { sql?: string }
    const error = { code, message, retry, ...(sql === undefined ? {} : { sql }) }
    const said = await this.worker('fail', { query, stage, index, fence, error })
    assert.equal(said.status, 200, JSON.stringify(said.body))
  }

  async submit(
    who: string,
    message: Omit<QueryMessage, 'id'> & { id?: string },
  ): Promise<QueryView> {
    const said = await this.call(who, 'POST', '/queries', { id: randomUUID(), ...message })
    assert.equal(said.status, 202, JSON.stringify(said.body))
    return said.body as QueryView
  }

  /** Nothing is under way, and there is no table but the station's own. */
  async reset(): Promise<void> {
    const { store, clock } = this.station
    const running = await this.ok<QueryView[]>(
      TOKENS.apiKey,
      'GET',
      '/queries?state=running&limit=1000',
    )
    for (const { id } of running) await this.ok(TOKENS.apiKey, 'POST', `/queries/${id}/cancel`)
    for (const { name } of await this.ownTables(TOKENS.apiKey)) {
      await store.call('lakeDropTable', { table: name, now: clock.now() })
    }
    await this.station.tick()
  }

  /** All tables a user sees except the station's own, which are always there. */
  async ownTables(who: string): Promise<TableView[]> {
    const all = await this.ok<TableView[]>(who, 'GET', '/tables')
    return all.filter(({ kind }) => kind !== 'system')
  }

  /** A new user with these roles, logged in. */
  async someone(...roles: Role[]): Promise<string> {
    return (await this.person(`person-${++this.#people}`, ...roles)).token
  }

  view(who: string, id: string): Promise<QueryView> {
    return this.ok(who, 'GET', `/queries/${id}`)
  }

  /** Sends a file up whole. */
  async upload(who: string, name: string, content: string | Buffer): Promise<string> {
    const bytes = Buffer.from(content)
    const { id } = await this.ok<{ id: string }>(who, 'POST', '/inputs', {
      name,
      bytes: bytes.length,
    })
    const said = await this.sendPart(who, id, bytes, 0)
    assert.equal(said.status, 200, JSON.stringify(said.body))
    await this.ok(who, 'POST', `/inputs/${id}/finish`, {})
    return id
  }

  sendPart(who: string, id: string, bytes: Buffer, offset: number): Promise<Said> {
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    return this.station.inject({
      method: 'PUT',
      url: `/api/inputs/${id}?offset=${offset}`,
      headers: {
        authorization: `Bearer ${who}`,
        'content-type': 'application/octet-stream',
        'x-minga-digest': digest,
      },
      payload: bytes,
    })
  }

  /** As it is sent, with its headers. */
  async bytes(who: string, url: string, headers: Record<string, string> = {}) {
    const response = await this.station.app.inject({
      url: `/api${url}`,
      headers: { host: 'localhost', authorization: `Bearer ${who}`, ...headers },
    })
    const { statusCode: status, rawPayload, headers: answered } = response
    return { status, text: rawPayload.toString('utf8'), headers: answered }
  }
}

interface TaskFailure {
  code: string
  retry: string
}

/**
 * One station for all tests of a file, as good as new for each: to open one takes longer than most of them. To be
 * called outside of tests, at whose end it would be closed; an engine that is not tested has none.
 */
export async function sharedLake(
  changes: StationChanges = {},
): Promise<() => Promise<LakeStation>> {
  const lake = changes.engine?.skip ? null : await openLake(changes)
  return async () => {
    await lake!.reset()
    return lake!
  }
}

export async function openLake(changes: StationChanges = {}): Promise<LakeStation> {
  return new LakeStation(await openStation({ hasLake: true, ...changes }))
}
