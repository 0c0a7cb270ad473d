/** Calls about alerts: who is notified of changes, and what was sent. */
import type { AlertRequest, AlertView, DeliveryView, NewAlertView } from '@minga/protocol'
import { station } from './station.ts'

/** Of one watch, or all of an account. */
export const readAlerts = (watchId: number | null): Promise<AlertView[]> =>
  station('GET /alerts', { query: { watchId } })

export const readDeliveries = (watchId: number | null, limit: number): Promise<DeliveryView[]> =>
  station('GET /alerts/deliveries', { query: { watchId, limit } })

export const makeAlert = (request: AlertRequest): Promise<NewAlertView> =>
  station('POST /alerts', { body: request })

export const turnAlert = (id: string, isActive: boolean): Promise<AlertView> =>
  station('PATCH /alerts/{id}', { params: { id }, body: { isActive } })

export const removeAlert = (id: string): Promise<unknown> =>
  station('DELETE /alerts/{id}', { params: { id } })

export const testAlert = (id: string): Promise<DeliveryView> =>
  station('POST /alerts/{id}/test', { params: { id }, body: {} })
