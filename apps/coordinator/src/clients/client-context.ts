import type { RouteContext } from '../accounts/access.ts'
import type { RequestWaiters } from './request-waiters.ts'
import type { Requests } from './requests.ts'

export interface ClientContext extends RouteContext {
  requests: Requests
  waiters: RequestWaiters
}
