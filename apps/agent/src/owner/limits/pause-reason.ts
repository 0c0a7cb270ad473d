/** Why the owner's settings let nothing be dialled now, as a condition and a sentence; null when they do. */
import type { Instant } from '@minga/protocol'
import type { AgentCondition, VolunteerLimits } from '../control.ts'
import { isWithinHours, nextOpening, parseHours } from './hours.ts'
import type { Power } from '../../system/os.ts'

export interface PauseFacts {
  isPaused: boolean
  limits: VolunteerLimits
  now: Instant
  monthBytes: number
  power: Power
}

export interface PauseReason {
  condition: AgentCondition
  why: string
}

/** What the owner said comes before what the clock says, and that before what the machine says. */
export function pauseReason({
  isPaused,
  limits,
  now,
  monthBytes,
  power,
}: PauseFacts): PauseReason | null {
  if (isPaused) {
    return {
      condition: 'paused-by-owner',
      why: 'You have paused this agent; it goes on when you resume it.',
    }
  }
  const hours = limits.hours === null ? null : parseHours(limits.hours)
  if (hours !== null && !isWithinHours(hours, now)) {
    const why = `This is outside the hours that you lend it (${limits.hours}); it goes on at ${nextOpening(hours, now)}.`
    return { condition: 'outside-hours', why }
  }
  if (limits.bytesPerMonth !== null && monthBytes >= limits.bytesPerMonth) {
    const why =
      'The bytes that you lend it for this month are used up; it goes on when the next month begins (UTC).'
    return { condition: 'month-used-up', why }
  }
  if (limits.pauseOnBattery && power.isOnBattery === true) {
    const why = 'This machine runs on its battery; the agent goes on when it is plugged in.'
    return { condition: 'on-battery', why }
  }
  if (limits.pauseOnMetered && power.isMetered === true) {
    const why = 'The line of this machine is metered; the agent goes on with another line.'
    return { condition: 'on-metered-line', why }
  }
  return null
}
