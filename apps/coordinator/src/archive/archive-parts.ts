import type { StationSecrets } from '../station/secrets/station-secrets.ts'
import type { Clock, ReplayOrigin } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { Access } from '../accounts/access.ts'
import type { TextIndex } from './search/text-index.ts'
import type { UrlIndex } from './url-index.ts'
import type { Operations } from '../station/station-operations.ts'

/** What reading the archive over HTTP needs. */
export interface ArchiveParts {
  store: Store<Operations>
  clock: Clock
  data: string
  access: Access
  /** Known to this station only. */
  secrets: StationSecrets
  urlIndex: UrlIndex
  texts: TextIndex
  /** Where the world reaches this station; null: where the caller reached it. */
  publicUrl: string | null
  /** By which names the station may be called. */
  hostNames: ReadonlySet<string>
  /** Where archived pages are shown; changes once, when the station begins to listen. */
  replayOrigin: () => ReplayOrigin
}
