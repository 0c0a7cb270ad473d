/** The station whose watches a command is about. */
import { findStation, httpApi, openApi, type Api } from '../api.ts'
import { BadOption } from '../errors.ts'
import { EXIT } from '../exit-codes.ts'
import { requireArchive } from './archive-folder.ts'

export interface WatchOptions {
  data: string
  station?: string
  key?: string
  json?: boolean
  allowPrivateAddresses?: boolean
}

/** Does the work through the named station, the one that serves the folder, or the folder itself. */
export async function throughApi(
  options: WatchOptions,
  work: (api: Api) => Promise<void>,
  mayMakeFolder = false,
): Promise<number> {
  const api = await reach(options, mayMakeFolder)
  try {
    await work(api)
    return EXIT.ok
  } finally {
    await api.close()
  }
}

async function reach(options: WatchOptions, mayMakeFolder: boolean): Promise<Api> {
  const { station, key, data, allowPrivateAddresses = false } = options
  if (station !== undefined) {
    if (key === undefined) {
      throw new BadOption('--station', 'a --key (or MINGA_KEY) beside it', 'none')
    }
    return httpApi(station.replace(/\/+$/, ''), key)
  }
  const running = await findStation(data)
  if (running !== null) return running
  return openApi(mayMakeFolder ? data : requireArchive(data), allowPrivateAddresses)
}
