/** Files go up to a station elsewhere in parts; what has arrived is not sent again. */
import { systemClock, type InputSource, type UploadView } from '@minga/protocol'
import { hash } from 'node:crypto'
import { basename } from 'node:path'
import type { Api } from '../../../api.ts'
import { formatBytes, type ProgressLine } from '../../../progress.ts'
import { patiently, type ReachedStation } from '../../../reach-station.ts'
import { sendParts, type InputFile } from '../files.ts'
import type { QueryFolder } from './folder.ts'

interface Sending {
  folder: QueryFolder
  progress: ProgressLine
  signal: AbortSignal
}

/** A station on this machine reads the file where it is. */
export async function sourceOf(
  station: ReachedStation,
  file: InputFile,
  sending: Sending,
): Promise<InputSource> {
  if (station.data !== null) return { path: file.path }
  const { folder } = sending
  const known = await folder.uploadOf(file)
  const upload =
    (known === null ? null : await stillThere(station.api, known)) ?? (await begin(station, file))
  await folder.noteUpload(file, upload.id)
  if (upload.state !== 'ready') await send(station, { file, upload, ...sending })
  return { upload: upload.id }
}

const stillThere = (api: Api, id: string): Promise<UploadView | null> =>
  api.get<UploadView>(`/inputs/${id}`).catch(() => null)

const begin = (station: ReachedStation, { path, bytes }: InputFile): Promise<UploadView> =>
  station.api.post<UploadView>('/inputs', { name: basename(path), bytes })

async function send(
  station: ReachedStation,
  { file, upload, progress, signal }: Sending & { file: InputFile; upload: UploadView },
): Promise<void> {
  const { api } = station
  const parts = { start: upload.received, partBytes: upload.partBytesMax }
  await sendParts(file, parts, async (part, at) => {
    signal.throwIfAborted()
    const digest = `sha256:${hash('sha256', part)}`
    const { received } = await patiently(station, () =>
      api.upload<UploadView>(`/inputs/${upload.id}?offset=${at}`, part, digest),
    )
    const line = `${basename(file.path)}: ${formatBytes(received)} of ${formatBytes(file.bytes)} sent`
    progress.show(line, systemClock.monotonicMs())
    return received
  })
  await patiently(station, () => api.post(`/inputs/${upload.id}/finish`, {}))
}
