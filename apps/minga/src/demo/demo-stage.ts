/** What every act of the demo is given. */
import type { Clock } from '@minga/protocol'
import type { Api } from '../api.ts'
import type { LocalStation } from '../station.ts'
import type { DemoFolder } from './demo-folder.ts'
import type { DemoWeb } from './demo-web.ts'

export interface DemoStage {
  station: LocalStation
  /** As the operator's key may. */
  api: Api
  web: DemoWeb
  folder: DemoFolder
  clock: Clock
  /** The station stops. */
  signal: AbortSignal
  say: (line: string) => void
}
