/** One capture as files, and as an address that others can open. */
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import type { CaptureRow } from '@minga/protocol'
import { queryOf } from '../../api/call.ts'
import { timestampOf } from './archive-params.ts'
import { DownloadLink } from '../../components/download-link.tsx'

const contentPath = (url: string, at: number, form: 'body' | 'headers'): string =>
  `/captures/content${queryOf({ url, at, form })}`

/** One capture as it is kept, below /api. */
const recordPath = (url: string, at: number): string => `/captures/record${queryOf({ url, at })}`

export function CaptureDownloads({ capture }: { capture: CaptureRow }) {
  const { t } = useTranslation()
  const { url, capturedAt } = capture
  const name = `${hostOf(url)}-${timestampOf(capturedAt)}`
  return (
    <div className="actions">
      <DownloadLink path={contentPath(url, capturedAt, 'body')} fileName={`${name}.body`}>
        {t('archive.body')}
      </DownloadLink>
      <DownloadLink path={contentPath(url, capturedAt, 'headers')} fileName={`${name}.headers.txt`}>
        {t('archive.headers')}
      </DownloadLink>
      <DownloadLink path={recordPath(url, capturedAt)} fileName={`${name}.warc.gz`}>
        {t('archive.record')}
      </DownloadLink>
      <ShareButton url={url} at={capturedAt} />
    </div>
  )
}

/** Names of files take no signs that mean something to a system. */
function hostOf(url: string): string {
  return (URL.parse(url)?.hostname ?? 'capture').replaceAll(/[^a-z0-9.-]/gi, '_')
}

function ShareButton({ url, at }: { url: string; at: number }) {
  const { t } = useTranslation()
  const [said, setSaid] = useState('')
  const address = `${location.origin}/archive/url?${new URLSearchParams({ url, at: String(at) })}`
  const share = async (): Promise<void> => {
    const isCopied = await navigator.clipboard.writeText(address).then(
      () => true,
      () => false,
    )
    setSaid(isCopied ? t('archive.shared') : address)
  }
  return (
    <>
      <Button onPress={() => void share()}>{t('archive.share')}</Button>
      <span role="status" className="quiet address">
        {said}
      </span>
    </>
  )
}
