/**
 * Which operations are acts of a person that must be accountable, and what the audit log records of
 * each. The entry is written in the transaction of the act: there is no act without its entry, and
 * no entry without its act. What is no act of a person (crawling, leases, payments of results) is
 * not here, and so costs nothing.
 *
 * Details name accounts, keys and tokens by their ids and contain no secret, no hash of one and no
 * name of a person.
 */
import {
  appendAudit,
  type NewAuditEntry,
  type Operation,
  type OperationArgs,
  type OperationResult,
  type OperationTable,
  type Sql,
} from '@minga/store'
import { accountActs } from './account-acts.ts'
import { credentialActs, sharingActs } from './credential-acts.ts'
import { stationActs } from './station-acts.ts'

/** What the log says of a call that succeeded; nothing when nothing changed. What neither has is read with `sql`. */
export type EntriesOf<A, R> = (
  args: A,
  result: R,
  sql: Sql,
) => NewAuditEntry[] | Promise<NewAuditEntry[]>

export const AUDITED = { ...accountActs, ...credentialActs, ...sharingActs, ...stationActs }

type Acts = typeof AUDITED

type ActTable = OperationTable & {
  readonly [K in keyof Acts]: Operation<never, Parameters<Acts[K]>[1]>
}

/** Acts are also given what the log says of them, for example who acts and when. */
export type Audited<T extends OperationTable> = {
  readonly [K in keyof T]: K extends keyof Acts
    ? Operation<OperationArgs<T[K]> & Parameters<Acts[K]>[0], OperationResult<T[K]>>
    : T[K]
}

/** The same operations; those that are acts write their entries last, when their locks are all taken. */
export function withAudit<T extends ActTable>(operations: T): Audited<T> {
  const audited = Object.entries(AUDITED).map(([name, entriesOf]) => {
    const operation = operations[name] as Operation | undefined
    if (operation === undefined) throw new TypeError(`There is no operation ${name} to audit.`)
    return [name, auditedOperation(operation, entriesOf as EntriesOf<unknown, unknown>)] as const
  })
  return { ...operations, ...Object.fromEntries(audited) } as Audited<T>
}

function auditedOperation(operation: Operation, entriesOf: EntriesOf<unknown, unknown>): Operation {
  return async (sql, args) => {
    const result = await operation(sql, args)
    await appendAudit(sql, await entriesOf(args, result, sql))
    return result
  }
}
