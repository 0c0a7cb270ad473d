/** Who asks the lake, and what of it they may see. */
import type { FastifyRequest } from 'fastify'
import type { Access } from '../access.ts'
import type { Store } from '@minga/store'
import { NOTHING_HIDDEN, type Hidden } from '../visibility/limited-tables.ts'
import { OPERATOR, SELF_ROLES, type Action } from '@minga/fleet'

async function readHidden(store: Pick<Store, 'call'>): Promise<Hidden> {
  return {
    collections: await store.call<number[]>('hiddenCollections', {}),
    wikis: await store.call<string[]>('hiddenWikis', {}),
  }
}

export interface LakeCaller {
  accountId: string
  /** Whose queries, uploads and tables they may see; null: everybody's. */
  owner: string | null
  /** What the station gathered, as captures and links. */
  readsCaptures: boolean
  /** The collections and wikis of which they may not see what the station gathered. */
  hidden: () => Promise<Hidden>
  /** Has no more rights than people who register themselves. */
  isReader: boolean
}

/** These tell who asked for what and what devices did. */
const PRIVATE_TABLES: ReadonlySet<string> = new Set(['requests', 'events'])

export function lakeCaller(access: Access, request: FastifyRequest, action: Action): LakeCaller {
  const { accountId, reach } = access.requireAction(request, action)
  return {
    accountId,
    owner: reach === 'all' ? null : accountId,
    readsCaptures: access.isAllowed(request, 'captures:read'),
    hidden: () => readHidden(access.storeFor(request)),
    isReader: access.callerOf(request)?.roles.every((role) => SELF_ROLES.includes(role)) ?? true,
  }
}

export function seesTable(
  { owner, readsCaptures }: LakeCaller,
  table: { name: string; kind: string; owner: string | null },
): boolean {
  if (owner === null || table.owner === owner) return true
  return table.kind === 'system' && readsCaptures && !PRIVATE_TABLES.has(table.name)
}

/** The station itself, when it tidies. */
export const STATION: LakeCaller = {
  accountId: OPERATOR,
  owner: null,
  readsCaptures: true,
  hidden: async () => NOTHING_HIDDEN,
  isReader: false,
}
