/** What a client sends is counted where it is taken in; what the counts show becomes flags at once. */
import {
  describeSubmission,
  noteSubmission,
  OPERATOR,
  raiseFlags,
  type FlagEffect,
  type Submission,
} from '@minga/fleet'
import type { EndedRequest, NewRequest } from '@minga/frontier'
import { hostKeyOf } from '@minga/net'
import type { Sql } from '@minga/store'
import type { SettingValues } from '../../station/settings/registry.ts'

/** How a part of a submission is checked. */
export interface SubmissionCheck {
  client: string
  submission: Submission
  newId: string
  effect: FlagEffect
  cutDayMax: number
}

export interface CheckedSubmission {
  client: string
  requests: readonly NewRequest[]
  newId: string
  settings: SettingValues
}

export function createSubmissionCheck({
  client,
  requests,
  newId,
  settings,
}: CheckedSubmission): SubmissionCheck {
  const submission = describeSubmission(
    requests.map(({ url, refusal }) => ({
      url,
      host: url === null ? '' : hostKeyOf(url),
      code: refusal?.code ?? null,
    })),
  )
  return { client, submission, newId, ...alarmsFor(client, settings) }
}

/** What an alarm does to this client. The operator of the station is never held. */
export function alarmsFor(
  client: string,
  { abuseEffect, abuseCutDayMax }: SettingValues,
): { effect: FlagEffect; cutDayMax: number } {
  const effect = client === OPERATOR ? 'notify' : abuseEffect
  return { effect, cutDayMax: abuseCutDayMax }
}

/** In the transaction that took the requests in. */
export async function checkSubmission(
  sql: Sql,
  check: SubmissionCheck,
  taken: { requests: readonly NewRequest[]; ended: readonly EndedRequest[]; now: number },
): Promise<void> {
  const { ended, now } = taken
  const bySeq = new Map(taken.requests.map(({ seq, asked }) => [seq, asked]))
  const remembered = ended.filter(({ isRemembered }) => isRemembered)
  // Closed hosts are known here only.
  const denied = ended.filter(({ outcome }) => outcome === 'denied').length
  const isWorthALook = await noteSubmission(sql, {
    client: check.client,
    submission: { ...check.submission, denied },
    reasked: remembered.map(({ seq }) => bySeq.get(seq) ?? ''),
    now,
  })
  if (isWorthALook) await raiseFlags(sql, { ...check, now })
}
