/** What the page asks about devices: those at work, invitations, trust. */
import type { TrustLogRow } from '@minga/protocol'
import { station } from './station.ts'

export const readTrustLog = async (id: string, limit: number): Promise<TrustLogRow[]> => {
  const { log } = await station('GET /devices/{id}/trust', { params: { id }, query: { limit } })
  return log
}

export type DeviceVerb = 'pause' | 'resume' | 'revoke'

export type Judgement = 'block' | 'expel' | 'release'
