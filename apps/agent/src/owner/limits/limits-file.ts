/**
 * The owner's settings that an agent keeps between two starts: `limits.json` (the limits and
 * whether it is paused, which an owner may edit manually while the agent is stopped) and
 * `usage.json` (the bytes of this month).
 */
import { join } from 'node:path'
import type { VolunteerLimits } from '../control.ts'
import { readDataFile, replaceDataFile } from '../../system/data-folder.ts'
import { BadLimits } from '../../errors.ts'
import type { MonthUse } from './month-bytes.ts'
import { changedLimits, USUAL_LIMITS } from './volunteer-limits.ts'

const LIMITS_FILE = 'limits.json'
const USAGE_FILE = 'usage.json'

export interface OwnerSettings {
  limits: VolunteerLimits
  isPaused: boolean
}

/** What the file does not name is as usual, so that a newer agent reads an older file. */
export async function readOwnerSettings(data: string): Promise<OwnerSettings> {
  const text = await readDataFile(data, LIMITS_FILE)
  if (text === null) return { limits: USUAL_LIMITS, isPaused: false }
  try {
    const all = JSON.parse(text) as Record<string, unknown> | unknown[] | null
    if (all === null || Array.isArray(all)) throw BadLimits.of('file', 'an object of limits')
    const { isPaused = false, ...limits } = all
    return { limits: changedLimits(USUAL_LIMITS, limits), isPaused: isPaused === true }
  } catch (error) {
    throw BadLimits.inFile(join(data, LIMITS_FILE), (error as Error).message)
  }
}

export async function writeOwnerSettings(
  data: string,
  { limits, isPaused }: OwnerSettings,
): Promise<void> {
  await replaceDataFile(data, LIMITS_FILE, `${JSON.stringify({ ...limits, isPaused }, null, 2)}\n`)
}

/** An unreadable count starts again at zero: it is a courtesy to the owner, not a key. */
export async function readUsage(data: string): Promise<MonthUse | null> {
  const text = await readDataFile(data, USAGE_FILE)
  try {
    const { month, bytes } = JSON.parse(text ?? 'null') as MonthUse
    return /^\d{4}-\d{2}$/.test(month) && Number.isSafeInteger(bytes) ? { month, bytes } : null
  } catch {
    return null
  }
}

export async function writeUsage(data: string, use: MonthUse): Promise<void> {
  await replaceDataFile(data, USAGE_FILE, `${JSON.stringify(use)}\n`)
}
