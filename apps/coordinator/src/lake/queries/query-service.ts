/**
 * Takes questions and answers for them: bind → plan → submit, then whatever their clients want to know. All that
 * lasts is in the store and in files, so that a question outlives this process, and its client may come back to it.
 */
import {
  BadQuery,
  checkQuery,
  explainPlan,
  shippedQueries,
  type Plan,
  type Query,
  type QueryStatus,
  type Scheduler,
  type Tables,
  type QueryRequest,
} from '@minga/lake'
import type {
  QueryPlanView,
  queryMessage,
  QueryState,
  QueryView,
  ResultFormat,
} from '@minga/protocol'
import type { z } from 'zod'
import type { ConditionVariable } from '@minga/protocol/condition-variable'
import { bindInputs, type BindParts } from './bind-inputs.ts'
import type { LakeCaller } from '../workers/lake-caller.ts'
import { NoSuchQuery, NoSuchResult, QueryOpen, TooManyQueries } from '../lake-errors.ts'
import { queryView, type Asked, type Question } from './query-views.ts'

export interface QueryLimits {
  /** Of one task. */
  memoryMb: number
  /** Running at a time, of one account. */
  openMax: number
  /** The same, of an account with no more rights than people who register themselves. */
  readerOpenMax: number
  abandonedMs: number
  keptMs: number
}

export interface QueryServiceParts extends BindParts {
  scheduler: Scheduler
  tables: Tables
  work: ConditionVariable
  limits: () => QueryLimits
  newId: () => string
}

const SECOND_MS = 1_000

export class QueryService {
  readonly #parts: QueryServiceParts

  constructor(parts: QueryServiceParts) {
    this.#parts = parts
  }

  async submit(caller: LakeCaller, message: z.output<typeof queryMessage>): Promise<QueryView> {
    const { id, ...question } = message
    const known = await this.known(caller, id)
    if (known !== null) return known
    await this.requireRoom(caller)
    const { plan, release } = await this.#plan(caller, question, readerOf(id))
    try {
      const ask: Asked = {
        queries: plan.results.map(({ query }) => query),
        format: question.format,
        uploads: uploadsIn(question),
        question,
      }
      await this.start(caller, { id, kind: 'query', plan, ask, question })
    } catch (error) {
      await release()
      throw error
    }
    return this.view(caller, id)
  }

  /** Sent twice, it is one question: nothing is bound and planned again. */
  async known({ accountId }: LakeCaller, id: string): Promise<QueryView | null> {
    const status = await this.#parts.scheduler.status(id)
    if (status?.owner !== accountId) return null
    await this.#parts.scheduler.touch(id)
    return this.#viewOf(status)
  }

  /** Puts a plan to work. */
  async start(
    caller: LakeCaller,
    given: {
      id: string
      kind: string
      plan: Plan
      ask: Asked
      /** Whose the tables are that it makes; null: the station's. */
      tableOwner?: string | null
      question?: Pick<Question, 'memoryMb' | 'deadlineS'>
    },
  ): Promise<void> {
    const { scheduler, work } = this.#parts
    const { abandonedMs, keptMs, memoryMb } = this.#parts.limits()
    const { id, kind, plan, ask, tableOwner = null, question = {} } = given
    await scheduler.submit({
      id,
      owner: caller.accountId,
      kind,
      plan,
      ask,
      tableOwner,
      abandonMs: kind === 'query' ? abandonedMs : null,
      keepMs: keptMs,
      deadlineMs: question.deadlineS === undefined ? null : question.deadlineS * SECOND_MS,
      limits: { memoryMb: question.memoryMb ?? memoryMb, threads: 1 },
    })
    work.notifyAll()
  }

  async requireRoom({ accountId, isReader }: LakeCaller): Promise<void> {
    const limits = this.#parts.limits()
    const openMax = isReader ? Math.min(limits.openMax, limits.readerOpenMax) : limits.openMax
    const running = { owner: accountId, states: ['running' as const], most: openMax }
    if ((await this.#parts.scheduler.list(running)).length >= openMax) {
      throw new TooManyQueries(openMax)
    }
  }

  /** The plan as a tree; nothing is run. */
  async explain(caller: LakeCaller, question: Question): Promise<QueryPlanView> {
    const reader = readerOf(this.#parts.newId())
    const { plan, release } = await this.#plan(caller, question, reader)
    await release()
    return explainPlan(plan)
  }

  /** The same of one that was asked, with what is done of it. */
  async planOf(caller: LakeCaller, id: string): Promise<QueryPlanView> {
    const { scheduler } = this.#parts
    const { stages } = await this.#find(caller, id)
    const written = await scheduler.stageBytes(id)
    const facts = stages.map(({ id: stage, total: tasks, done, running, rows, spentMs }) => {
      const bytes = written[stage] ?? 0
      return [stage, { tasks, done, running, rows, bytes, spentMs }]
    })
    return explainPlan(await scheduler.plan(id), Object.fromEntries(facts))
  }

  /** What was asked, as it was asked. */
  async asked(caller: LakeCaller, id: string): Promise<Asked> {
    return (await this.#find(caller, id)).ask as Asked
  }

  async shipped(): Promise<Query[]> {
    return [...(await shippedQueries()).values()]
  }

  async list(
    caller: LakeCaller,
    page: { states?: QueryState[] | undefined; before?: number | undefined; most: number },
  ): Promise<QueryView[]> {
    const { states, before, most } = page
    const found = await this.#parts.scheduler.list({
      most,
      ...(caller.owner === null ? {} : { owner: caller.owner }),
      ...(states === undefined ? {} : { states }),
      ...(before === undefined ? {} : { before }),
    })
    return found.map((status) => queryView(status, []))
  }

  async view(caller: LakeCaller, id: string): Promise<QueryView> {
    return this.#viewOf(await this.#find(caller, id))
  }

  async cancel(caller: LakeCaller, id: string): Promise<QueryView> {
    await this.#find(caller, id)
    await this.#parts.scheduler.cancel(id)
    return this.view(caller, id)
  }

  /** Where the whole result is. */
  async result(
    caller: LakeCaller,
    id: string,
    name: string,
  ): Promise<{ file: string; format: ResultFormat; columns: string[] }> {
    const status = await this.#find(caller, id)
    if (status.state === 'running') throw new QueryOpen(id)
    if (status.state !== 'done') throw NoSuchResult.of(id, status.state)
    if (status.isCollected) throw NoSuchResult.gone(id)
    const results = await this.#parts.scheduler.results(id)
    const found = results.find(({ query }) => query === name)
    if (found === undefined) {
      throw NoSuchResult.named(
        name,
        results.map(({ query }) => query),
      )
    }
    const { columns } = (await this.#parts.scheduler.plan(id)).results.find(
      ({ query }) => query === name,
    )!
    return { file: found.file, format: (status.ask as Asked).format, columns }
  }

  /**
   * Throws when it is not theirs. A call of its owner counts as a sign of life, one of an operator
   * does not.
   */
  async #find({ owner, accountId }: LakeCaller, id: string): Promise<QueryStatus> {
    const status = await this.#parts.scheduler.status(id)
    if (status === null || (owner !== null && status.owner !== owner)) throw new NoSuchQuery(id)
    if (status.owner === accountId) await this.#parts.scheduler.touch(id)
    return status
  }

  async #viewOf(status: QueryStatus): Promise<QueryView> {
    const { scheduler } = this.#parts
    const { results } = await scheduler.plan(status.id)
    const files = status.state === 'done' ? await scheduler.results(status.id) : []
    return queryView(
      status,
      results.map(({ query, columns }) => ({
        query,
        columns,
        file: files.find((file) => file.query === query) ?? null,
      })),
    )
  }

  async #plan(
    caller: LakeCaller,
    question: Question,
    reader: string,
  ): Promise<{ plan: Plan; release: () => Promise<void> }> {
    const queries = await queriesIn(question)
    const asked = parametersFor(queries, question.parameters)
    const sources = question.inputs
    const { bindings, release } = await bindInputs(this.#parts, caller, queries, {
      reader,
      sources,
    })
    try {
      const { format } = question
      const plan = await this.#parts.binding.plan({ asked, bindings, options: { format } })
      return { plan, release }
    } catch (error) {
      await release()
      throw error
    }
  }
}

export const readerOf = (id: string): string => `query:${id}`

async function queriesIn({ queries }: Question): Promise<Query[]> {
  const shipped = await shippedQueries()
  return queries.map((one) => {
    if (typeof one !== 'string') return checkQuery(one)
    const query = shipped.get(one)
    if (query !== undefined) return query
    throw new BadQuery(`There is no query "${one}"; there are ${[...shipped.keys()].join(', ')}.`)
  })
}

function uploadsIn({ inputs }: Question): string[] {
  return Object.values(inputs).flatMap((source) => ('upload' in source ? [source.upload] : []))
}

type Given = Readonly<Record<string, string | number>>

/** Which query gets which parameter: `name` goes to every query that has it, `QUERY.name` to that one. */
function parametersFor(queries: readonly Query[], given: Given): QueryRequest[] {
  const used = new Set<string>()
  const asked = queries.map((query) => {
    const parameters: Record<string, string | number> = {}
    for (const name of Object.keys(query.parameters ?? {})) {
      const own = `${query.name}.${name}`
      // The one that names the query is meant for it, also where both are given.
      for (const key of [name, own]) {
        if (!Object.hasOwn(given, key)) continue
        parameters[name] = given[key]!
        used.add(key)
      }
    }
    return { query, parameters }
  })
  const unused = Object.keys(given).find((name) => !used.has(name))
  if (unused === undefined) return asked
  const names = [...new Set(queries.flatMap((query) => Object.keys(query.parameters ?? {})))]
  throw new BadQuery(
    `No query has a parameter "${unused}"; ${names.length === 0 ? 'they have none' : `they have ${names.join(', ')}`}.`,
  )
}
