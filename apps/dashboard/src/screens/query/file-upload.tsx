/** A file of this machine, sent up in parts; what was lost on the way is sent again. */
import type { UploadView } from '@minga/protocol'
import { useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { callerHeaders } from '../../api/key.ts'
import { queryOf } from '../../api/call.ts'
import { station } from '../../api/station.ts'
import { Failure } from '../../components/failure.tsx'
import { useFormat } from '../../components/use-format.ts'
import { digestOf } from './digest.ts'
import { uploadFile, UploadStuck, type UploadCalls } from './upload-file.ts'

interface UploadPart {
  offset: number
  bytes: Uint8Array<ArrayBuffer>
  /** Of the part. */
  digest: string
  signal: AbortSignal
}

/** A part as it is; how much has arrived after it, or null when it was not taken. */
async function sendPart(
  id: string,
  { offset, bytes, digest, signal }: UploadPart,
): Promise<number | null> {
  try {
    const response = await fetch(`/api/inputs/${id}${queryOf({ offset })}`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/octet-stream',
        'x-minga-digest': digest,
        ...callerHeaders(),
      },
      body: bytes,
      signal,
    })
    if (!response.ok) return null
    return ((await response.json()) as UploadView).received
  } catch {
    signal.throwIfAborted()
    return null
  }
}

interface FileUploadProps {
  label: string
  onReady: (upload: string, file: File) => void
}

const CALLS: UploadCalls = {
  begin: (name, bytes) => station('POST /inputs', { body: { name, bytes } }),
  send: async (id, { bytes: part, ...rest }) => {
    const bytes = new Uint8Array(await part.arrayBuffer())
    return sendPart(id, { ...rest, bytes, digest: await digestOf(bytes) })
  },
  read: (id) => station('GET /inputs/{id}', { params: { id } }),
  finish: (id) => station('POST /inputs/{id}/finish', { params: { id }, body: {} }),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}

interface Sending {
  file: File
  received: number
  isReady: boolean
}

export function FileUpload({ label, onReady }: FileUploadProps) {
  const { t } = useTranslation()
  const [sending, setSending] = useState<Sending | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const over = useRef(new AbortController())
  const send = async (file: File): Promise<void> => {
    over.current.abort()
    over.current = new AbortController()
    const { signal } = over.current
    setError(null)
    setSending({ file, received: 0, isReady: false })
    const onProgress = (received: number): void => setSending({ file, received, isReady: false })
    try {
      const id = await uploadFile(file, CALLS, { signal, onProgress })
      setSending({ file, received: file.size, isReady: true })
      onReady(id, file)
    } catch (problem) {
      if (!signal.aborted) setError(problem as Error)
      setSending(null)
    }
  }
  return (
    <div className="file-upload">
      <label>
        <b>{label}</b>
        <input
          type="file"
          accept=".csv,.tsv,.jsonl,.ndjson,.parquet,.warc,.gz"
          onChange={(event) => {
            const [file] = event.target.files ?? []
            if (file !== undefined) void send(file)
          }}
        />
      </label>
      {sending === null ? null : <Progress sending={sending} onStop={() => over.current.abort()} />}
      {error instanceof UploadStuck ? (
        <p className="banner error" role="alert">
          {t('query.uploadStuck')}
        </p>
      ) : (
        <Failure error={error} />
      )}
    </div>
  )
}

function Progress({ sending, onStop }: { sending: Sending; onStop: () => void }) {
  const { t } = useTranslation()
  const format = useFormat()
  const { file, received, isReady } = sending
  const words = { part: format.bytes(received), total: format.bytes(file.size) }
  return (
    <div className="upload-progress">
      <progress max={Math.max(1, file.size)} value={isReady ? Math.max(1, file.size) : received}>
        {t('query.ofTotal', words)}
      </progress>{' '}
      <span role="status">
        {isReady ? t('query.uploaded', { name: file.name }) : t('query.ofTotal', words)}
      </span>{' '}
      {isReady ? null : <Button onPress={onStop}>{t('query.uploadStop')}</Button>}
    </div>
  )
}
