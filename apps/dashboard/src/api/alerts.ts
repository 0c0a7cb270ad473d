/** What the page asks about alerts: who is told of changes, and what was sent. */
import type { AlertRequest, AlertView, DeliveryView, NewAlertView } from '@minga/protocol'
import { call, queryOf } from './call.ts'

/** Of one watch, or all of an account. */
export const readAlerts = (watchId: number | null): Promise<AlertView[]> =>
  call('GET', `/alerts${queryOf({ watchId })}`)

export const readDeliveries = (watchId: number | null, limit: number): Promise<DeliveryView[]> =>
  call('GET', `/alerts/deliveries${queryOf({ watchId, limit })}`)

export const makeAlert = (request: AlertRequest): Promise<NewAlertView> =>
  call('POST', '/alerts', request)

export const turnAlert = (id: string, isActive: boolean): Promise<AlertView> =>
  call('PATCH', `/alerts/${id}`, { isActive })

export const removeAlert = (id: string): Promise<unknown> => call('DELETE', `/alerts/${id}`)

export const testAlert = (id: string): Promise<DeliveryView> =>
  call('POST', `/alerts/${id}/test`, {})
