/** Who asks the lake, and what of it they may see. */
import type { FastifyRequest } from 'fastify'
import type { Access } from '../../accounts/access.ts'
import type { Calls } from '@minga/store'
import type { Viewer } from '../../accounts/visibility/viewer.ts'
import { NOTHING_HIDDEN, type Hidden } from '../../accounts/visibility/limited-tables.ts'
import { OPERATOR, SELF_ROLES, type Action } from '@minga/fleet'
import type { Operations } from '../../station/station-operations.ts'

async function readHidden(store: Calls<Operations>): Promise<Hidden> {
  return {
    collections: await store.call('hiddenCollections', {}),
    wikis: await store.call('hiddenWikis', {}),
  }
}

export interface LakeCaller {
  accountId: string
  /** Whose queries, uploads and tables they may see; null: everyone's. */
  owner: string | null
  /** What the station gathered, as captures and links. */
  readsCaptures: boolean
  /** The collections and wikis of which they may not see what the station gathered. */
  hidden: () => Promise<Hidden>
  /** Names of tables of others that they may read. */
  shared: () => Promise<readonly string[]>
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
    shared: () => readShared(access, request),
    isReader: access.callerOf(request)?.roles.every((role) => SELF_ROLES.includes(role)) ?? true,
  }
}

/** For reading: a caller without a log-in reads what is public. */
export function lakeReader(access: Access, request: FastifyRequest, action: Action): LakeCaller {
  if (access.callerOf(request) !== null) return lakeCaller(access, request, action)
  return {
    accountId: '',
    owner: '',
    readsCaptures: false,
    hidden: () => readHidden(access.storeFor(request)),
    shared: () => readShared(access, request),
    isReader: true,
  }
}

async function readShared(access: Access, request: FastifyRequest): Promise<string[]> {
  const asked = lakeViewer(access, request)
  return asked === null ? [] : access.wholeStore.call('sharedTables', { viewer: asked })
}

/** Who has a log-in may read what is shared with all readers of tables; null: operators. */
export function lakeViewer(access: Access, request: FastifyRequest): Viewer | null {
  const viewer = access.viewerOf(request)
  return viewer && { ...viewer, isReader: viewer.account !== null }
}

/** `shared`: what the caller's `shared` says. */
export function seesTable(
  { owner, readsCaptures }: LakeCaller,
  table: { name: string; kind: string; owner: string | null },
  shared: readonly string[],
): boolean {
  if (owner === null || table.owner === owner || shared.includes(table.name)) return true
  return table.kind === 'system' && readsCaptures && !PRIVATE_TABLES.has(table.name)
}

/** The station itself, when it tidies. */
export const STATION: LakeCaller = {
  accountId: OPERATOR,
  owner: null,
  readsCaptures: true,
  hidden: async () => NOTHING_HIDDEN,
  shared: async () => [],
  isReader: false,
}
