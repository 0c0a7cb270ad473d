/** The API that a command works with: of the named station, of the one that serves the folder, or of the folder. */
import { findStation, openApi, remoteApi, type Api } from '../api.ts'
import { EXIT } from '../exit-codes.ts'
import { requireArchive } from './archive/folder.ts'

export interface StationOptions {
  data: string
  station?: string
  key?: string
  insecure?: boolean
  json?: boolean
}

/** Null when no station is named and none serves the folder. */
export async function findApi(options: StationOptions): Promise<Api | null> {
  const { station, key, insecure, data } = options
  return station === undefined ? findStation(data) : remoteApi({ station, key, insecure })
}

/** Only a folder that no station serves must hold something: reading must not make a new one. */
export async function reachApi(options: StationOptions): Promise<Api> {
  return (await findApi(options)) ?? openApi(requireArchive(options.data))
}

export async function withApi(
  api: Api | Promise<Api>,
  work: (api: Api) => Promise<void>,
): Promise<number> {
  const opened = await api
  try {
    await work(opened)
    return EXIT.ok
  } finally {
    await opened.close()
  }
}
