/** The station whose watches a command is about. */
import { openApi, type Api } from '../../api.ts'
import { requireArchive } from '../archive/folder.ts'
import { findApi, withApi, type StationOptions } from '../reach-api.ts'

export interface WatchOptions extends StationOptions {
  allowPrivateAddresses?: boolean
}

/** Does the work through the named station, the one that serves the folder, or the folder itself. */
export function throughApi(
  options: WatchOptions,
  work: (api: Api) => Promise<void>,
  mayMakeFolder = false,
): Promise<number> {
  return withApi(reach(options, mayMakeFolder), work)
}

async function reach(options: WatchOptions, mayMakeFolder: boolean): Promise<Api> {
  const { data, allowPrivateAddresses = false } = options
  const running = await findApi(options)
  if (running !== null) return running
  return openApi(mayMakeFolder ? data : requireArchive(data), allowPrivateAddresses)
}
