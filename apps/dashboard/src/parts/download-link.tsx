/**
 * A file of the station. A link alone would be followed with the cookie and nothing beside it, which
 * is worth nothing to the station: who is known takes the file as every call is made, and saves it.
 */
import type { MouseEvent } from 'react'
import { useMutation } from '@tanstack/react-query'
import { ask } from '../api/call.ts'
import { readKey, readPageToken } from '../api/key.ts'
import { Failure } from './failure.tsx'
import { saveFile } from './list/save-file.ts'

interface DownloadLinkProps {
  /** Below /api. */
  path: string
  fileName: string
  children: string
}

export function DownloadLink({ path, fileName, children }: DownloadLinkProps) {
  const take = useMutation({ mutationFn: () => save(path, fileName) })
  const click = (event: MouseEvent): void => {
    if (readKey() === null && readPageToken() === null) return
    event.preventDefault()
    take.mutate()
  }
  return (
    <>
      <a className="button" href={`/api${path}`} download={fileName} onClick={click}>
        {children}
      </a>
      <Failure error={take.error} />
    </>
  )
}

async function save(path: string, fileName: string): Promise<void> {
  const response = await ask('GET', path)
  saveFile(await response.blob(), fileName)
}
