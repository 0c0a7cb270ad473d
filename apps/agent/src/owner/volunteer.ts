/** The owner's side of an agent, from its folder: opened, kept in order every second, closed. */
import type { Clock } from '@minga/protocol'
import { ActivityLog } from './activity/activity-log.ts'
import { Control } from './agent-control.ts'
import type { VolunteerLimits } from './control.ts'
import { Gate } from './limits/gate.ts'
import {
  readUsage,
  readOwnerSettings,
  writeUsage,
  writeOwnerSettings,
  type OwnerSettings,
} from './limits/limits-file.ts'
import { MonthBytes } from './limits/month-bytes.ts'
import { readNetworks, readPower, type OwnNetwork, type Power } from '../system/os.ts'
import { OwnNetworks } from './own-networks.ts'
import { changedLimits } from './limits/volunteer-limits.ts'

export interface VolunteerSettings {
  /** Given at this start; remembered as if they had been set on the page. */
  limits?: Partial<VolunteerLimits>
}

export interface VolunteerOptions extends VolunteerSettings {
  data: string
  station: string
  name: string
  concurrency: number | null
  clock: Clock
  complain: (line: string) => void
  power?: () => Promise<Power>
  readNetworks?: () => Promise<OwnNetwork[]>
}

const HOUSE_MS = 1_000
/** A kill −9 loses at most the count of this time; each write wears the owner's disk a little. */
const USAGE_EVERY_MS = 5_000
/** Plugs are pulled rarely, and asking costs a process on some systems. */
const POWER_EVERY_MS = 30_000
/** A laptop that was carried to another network has dialled little there by then. */
const NETWORKS_EVERY_MS = 60_000

export class Volunteer {
  readonly control: Control
  /** What this machine must not dial, since it is at home there. */
  readonly networks: OwnNetworks
  readonly #options: VolunteerOptions
  readonly #gate: Gate
  readonly #month: MonthBytes
  readonly #log: ActivityLog
  #savedBytes = -1
  #hasComplained = false

  /** The caller holds the lock of the folder. */
  static async open(options: VolunteerOptions): Promise<Volunteer> {
    const volunteer = new Volunteer(options, await openFolder(options))
    await volunteer.networks.refresh()
    await volunteer.#lookAtPower()
    return volunteer
  }

  constructor(options: VolunteerOptions, opened: Opened) {
    this.#options = options
    this.control = opened.control
    this.networks = new OwnNetworks(options.readNetworks ?? readNetworks)
    this.#gate = opened.gate
    this.#month = opened.month
    this.#log = opened.log
  }

  async keepHouse(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    let usageAtMs = clock.monotonicMs()
    let [powerAtMs, networksAtMs] = [usageAtMs, usageAtMs]
    while (!signal.aborted) {
      await clock.sleep(HOUSE_MS, signal)
      const nowMs = clock.monotonicMs()
      this.#gate.noteCpu()
      this.control.reconsider()
      this.control.tune()
      await this.#tidily(() => this.#log.flush())
      if (nowMs - usageAtMs >= USAGE_EVERY_MS) {
        usageAtMs = nowMs
        await this.#tidily(() => this.#saveUsage())
      }
      if (nowMs - networksAtMs >= NETWORKS_EVERY_MS) {
        networksAtMs = nowMs
        await this.networks.refresh()
      }
      if (nowMs - powerAtMs < POWER_EVERY_MS) continue
      powerAtMs = nowMs
      await this.#lookAtPower()
    }
  }

  async #lookAtPower(): Promise<void> {
    const { pauseOnBattery, pauseOnMetered } = this.control.view().limits
    if (!pauseOnBattery && !pauseOnMetered) return
    this.control.power = await (this.#options.power ?? readPower)()
  }

  async #saveUsage(): Promise<void> {
    const { use } = this.#month
    if (use.bytes === this.#savedBytes) return
    await writeUsage(this.#options.data, use)
    this.#savedBytes = use.bytes
  }

  /** A full disk takes the log away, not the work. Said once. */
  async #tidily(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (!this.#hasComplained) {
        const why = (error as Error).message
        this.#options.complain(`the agent's own files cannot be written for now: ${why}`)
      }
      this.#hasComplained = true
    }
  }

  async close(): Promise<void> {
    this.control.close()
    await this.#tidily(() => this.#log.flush())
    await this.#tidily(() => this.#saveUsage())
  }
}

interface Opened {
  control: Control
  gate: Gate
  month: MonthBytes
  log: ActivityLog
}

async function openFolder(options: VolunteerOptions): Promise<Opened> {
  const { data, clock, station, name, concurrency } = options
  const remembered = await readOwnerSettings(data)
  const ownerSettings = {
    ...remembered,
    limits: changedLimits(remembered.limits, options.limits ?? {}),
  }
  await writeOwnerSettings(data, ownerSettings)
  const log = await ActivityLog.open(data, ownerSettings.limits.diskBytes)
  const month = new MonthBytes(clock, await readUsage(data))
  const gate = new Gate({ clock, cpuMs }, ownerSettings.limits)
  const save = (kept: OwnerSettings): Promise<void> => writeOwnerSettings(data, kept)
  const control = new Control({
    clock,
    station,
    name,
    gate,
    month,
    log,
    ownerSettings,
    save,
    concurrency,
  })
  return { control, gate, month, log }
}

/** Of all threads. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
