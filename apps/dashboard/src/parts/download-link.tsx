/** A file of the station. A browser sends its cookie along by itself, but not a key. */
import type { MouseEvent } from 'react'
import { useMutation } from '@tanstack/react-query'
import { ask } from '../api/call.ts'
import { readKey } from '../api/key.ts'
import { Failure } from './failure.tsx'

interface DownloadLinkProps {
  /** Below /api. */
  path: string
  fileName: string
  children: string
}

export function DownloadLink({ path, fileName, children }: DownloadLinkProps) {
  const take = useMutation({ mutationFn: () => save(path, fileName) })
  const click = (event: MouseEvent): void => {
    if (readKey() === null) return
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
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = fileName
  link.click()
  URL.revokeObjectURL(address)
}
