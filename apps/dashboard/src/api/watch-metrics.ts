/** What the page asks about the figures of watches and the growth of the archive. */
import type { Behaviour, CalibrationView } from '@minga/protocol'
import { station } from './station.ts'

export const BEHAVIOURS = [
  'steady',
  'rare',
  'seasonal',
  'without pattern',
] as const satisfies readonly Behaviour[]

/** Of one watch, or of all. */
export const readCalibration = (id: string | null): Promise<CalibrationView> =>
  id === null
    ? station('GET /watch-calibration')
    : station('GET /watches/{id}/calibration', { params: { id } })
