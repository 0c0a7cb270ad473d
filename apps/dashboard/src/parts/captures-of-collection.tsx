import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from 'react-aria-components'
import { useTranslation } from 'react-i18next'
import { readCapturesAfter, readNewestCaptures } from '../api/client.ts'
import { useLive } from '../live/live-provider.tsx'
import { capturePage } from './capture-pages.ts'
import { CaptureTable } from './capture-table.tsx'
import { Failure } from './failure.tsx'

/** The first page follows the collection; older ones stand still while somebody reads them. */
const REFRESH_MS = 3_000

export function CapturesOfCollection({ id }: { id: number }) {
  const { t } = useTranslation()
  const { state } = useLive()
  // Where each page begins: the last is shown, the first (null) is the newest.
  const [starts, setStarts] = useState<(number | null)[]>([null])
  const start = starts.at(-1) ?? null
  const { data, error } = useQuery({
    queryKey: ['captures', id, start],
    queryFn: () => {
      const readNewest = (limit: number) => readNewestCaptures(id, limit)
      return capturePage({ collectionId: id, readNewest, readAfter: readCapturesAfter }, start)
    },
    refetchInterval: start === null ? REFRESH_MS : false,
    placeholderData: (former) => former,
  })
  if (error !== null) return <Failure error={error} />
  if (data === undefined || state === undefined) return null
  const { captures, before } = data
  return (
    <>
      {captures.length === 0 ? (
        <p className="quiet">{t('captures.none')}</p>
      ) : (
        <CaptureTable captures={captures} now={state.snapshot.now} caption={t('captures.title')} />
      )}
      <div className="pager">
        <Button isDisabled={starts.length === 1} onPress={() => setStarts([null])}>
          {t('captures.newer')}
        </Button>
        <span className="quiet">{t('captures.pageNumber', { page: starts.length })}</span>
        <Button isDisabled={before === 0} onPress={() => setStarts([...starts, before])}>
          {t('captures.older')}
        </Button>
      </div>
    </>
  )
}
