/** The caller's side of the store: calls go to its thread and come back by number. */
import { Worker, type MessagePort } from 'node:worker_threads'
import type { Answer, Call, OpenOptions, Request, Response } from './messages.ts'
import { fromPlainError, StoreMisused, StoreUnavailable } from './errors.ts'
import type { OperationArgs, OperationResult, OperationTable, Store } from './sql.ts'

export interface StoreOptions extends OpenOptions {
  /** File URL of a module exporting `operations` and, if it appends, `blobSeries`. */
  readonly operations: string
}

/** `Ops` is what the module exports as `operations`: it is loaded by its address, so the compiler cannot see it. */
export function openStore<Ops extends OperationTable>({
  operations,
  ...options
}: StoreOptions): Promise<Store<Ops>> {
  return new StoreThread<Ops>(operations).open(options)
}

/** Reads the code of the operations from the start, while its maker may still find out what to open. */
export class StoreThread<Ops extends OperationTable> {
  readonly #worker: Worker

  constructor(operations: string) {
    this.#worker = new Worker(new URL('./store-thread.ts', import.meta.url), {
      workerData: operations,
      name: 'minga-store',
      // Operations make much garbage and keep little: without a bound V8 lets it grow to 130 MB.
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    })
    // A store that is never opened must not keep the process from ending.
    this.#worker.unref()
  }

  /** Resolves when the data is migrated, recovered from the last stop, and locked for this process. */
  async open({ data, postgresUrl, writer }: OpenOptions): Promise<Store<Ops>> {
    this.#worker.ref()
    const store = new StoreClient<Ops>(this.#worker, 'exit')
    this.#worker.postMessage({ data, postgresUrl, writer } satisfies OpenOptions)
    await store.opened
    return store
  }
}

interface Pending {
  resolve(value: unknown): void
  reject(error: Error): void
}

export class StoreClient<Ops extends OperationTable> implements Store<Ops> {
  readonly opened: Promise<void>
  readonly #line: Worker | MessagePort
  readonly #ended: Promise<void>
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  /** Why no call is taken any more. */
  #unavailable: Error | undefined

  constructor(line: Worker | MessagePort, ending: 'exit' | 'close') {
    this.#line = line
    const opened = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    this.opened = opened.promise
    this.#ended = ended.promise
    line.on('message', (response: Response) => {
      if ('answers' in response) for (const answer of response.answers) this.#settle(answer)
      else if ('failed' in response) opened.reject(fromPlainError(response.failed))
      else opened.resolve()
    })
    line.on('error', (error: unknown) => this.#fail(`its thread failed: ${describe(error)}`))
    line.on(ending, () => {
      this.#fail('its thread has ended')
      opened.reject(this.#unavailable)
      ended.resolve()
    })
  }

  call<K extends keyof Ops & string>(
    operation: K,
    args: OperationArgs<Ops[K]>,
    transfer: ArrayBuffer[] = [],
  ): Promise<OperationResult<Ops[K]>> {
    if (this.#unavailable) return Promise.reject(this.#unavailable)
    const { promise, resolve, reject } = Promise.withResolvers<OperationResult<Ops[K]>>()
    const request: Call = { id: ++this.#lastId, operation, args }
    try {
      this.#line.postMessage(request satisfies Request, transfer)
      this.#pending.set(request.id, { resolve, reject })
    } catch (error) {
      reject(new StoreMisused(`The arguments of "${operation}" cannot be sent: ${describe(error)}`))
    }
    return promise
  }

  async close(): Promise<void> {
    this.#unavailable ??= StoreUnavailable.because('it was closed')
    this.#line.postMessage('close' satisfies Request)
    await this.#ended
  }

  #settle(answer: Answer): void {
    const pending = this.#pending.get(answer.id)
    this.#pending.delete(answer.id)
    if ('error' in answer) pending?.reject(fromPlainError(answer.error))
    else pending?.resolve(answer.value)
  }

  #fail(reason: string): void {
    const error = StoreUnavailable.because(reason)
    this.#unavailable ??= error
    for (const pending of this.#pending.values()) pending.reject(error)
    this.#pending.clear()
  }
}

const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
