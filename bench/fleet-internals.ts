/**
 * The inner parts of programs that this benchmark measures or uses as they are. By address: they
 * are no part of what their packages offer to others.
 */
import type { Effort } from '@minga/archive'
import type { FetchAnswer } from '@minga/net'
import type { BlockRequest, CapturedResult, Clock, Result } from '@minga/protocol'

interface RecordModule {
  HURRIED: Effort
  recordFinding: (
    tools: { clock: Clock; newId: () => string; effort: Effort },
    finding: {
      leased: { fence: number; hostId: number; collectionId: number; request: BlockRequest }
      outcome: FetchAnswer
      endedAtMs: number
    },
  ) => { result: Result; members: Buffer[] }
}

interface CheckModule {
  checkResults: (
    results: readonly Result[],
    members: Buffer,
    checking: { isProven: boolean; wantsPage: (result: CapturedResult) => boolean },
  ) => { refused: number }
}

interface TablesModule {
  TABLE_5_1: readonly { meanS: readonly number[] }[]
}

/** What an agent makes of an answer. */
export const { HURRIED, recordFinding } = await load<RecordModule>(
  'apps/agent/src/record/record.ts',
)
/** How a coordinator reads a stranger's records again. */
export const { checkResults } = await load<CheckModule>(
  'apps/coordinator/src/agents/trust/check-results.ts',
)
export const { TABLE_5_1 } = await load<TablesModule>('simulate/fleet/thesis-tables.ts')

async function load<Module>(path: string): Promise<Module> {
  return (await import(new URL(`../${path}`, import.meta.url).href)) as Module
}
