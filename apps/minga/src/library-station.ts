/** `openStation` of the library: what `minga up` starts, held by a program instead of a terminal. */
import type { CoordinatorSettings } from '@minga/coordinator'
import { resolve } from 'node:path'
import { httpApi } from './api.ts'
import type { Station, StationOptions } from './library.ts'
import { PAGE_FOLDER, playerFolder } from './page-folders.ts'
import { startLocalStation } from './station.ts'

export async function startStation(options: StationOptions): Promise<Station> {
  const { agents = 1, workers = 1, concurrency } = options
  const station = await startLocalStation({
    coordinator: settingsOf(options),
    agents,
    isQuiet: true,
    ...(workers === 0 ? {} : { workers: { count: workers } }),
    ...(concurrency === undefined ? {} : { concurrency }),
  })
  const { url, apiKey: key, stop: close } = station
  const api = httpApi(url, key)
  const call: Station['call'] = (method, path, body) => {
    if (method === 'GET') return api.get<unknown>(path)
    if (method === 'DELETE') return api.remove<unknown>(path)
    if (method === 'POST') return api.post<unknown>(path, body)
    return method === 'PUT' ? api.put<unknown>(path, body) : api.patch<unknown>(path, body)
  }
  return { url, key, call, close }
}

function settingsOf(options: StationOptions): CoordinatorSettings {
  const { data = 'minga-data', listen: host = '127.0.0.1', port = 0 } = options
  const { contact, publicUrl, postgres, allowPrivateAddresses = false } = options
  return {
    data: resolve(data),
    listen: { host, port },
    stays: true,
    pageFolder: PAGE_FOLDER,
    replay: { port: null, playerFolder: playerFolder() },
    allowPrivateAddresses,
    ...(contact === undefined ? {} : { contact }),
    ...(publicUrl === undefined ? {} : { publicUrl }),
    ...(postgres === undefined ? {} : { postgresUrl: postgres }),
  }
}
