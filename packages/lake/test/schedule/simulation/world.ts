/** What all players of a simulation share. */
import type { Calls } from '@minga/store'
import type { Task } from '../../../src/model.ts'
import type { ScheduleOperations } from '../../../src/schedule/schedule-operations.ts'
import type { ScheduleOptions } from '../../../src/schedule/scheduler.ts'
import type { Agenda } from './agenda.ts'
import type { Dice } from './dice.ts'
import type { Disk } from './fake-kernel.ts'
import type { FakeStation } from './fake-station.ts'
import type { Judge } from './judge.ts'

/** What always happens to one task of a query: it fails, or its worker dies over it. */
export type Curse = 'later' | 'never' | 'kills'

export interface World {
  agenda: Agenda
  dice: Dice
  disk: Disk
  judge: Judge
  station: FakeStation
  options: ScheduleOptions
  /** All requests are answered: messages on their way arrive, and nothing new begins. */
  isClosing: boolean
  /** The real operations on a real database, one transaction each, under the eyes of the judge. */
  call: Calls<ScheduleOperations>['call']
  /** Whether something goes wrong here, while things go wrong at all. */
  isFaulty(probability: number): boolean
  curseOf(task: Task): Curse | null
  removeFiles(mayGo: (file: string) => boolean): void
}
