/** The thread in which row functions run: see row-functions.ts for the other end. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parentPort, workerData, type MessagePort } from 'node:worker_threads'
import { UnknownRowFunction } from '../errors.ts'
import { fittingAnswer, type RowFunction, type RowValue } from './row-function.ts'
import type { RowsAnswer, RowsOrder, ThreadParts } from './row-functions.ts'
import { SHIPPED_FUNCTIONS } from './shipped-functions.ts'

const FILE_NAME = /^file:([A-Za-z0-9][A-Za-z0-9_-]*)$/
const EXTENSIONS = ['.ts', '.js', '.mjs']

function serve(main: MessagePort, parts: ThreadParts): void {
  const loaded = new Map<string, Promise<RowFunction>>()
  main.on('message', (order: RowsOrder) => {
    const found = loaded.get(order.function) ?? load(order.function, parts.folder)
    loaded.set(order.function, found)
    void found.then(
      (call) => main.postMessage(answered(order, call)),
      (error: unknown) => main.postMessage(notLoaded(order, error)),
    )
  })
}

async function load(name: string, folder: string | null): Promise<RowFunction> {
  const shipped = SHIPPED_FUNCTIONS.get(name)
  if (shipped) return shipped
  const file = FILE_NAME.exec(name)?.[1]
  const at = EXTENSIONS.map((end) => path.join(folder ?? '', `${file}${end}`)).find(existsSync)
  if (file === undefined || folder === null || at === undefined)
    throw UnknownRowFunction.named(name)
  const module = (await import(pathToFileURL(at).href)) as { rowFunction?: RowFunction }
  if (typeof module.rowFunction !== 'function') {
    throw new TypeError('its module has no function named `rowFunction`')
  }
  return module.rowFunction
}

function answered(order: RowsOrder, call: RowFunction): RowsAnswer {
  const { id, columns, kind, rows } = order
  const values: RowValue[] = []
  for (let row = 0; row < rows; row++) {
    const given = columns.map((column) => column[row] ?? null)
    try {
      const answer = fittingAnswer(call(...given), kind)
      if (answer === undefined) throw new TypeError(`gave what is no ${kind}`)
      values.push(answer)
    } catch (error) {
      return { id, failure: { row, reason: reasonOf(error), isUnknown: false } }
    }
  }
  return { id, values }
}

function notLoaded({ id }: RowsOrder, error: unknown): RowsAnswer {
  const isUnknown = error instanceof UnknownRowFunction
  return { id, failure: { row: null, reason: reasonOf(error), isUnknown } }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

if (parentPort) serve(parentPort, workerData as ThreadParts)
