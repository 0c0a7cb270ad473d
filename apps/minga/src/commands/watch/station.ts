/** The station whose watches a command is about. */
import { findStation, openApi, remoteApi, type Api } from '../../api.ts'
import { EXIT } from '../../exit-codes.ts'
import { requireArchive } from '../archive/folder.ts'

export interface WatchOptions {
  data: string
  station?: string
  key?: string
  insecure?: boolean
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
  const { station, key, insecure, data, allowPrivateAddresses = false } = options
  if (station !== undefined) {
    return remoteApi({ station, key, insecure })
  }
  const running = await findStation(data)
  if (running !== null) return running
  return openApi(mayMakeFolder ? data : requireArchive(data), allowPrivateAddresses)
}
