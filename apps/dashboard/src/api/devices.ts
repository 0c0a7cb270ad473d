/** What the page asks about devices: those at work, invitations, trust. */
import type {
  ContributionsView,
  DeviceItem,
  DeviceRates,
  DevicesPage,
  FleetMap,
} from '@minga/protocol'
import type { SortedQuery } from '../components/list/sorted-pages.ts'
import type { DeviceRequestRow, DeviceRow, JoinTokenRow, TrustLogRow } from './api-types.ts'
import type { JoinFacts } from './station-api.ts'
import { station } from './station.ts'

/** In the order of ids, after this one. */
export const readDevices = (afterId: string, limit: number): Promise<DeviceRow[]> =>
  station('GET /devices', { query: { afterId, limit } })

export const findDevices = (query: SortedQuery): Promise<DevicesPage> =>
  station('GET /devices/page', { query })

export const readFleetMap = (): Promise<FleetMap> => station('GET /devices/map')

/** What is out with it now. */
export const readDeviceWork = (id: string): Promise<DeviceItem[]> =>
  station('GET /devices/{id}/work', { params: { id } })

export const readDeviceRates = (id: string, minutes: number): Promise<DeviceRates> =>
  station('GET /devices/{id}/rates', { params: { id }, query: { minutes } })

/** What an operator asks of a device: to finish what it has and take no more, or to continue. */
export const drainDevice = (id: string, verb: 'drain' | 'undrain'): Promise<object> =>
  station(`POST /devices/{id}/${verb}`, { params: { id }, body: { note: null } })

/** The owner sees the latest one; an empty one takes it away. */
export const tellOwner = (id: string, text: string): Promise<object> =>
  station('POST /devices/{id}/message', { params: { id }, body: { text } })

export const readContributions = (days: number): Promise<ContributionsView> =>
  station('GET /leaderboard/days', { query: { days } })

export const readDevice = (id: string): Promise<DeviceRow> =>
  station('GET /devices/{id}', { params: { id } })

/** Newest first, before this one. */
export const readDeviceRequests = (
  id: string,
  beforeId: number | null,
  limit: number,
): Promise<DeviceRequestRow[]> =>
  station('GET /devices/{id}/requests', { params: { id }, query: { beforeId, limit } })

export const readTrustLog = async (id: string, limit: number): Promise<TrustLogRow[]> => {
  const { log } = await station('GET /devices/{id}/trust', { params: { id }, query: { limit } })
  return log
}

export const renameDevice = (id: string, name: string): Promise<object> =>
  station('PATCH /devices/{id}', { params: { id }, body: { name } })

export type DeviceVerb = 'pause' | 'resume' | 'revoke'

export const changeDevice = (id: string, verb: DeviceVerb): Promise<object> =>
  station(`POST /devices/{id}/${verb}`, { params: { id }, body: {} })

/** Whether a volunteer's device also plays visitors in load tests. */
export const readTakesPart = (id: string): Promise<{ takesPart: boolean }> =>
  station('GET /devices/{id}/load-tests', { params: { id } })

export const setTakesPart = (id: string, takesPart: boolean): Promise<object> =>
  station('POST /devices/{id}/load-tests', { params: { id }, body: { takesPart } })

export const deleteDevice = (id: string): Promise<object> =>
  station('DELETE /devices/{id}', { params: { id } })

export type Judgement = 'block' | 'expel' | 'release'

/** The note is shown to the device's owner. */
export const judgeDevice = (id: string, verb: Judgement, note: string): Promise<object> =>
  station(`POST /devices/{id}/${verb}`, {
    params: { id },
    body: { note: note === '' ? null : note },
  })

/** Where volunteers reach the station, and the program that it hands out. */
export const readJoinFacts = (): Promise<JoinFacts> => station('GET /join-facts')

export const readJoinTokens = (): Promise<JoinTokenRow[]> => station('GET /join-tokens')

export const makeJoinToken = (): Promise<{ token: string; expiresAt: number }> =>
  station('POST /join-tokens', { body: {} })

export const revokeJoinToken = (id: string): Promise<object> =>
  station('DELETE /join-tokens/{id}', { params: { id } })
