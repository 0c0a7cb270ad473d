/** What the page asks about devices: those at work, invitations, trust. */
import type { DeviceRequestRow, DeviceRow, JoinTokenRow, TrustLogRow } from './api-types.ts'
import { call, queryOf } from './call.ts'

/** In the order of ids, after this one. */
export const readDevices = (afterId: string, limit: number): Promise<DeviceRow[]> =>
  call('GET', `/devices${queryOf({ afterId, limit })}`)

export const readDevice = (id: string): Promise<DeviceRow> => call('GET', `/devices/${id}`)

/** Newest first. */
export const readDeviceRequests = (id: string, limit: number): Promise<DeviceRequestRow[]> =>
  call('GET', `/devices/${id}/requests${queryOf({ limit })}`)

export const readTrustLog = async (id: string, limit: number): Promise<TrustLogRow[]> => {
  const { log } = await call<{ log: TrustLogRow[] }>(
    'GET',
    `/devices/${id}/trust${queryOf({ limit })}`,
  )
  return log
}

export const renameDevice = (id: string, name: string): Promise<object> =>
  call('PATCH', `/devices/${id}`, { name })

export type DeviceVerb = 'pause' | 'resume' | 'revoke'

export const changeDevice = (id: string, verb: DeviceVerb): Promise<object> =>
  call('POST', `/devices/${id}/${verb}`, {})

/** Whether a volunteer's device also plays visitors in load tests. */
export const readTakesPart = (id: string): Promise<{ takesPart: boolean }> =>
  call('GET', `/devices/${id}/load-tests`)

export const setTakesPart = (id: string, takesPart: boolean): Promise<object> =>
  call('POST', `/devices/${id}/load-tests`, { takesPart })

export const deleteDevice = (id: string): Promise<object> => call('DELETE', `/devices/${id}`)

export type Judgement = 'block' | 'expel' | 'release'

/** The note is shown to the device's owner. */
export const judgeDevice = (id: string, verb: Judgement, note: string): Promise<object> =>
  call('POST', `/devices/${id}/${verb}`, { note: note === '' ? null : note })

export const readJoinTokens = (): Promise<JoinTokenRow[]> => call('GET', '/join-tokens')

export const makeJoinToken = (): Promise<{ token: string; expiresAt: number }> =>
  call('POST', '/join-tokens', {})

export const revokeJoinToken = (id: string): Promise<object> => call('DELETE', `/join-tokens/${id}`)
