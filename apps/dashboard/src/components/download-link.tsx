/**
 * A file of the station. A link alone would be followed with the cookie and nothing else, which
 * is worth nothing to the station: who is known takes the file as every call is made, and saves it. For what
 * may be large they ask for a ticket, which opens this one download once, and follow the link with it: then
 * the browser writes the file to the disk as it comes, whatever its size.
 */
import type { MouseEvent } from 'react'
import { useMutation } from '@tanstack/react-query'
import { ask } from '../api/call.ts'
import { isStranger } from '../api/key.ts'
import { station } from '../api/station.ts'
import { Failure } from './failure.tsx'
import { saveFile } from './list/save-file.ts'

interface DownloadLinkProps {
  /** Below /api. */
  path: string
  fileName: string
  /** It may not fit in memory: the browser takes it to the disk, and says by itself when that fails. */
  isLarge?: boolean
  children: string
}

export function DownloadLink({ path, fileName, isLarge = false, children }: DownloadLinkProps) {
  const take = useMutation({
    mutationFn: () => (isLarge ? follow(path, fileName) : save(path, fileName)),
  })
  const click = (event: MouseEvent): void => {
    if (isStranger()) return
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

async function follow(path: string, fileName: string): Promise<void> {
  const { link } = await station('POST /download-tickets', { body: { path } })
  const anchor = document.createElement('a')
  anchor.href = link
  anchor.download = fileName
  anchor.click()
}

async function save(path: string, fileName: string): Promise<void> {
  const response = await ask('GET', path)
  saveFile(await response.blob(), fileName)
}
