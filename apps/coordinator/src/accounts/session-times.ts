/** How long a session stays open without a request, as the operator's setting says it. */
import type { LiveSettings } from '../station/settings/live-settings.ts'

const HOUR_MS = 3_600_000

/** Null: until the session expires. */
export function sessionIdleMs(settings: Pick<LiveSettings, 'current'>): number | null {
  const { sessionIdleHours } = settings.current()
  return sessionIdleHours === null ? null : sessionIdleHours * HOUR_MS
}
