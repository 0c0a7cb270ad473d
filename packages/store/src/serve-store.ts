/**
 * The store's side: opens the database, loads the operations and serves calls until it is closed.
 */
import { randomInt } from 'node:crypto'
import { receiveMessageOnPort, type MessagePort } from 'node:worker_threads'
import { systemClock } from '@minga/protocol/clock'
import type { Answer, OpenOptions, OperationsModule, Request, Response } from './messages.ts'
import { StoreMisused, toPlainError } from './errors.ts'
import type { PostgresConnections, PostgresEngine } from './postgres-engine.ts'
import { SqliteEngine } from './sqlite-engine.ts'

const RANDOM_STEPS = 2 ** 32

export async function serveStore(
  port: MessagePort,
  { postgresUrl: url, ...options }: OpenOptions,
  operations: Promise<OperationsModule>,
  connections?: PostgresConnections,
): Promise<void> {
  try {
    const common = { ...options, ...(await operations), clock: systemClock }
    const random = (): number => randomInt(RANDOM_STEPS) / RANDOM_STEPS
    if (url === undefined) {
      serveInGroups(port, await SqliteEngine.open(common))
    } else {
      // Most stations have no PostgreSQL, and start without reading its client.
      const { PostgresEngine: Engine } = await import('./postgres-engine.ts')
      serveSideBySide(port, await Engine.open({ ...common, url, random, connections }))
    }
    post(port, { opened: true })
  } catch (error) {
    post(port, { failed: toPlainError(error) })
    port.close()
  }
}

/** From the file URL of their module. */
export async function loadOperations(url: string): Promise<OperationsModule> {
  const module = (await import(url)) as Partial<OperationsModule>
  if (!module.operations) throw new StoreMisused(`${url} exports no \`operations\`.`)
  return { operations: module.operations, blobSeries: module.blobSeries ?? {} }
}

function serveInGroups(port: MessagePort, engine: SqliteEngine): void {
  const waiting: Request[] = []
  let isBusy = false
  let isClosing = false

  const take = (): Exclude<Request, 'close'> | undefined => {
    if (isClosing) return undefined
    // Straight from the port as well: what arrived during this group can still join it.
    const request = waiting.shift() ?? (receiveMessageOnPort(port)?.message as Request | undefined)
    if (request === 'close') isClosing = true
    return request === 'close' ? undefined : request
  }

  const serve = async (): Promise<void> => {
    isBusy = true
    for (;;) {
      const { answers, usable } = await engine.runGroup(take)
      if (answers.length === 0) break
      postAnswers(port, answers)
      if (!usable) isClosing = true
    }
    isBusy = false
    if (!isClosing) return
    engine.close()
    port.close()
  }

  port.on('message', (request: Request) => {
    waiting.push(request)
    if (!isBusy) void serve()
  })
}

function serveSideBySide(port: MessagePort, engine: PostgresEngine): void {
  const running = new Set<Promise<void>>()
  port.on('message', (request: Request) => {
    if (request === 'close') {
      void Promise.all(running)
        .then(() => engine.close())
        .then(() => port.close())
      return
    }
    const answered = engine.run(request).then((answer) => {
      postAnswers(port, [answer])
      running.delete(answered)
    })
    running.add(answered)
  })
}

function postAnswers(port: MessagePort, answers: readonly Answer[]): void {
  try {
    post(port, { answers })
  } catch {
    // Some value cannot be cloned. The commit stands; only its own caller gets the error.
    for (const answer of answers) postAnswer(port, answer)
  }
}

function postAnswer(port: MessagePort, answer: Answer): void {
  try {
    post(port, { answers: [answer] })
  } catch (error) {
    const misuse = new StoreMisused(
      `An operation's result cannot leave its thread: ${String(error)}`,
    )
    post(port, { answers: [{ id: answer.id, error: toPlainError(misuse) }] })
  }
}

function post(port: MessagePort, response: Response): void {
  port.postMessage(response)
}
